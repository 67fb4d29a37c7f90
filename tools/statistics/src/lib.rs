//! Statistics of runs: is a program faster than before, or is the difference noise?
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod change;
pub mod ranks;
mod student;

//! Reports of `ora validate`, made from the memory that validated processes share with it.
//!
//! [`findings`] converts that memory to plain values. [`text`] and [`json`] show those of a run, and [`matrix`] a table
//! of rules by runtime.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod findings;
pub mod json;
pub mod matrix;
pub mod run;
pub mod text;

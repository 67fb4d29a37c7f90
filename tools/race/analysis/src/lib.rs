//! Data races of a program in OpenMP terms, from the lines that the detector of `ora race` (`libora_race.so`) leaves.
//!
//! [`build`] determines whether races can be found in a program. A [`plan`] has the runs, and [`environment`] the variables
//! of one. [`left`] reads the lines that a run leaves. `recorded` and `finding` convert them to functions, lines and
//! variables, `merge` produces one finding for each pair of places, and `cause` determines what is missing. An
//! [`outcome::Outcome`] has all of that; [`text`], [`json`] and [`sarif`] show it.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod build;
mod cause;
mod debug_info;
mod describe;
pub mod environment;
mod finding;
mod frames;
pub mod json;
pub mod left;
mod merge;
pub mod outcome;
pub mod plan;
mod recorded;
pub mod run;
#[cfg(test)]
mod sample;
mod sanitizer_options;
pub mod sarif;
mod source;
pub mod suppressions;
mod syntax;
pub mod text;
pub mod unseen;

//! Waits between the threads of a process, found from their stacks, which are read from outside.
//!
//! [`look::Observer`] creates a [`model::Look`]: each thread with its stack, the construct that it waits in, and what it holds. [`graph`]
//! finds the threads that nothing in the process can wake; [`finding`] names the reasons. [`stable`] compares two looks, since a thread
//! that has run meanwhile isn't stuck. An [`outcome::Outcome`] has all results for a process; [`text`] and [`json`] show it.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod aarch64;
mod budget;
mod calling_convention;
pub mod code;
pub mod conditions;
pub mod construct;
pub mod current;
mod cycles;
pub mod describe;
pub mod finding;
pub mod flow;
pub mod gathering;
mod glances;
pub mod graph;
mod held;
mod holders;
pub mod instruction;
mod interpreter;
pub mod json;
mod linked;
mod loaded;
pub mod look;
#[cfg(test)]
mod many_threads;
pub mod model;
mod orphans;
pub mod outcome;
mod outside;
mod phrases;
mod reasons;
mod registers;
mod scheduler;
pub mod stable;
mod team;
pub mod text;
mod variables;
mod x86_64;

//! Analysis of what the collectors of `ora stat` and `ora tasks` have counted: from a snapshot of the memory that they share to
//! figures, findings, tables and JSON.
//!
//! [`stat`] and [`tasks`] have the two commands' own. Nothing here starts a program, and nothing prints: the command does.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod advised;
mod exit;
mod finished_run;
mod forged_memory;
pub mod hints;
pub mod identity;
mod left_out;
pub mod quota;
pub mod stat;
pub mod tasks;

pub use exit::Exit;
pub use finished_run::FinishedRun;

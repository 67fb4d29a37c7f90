//! Analysis of what the collectors of `ora stat` and `ora tasks` have counted: from a snapshot of the shared memory to figures,
//! findings, tables and JSON.
//!
//! The modules [`stat`] and [`tasks`] have what is particular to each command. Nothing here starts a program or
//! prints: the command does.
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

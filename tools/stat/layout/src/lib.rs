//! The memory that `ora stat` and `ora tasks` share with their collectors: [`stat`], [`tasks`], and what both have in
//! common.
//!
//! A collector runs in the watched program and writes; the command reads. Everything is atomics at fixed places
//! ([`area::Shared`]), valid when all zero, so that what was written survives every way for the program to end.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod area;
pub mod clock;
pub mod loaded;
pub mod process_table;
pub mod stat;
pub mod tasks;
pub mod ticks;

/// Name of the entry point of a collector that `ora attach` brings into a running process. Its number is that of the mailbox's layout:
/// the library of an earlier `ora`, which stays in a process that it was brought into, does not have an entry point of this name.
pub const ENTRY: &str = "ora_collectors_serve_3";

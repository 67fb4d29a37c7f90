//! Names of the functions of real programs, at addresses that the programs print when they run.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may stop where it stands")]

mod programs;
mod stripped;

mod authors;
mod debug_files;
mod neighbours;
mod objects;
mod static_loops;

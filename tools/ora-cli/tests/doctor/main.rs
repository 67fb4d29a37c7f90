//! Makes each reason for which nothing would be seen, and looks at what `ora doctor` says.
//!
//! The libraries must be there: cargo builds them, because the command names their crates.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may stop where it stands")]

mod callbacks;
mod description;
mod environment;
mod files;
mod harness;
mod instrumented;
mod linking;
mod llvm;
mod processes;
mod runs;
mod tool_runs;
mod tools;

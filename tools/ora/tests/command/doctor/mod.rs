//! Provokes each reason why nothing would be seen, and checks what `ora doctor` reports.

mod callbacks;
mod description;
mod environment;
mod files;
mod foreign;
mod harness;
mod instrumented;
mod linking;
mod llvm;
mod processes;
mod runs;
mod tool_runs;
mod tools;

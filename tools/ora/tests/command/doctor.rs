//! Makes each reason for which nothing would be seen, and looks at what `ora doctor` says.

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

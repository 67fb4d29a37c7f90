//! Tests of the engine alone: scripted events, and the resulting findings. They involve neither a runtime nor C.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may stop where it stands")]

mod answers;
mod cancelled;
mod mutexes;
mod orders;
mod regions;
mod releases;
mod script;
mod tasks;

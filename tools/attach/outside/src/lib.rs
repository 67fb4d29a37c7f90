//! Another process, seen from outside: its threads, memory, loaded objects and stacks; and the injection of a library into it.
//!
//! Only the few instructions of [`arch`] run in the watched process. Inspecting a process doesn't stop it; only [`inject`]
//! does, one thread of it, for some hundred microseconds.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod arch;
mod candidates;
mod chosen_thread;
pub mod deadline;
pub mod environment;
mod execution;
pub mod glance;
mod image;
pub mod imports;
pub mod inject;
mod instructions;
mod leftovers;
mod letting_go;
mod library_files;
mod mapped;
pub mod memory;
pub mod objects;
mod own_stack;
pub mod permission;
pub mod process;
pub mod process_clock;
pub mod process_folder;
pub mod refusal;
mod remote_call;
mod rseq;
pub mod safe_moment;
mod stack_words;
mod stop;
pub mod stop_time;
mod symbols;
mod tables;
pub mod target;
pub mod thread_block;
mod tracee;
mod tried;
pub mod unwind;
mod urgency;
pub mod watchdog;

pub use refusal::Refusal;

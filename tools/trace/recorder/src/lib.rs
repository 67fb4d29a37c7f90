//! The recorder of `ora trace`.
//!
//! The shared library `libora_tracer.so` is preloaded after `libora.so`. It is a tool of OpenMP 5 that writes every
//! event to a mapped file ([`trace_format`]), so that the recording survives every way for the process to end.
//!
//! - `tool` registers the callbacks and records an event for each call.
//! - `lane` is where a thread's events go. Only its thread writes to it: no lock and no system call on the way.
//! - `chunk` gets a lane its next piece of the file, or reuses the oldest one if only the newest are kept (`ring`).
//! - `serve` has the sessions of a recorder that `ora attach` brings into a running process; `session` records
//!   whether one is open.
//! - `file` is the process's file with its `file_header`, `definitions` describes the process and its code, `fork`
//!   starts again in children.
//! - `load` notes when the program began, since its first region may come late.
//! - `unload` notices that libraries were unloaded, since others may be mapped at their addresses.
//! - `samples` is the library that takes samples meanwhile, if requested: both write to one folder.

mod batch;
mod chunk;
mod clock;
mod definitions;
mod file;
mod file_header;
mod fork;
mod lane;
mod last_task;
mod load;
mod open_regions;
mod ring;
mod samples;
mod schedstat;
mod serve;
mod session;
mod settings;
mod system_call;
mod tool;
mod unload;

pub use trace_format::VERSION;

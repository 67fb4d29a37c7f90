//! The recorder of `ora trace`.
//!
//! The shared library `libora_tracer.so` is preloaded behind `libora.so`. It is a tool of OpenMP 5 that writes every
//! event to a mapped file ([`trace_format`]), so that what is recorded survives every end of the process.
//!
//! - `tool` registers the callbacks and makes an event of each call.
//! - `lane` is where a thread's events go. Only its thread writes to it: no lock and no system call on the way.
//! - `chunk` gets a lane its next piece of the file, or the oldest one again where only the newest are kept (`ring`).
//! - `serve` has the sessions of a recorder that `ora attach` brings into a running process; `session` says whether one is open.
//! - `file` is the process's file with its `file_header`, `definitions` says what the process and its code are, `fork` begins anew in children.
//! - `samples` is the library that takes samples meanwhile, where that is wanted: both write to one folder.

mod chunk;
mod clock;
mod definitions;
mod file;
mod file_header;
mod fork;
mod lane;
mod last_task;
mod open_regions;
mod ring;
mod samples;
mod serve;
mod session;
mod settings;
mod system_call;
mod tool;

pub use trace_format::VERSION;

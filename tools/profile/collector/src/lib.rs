//! The collector of `ora profile`: an ORA client that samples every thread of the process it is preloaded into.
//!
//! A clock sends each thread a signal (`clock`). The handler (`handler`, `signal`) queries the thread's state and region, walks
//! its stack (`walk`), and writes a record (`sample`) of [`profile_format`] into a file that is mapped into memory (`file`). Events
//! report forks (`forks`) and long waits (`waits`). `profile_format::variable` has the environment variables; without the
//! first of them the library does nothing.
//!
//! What a handler reaches takes no lock, allocates nothing with the program's allocator and accesses no thread-local variable
//! except two words that exist from the thread's start (`current_thread`). Where only one thread at a time may do something
//! (read the list of mappings, prepare a piece of the file), a second thread skips it.

mod account;
mod alternate_stack;
mod arena;
mod attach;
mod client;
mod clock;
mod current_thread;
mod diagnostics;
mod disposition;
mod dwarf_expression;
mod file;
mod file_state;
mod filter;
mod folder;
mod forks;
mod frames;
mod handler;
mod identity;
mod inherited;
mod interpose;
mod late_signals;
mod late_threads;
mod made_code;
mod memory;
mod module;
mod modules;
mod next_definition;
mod overtaken;
mod perf_event;
mod process;
mod region_place;
mod registers;
mod sample;
mod sampling;
mod scratch;
mod serial_state;
mod serial_time;
mod serve;
mod session;
mod setting;
mod shared_folder;
mod short_waits;
mod signal;
mod signal_calls;
mod signal_waits;
mod stack_bounds;
mod stacks;
mod system;
#[doc(hidden)]
pub mod tables;
mod text;
mod thread_record;
mod threads;
mod timer;
mod unwind_info;
mod unwind_rule;
mod waits;
mod walk;
mod work_sleep;

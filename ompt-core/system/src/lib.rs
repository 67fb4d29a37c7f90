//! The machine and the system below the OpenMP model: processor, ELF objects and their dynamic linker, thread-local
//! words, memory that is never freed, and lock-free building blocks. Nothing in this crate depends on OpenMP.
//!
//! All of it runs on the program's own threads: it allocates nothing on the heap, and everything that a query reaches
//! is async-signal-safe.
#![cfg_attr(loom, allow(dead_code, unreachable_pub, unused_imports))] // items that only models use are used in their tests

#[doc(hidden)]
pub use libc::siginfo_t; // for macros

pub mod memory;
pub mod sync;

// The modules below need the real machine; models of the ones above run without it. (The list is not inside a macro,
// so that rustfmt finds the files.)
#[cfg(not(loom))]
pub mod appended;
#[cfg(not(loom))]
pub mod arch;
#[cfg(not(loom))]
pub mod call_arguments;
#[cfg(not(loom))]
pub mod clock;
#[cfg(not(loom))]
pub mod code;
#[cfg(not(loom))]
pub mod dso_pin;
#[cfg(not(loom))]
pub mod elf;
#[cfg(not(loom))]
pub mod environment;
#[cfg(not(loom))]
pub mod errno;
#[cfg(not(loom))]
pub mod executable;
#[cfg(not(loom))]
pub mod file_room;
pub mod fork_gate;
pub mod futex;
#[cfg(not(loom))]
pub mod global_scope;
#[cfg(not(loom))]
pub mod line;
#[cfg(not(loom))]
pub mod linker;
#[cfg(not(loom))]
pub mod maps;
#[cfg(not(loom))]
pub mod nameless_file;
#[cfg(not(loom))]
pub mod object_range;
#[cfg(not(loom))]
pub mod objects;
#[cfg(not(loom))]
pub mod quick_exit;
#[cfg(not(loom))]
pub mod single_thread;
#[cfg(not(loom))]
pub mod stack;
#[cfg(not(loom))]
pub mod thread_sanitizer;
#[cfg(not(loom))]
pub mod threads;
#[cfg(not(loom))]
pub mod warning;

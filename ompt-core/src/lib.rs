//! What ora remembers of an OpenMP program (threads, regions, states, waits) and who wants to hear of it.
//!
//! Hosts tell this crate what a program does, faces ask it; it knows neither. All of it runs on the program's own
//! threads: nothing here allocates from the heap, no event and no query takes a lock (tools that change what they want take
//! turns), and what a query reaches is async-signal-safe.
#![cfg_attr(loom, allow(dead_code, unreachable_pub, unused_imports))] // what only models use, they use in tests

#[cfg(not(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")))]
compile_error!("ora runs on x86-64 Linux with glibc only");

pub mod beginning;
pub mod event;
mod hold;
mod lease;
mod levels;
mod link;
mod records;
mod sync;
pub mod watcher;

/// Everything that needs the real machine: models of the rest are run without it.
macro_rules! unless_loom {
    ($($(#[$doc:meta])* $vis:vis mod $name:ident;)*) => { $(#[cfg(not(loom))] $vis mod $name;)* };
}

unless_loom! {
    pub mod about;
    pub mod appended;
    pub mod detail;
    pub mod dispatch;
    pub mod errno;
    pub mod environment;
    pub mod executable;
    pub mod explicit_task;
    pub mod first_use;
    pub mod frame;
    pub mod graph;
    pub mod host;
    pub mod implicit_task;
    pub mod instrumented;
    pub mod line;
    pub mod linker;
    pub mod listeners;
    mod omp_tool;
    pub mod query;
    pub mod region;
    mod repair;
    mod settle;
    pub mod slab;
    pub mod stay;
    pub mod state;
    pub mod quiet_task;
    pub mod task;
    mod team;
    pub mod thread;
    pub mod tls;
    mod tool_log;
    pub mod tr2;
    pub mod v5;
    pub mod wait;
    pub mod warning;
}

//! The built-in collectors: ordinary clients of the public interfaces.
//!
//! The shared library `libora_collectors.so` is preloaded by the command `ora`, behind `libora.so`. It does nothing
//! unless one of its environment variables is set. As a Rust library the crate gives `ora` the layout of what a
//! collector leaves behind.

pub mod area;
mod attach;
pub mod clock;
mod free_list;
mod identity;
pub mod loaded;
mod member;
mod objects;
pub mod processor;
pub mod roll;
pub mod serve;
mod stack;
pub mod stat;
pub mod tasks;
mod thread_clock;
mod thread_word;
pub mod ticks;

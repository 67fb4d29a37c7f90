//! The built-in collectors: ordinary clients of the public interfaces.
//!
//! The shared library `libora_collectors.so` is preloaded by the command `ora`, after `libora.so`. It does nothing
//! unless one of its environment variables is set. The layout of what a collector leaves is in `stat_layout`.

mod attach;
mod free_list;
mod hooks;
mod identity;
mod member;
mod objects;
mod processor;
pub mod serve;
mod stack;
mod stat;
mod symbols;
mod tasks;
mod thread_clock;
mod thread_word;

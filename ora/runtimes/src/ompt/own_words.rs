//! The words that tools behind the first one keep for threads: the runtime's own word for a thread is the first tool's.

use super::TOOLS;
use super::blocks::Word;
use ompt_core::thread::here;
use ompt_core::tls;

/// Where in a [`Thread`](ompt_core::thread::Thread)'s words they begin, which are the host's.
const FIRST: usize = 8;

/// That tool's word for the calling thread, seen by now at the latest.
pub(super) fn of(tool: usize) -> Option<*const Word> {
    here().map(|thread| std::ptr::from_ref(thread.word(FIRST + tool)))
}

/// That tool's word for the calling thread, if it was ever seen. Async-signal-safe.
pub(super) fn known(tool: usize) -> Option<*const Word> {
    tls::get().map(|thread| std::ptr::from_ref(thread.word(FIRST + tool)))
}

/// The calling thread begins: what an earlier one of the same record left is none of its.
pub(super) fn forget() {
    if let Some(thread) = tls::get() {
        (0..TOOLS).for_each(|tool| thread.word(FIRST + tool).store(0, std::sync::atomic::Ordering::Relaxed));
    }
}

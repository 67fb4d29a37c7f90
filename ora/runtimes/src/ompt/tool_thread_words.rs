//! Thread words of the tools behind the first one: the runtime's own word for a thread is the first tool's.

use super::TOOLS;
use super::blocks::Word;
use ompt_core::thread::here;
use ompt_core::tls;

/// First of the adapter-private words of a [`Thread`](ompt_core::thread::Thread) that are used for this.
const FIRST: usize = 8;

/// The tool's word for the calling thread, whose record is created if there is none.
pub(super) fn of(tool: usize) -> Option<*const Word> {
    here().map(|thread| std::ptr::from_ref(thread.word(FIRST + tool)))
}

/// The tool's word for the calling thread, if the thread has a record. Async-signal-safe.
pub(super) fn known(tool: usize) -> Option<*const Word> {
    tls::get().map(|thread| std::ptr::from_ref(thread.word(FIRST + tool)))
}

/// Clears the words of the calling thread at its begin: an earlier thread may have used the same record.
pub(super) fn forget() {
    if let Some(thread) = tls::get() {
        (0..TOOLS).for_each(|tool| thread.word(FIRST + tool).store(0, std::sync::atomic::Ordering::Relaxed));
    }
}

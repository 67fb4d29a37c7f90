//! Thread words of the tools after the first one: the runtime's own word for a thread is the first tool's.

use super::runtime::Word;
use super::thread_fields::Fields;
use ompt_core::thread::{Thread, here};
use ompt_core::tls;
use std::sync::atomic::Ordering::Relaxed;

/// The tool's word for the calling thread, whose record is created if there is none.
pub(super) fn of(tool: usize) -> Option<&'static Word> {
    here().and_then(|thread| word(thread, tool))
}

/// The tool's word for the calling thread, if the thread has a record. Async-signal-safe.
pub(super) fn known(tool: usize) -> Option<&'static Word> {
    tls::get().and_then(|thread| word(thread, tool))
}

/// Clears the words of the calling thread when it starts: an earlier thread may have used the same record.
pub(super) fn forget() {
    if let Some(thread) = tls::get() {
        Fields::of(thread).tools.iter().for_each(|word| word.store(0, Relaxed));
    }
}

fn word(thread: &'static Thread, tool: usize) -> Option<&'static Word> {
    Fields::of(thread).tools.get(tool)
}

//! Fields of this adapter in a thread's record.

use super::TOOLS;
use ompt_core::thread::Thread;
use std::sync::atomic::AtomicU64;
use system::memory::Kept;

/// The adapter's fields of a thread. Until they are set, they hold the values of the record's previous thread.
pub(super) struct Fields {
    /// Free list of blocks.
    pub(super) blocks: Kept<'static>,
    /// The wait for a mutex that the thread is in.
    pub(super) wait: [&'static AtomicU64; 6],
    /// The tools' words for the thread. The first tool has none: it gets the runtime's own word.
    pub(super) tools: &'static [AtomicU64; TOOLS],
    /// Queue of the blocks of ended regions: the first, the last, and their number.
    pub(super) over: [&'static AtomicU64; 3],
    /// Address of the block of the innermost region that the thread has begun, or 0.
    pub(super) innermost: &'static AtomicU64,
}

impl Fields {
    /// The fields of this thread. Async-signal-safe.
    #[inline(always)]
    pub(super) fn of(thread: &'static Thread) -> Self {
        let [first, count, a, b, c, d, e, f, oldest, newest, kept, innermost, tools @ ..] = thread.adapter.words();
        Self { blocks: Kept { first, count }, wait: [a, b, c, d, e, f], tools, over: [oldest, newest, kept], innermost }
    }
}

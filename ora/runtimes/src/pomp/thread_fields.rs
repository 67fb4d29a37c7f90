//! Fields of this adapter in a thread's record.

use ompt_core::thread::Thread;
use std::sync::atomic::AtomicU64;
use system::memory::Kept;

/// The adapter's fields of a thread. Until they are set, they hold the values of the record's previous thread.
pub(super) struct Fields {
    /// Free list of task records.
    pub(super) tasks: Kept<'static>,
    /// State of a single region: the thread has encountered one, or executes it (see `constructs`); otherwise 0.
    pub(super) single: &'static AtomicU64,
    /// Number of the tasks without a record that the thread executes.
    pub(super) unrecorded_tasks: &'static AtomicU64,
    /// Id of the primary thread of the last region for which the worker has worked and that was unambiguous.
    pub(super) primary: &'static AtomicU64,
}

impl Fields {
    /// The fields of this thread. Async-signal-safe.
    #[inline(always)]
    pub(super) fn of(thread: &'static Thread) -> Self {
        let [first, count, single, unrecorded_tasks, primary, ..] = thread.adapter.instrumentation_words();
        Self { tasks: Kept { first, count }, single, unrecorded_tasks, primary }
    }
}

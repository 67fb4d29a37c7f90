//! State of a thread.

/// A thread, as far as the events show it.
#[derive(Debug, Default)]
pub(crate) struct Thread {
    /// The thread's data word; 0 before `thread_begin`.
    pub(crate) word: u64,
    /// True between `thread_begin` and `thread_end`.
    pub(crate) begun: bool,
    /// The task that the thread runs.
    pub(crate) current: Option<u64>,
    /// Open regions that the thread's tasks have encountered, outermost first.
    pub(crate) regions: Vec<u64>,
    /// The task that the thread has just created; `dependences` may follow.
    pub(crate) created: Option<u64>,
    /// The task that the thread has just discarded.
    pub(crate) discarded: Option<u64>,
    /// The mutex of the pending `mutex_acquire`: wait id and kind.
    pub(crate) acquiring: Option<(u64, i32)>,
    /// Wait ids of the mutexes that the thread holds, without locks: a thread may hold very many of those.
    pub(crate) held: Vec<u64>,
    /// Wait ids of mutexes that the thread must have released, since other threads have acquired them: its next event
    /// must report that.
    pub(crate) releasing: Vec<u64>,
}

//! What is known of a thread.

/// A thread, as the events have shown it.
#[derive(Debug, Default)]
pub(crate) struct Thread {
    /// Its data word; 0 before `thread_begin`.
    pub(crate) word: u64,
    /// Between `thread_begin` and `thread_end`.
    pub(crate) begun: bool,
    /// The task that it runs.
    pub(crate) current: Option<u64>,
    /// The regions that its tasks have encountered and that have not ended, outermost first.
    pub(crate) regions: Vec<u64>,
    /// The task that it has just created: `dependences` may follow.
    pub(crate) created: Option<u64>,
    /// The task that it has just discarded.
    pub(crate) discarded: Option<u64>,
    /// The mutex that it has asked for: wait id and kind.
    pub(crate) acquiring: Option<(u64, i32)>,
    /// The mutexes that it has, by wait id.
    pub(crate) held: Vec<u64>,
    /// The mutexes that it must have released, because others have acquired them since: its next event has to say so.
    pub(crate) releasing: Vec<u64>,
}

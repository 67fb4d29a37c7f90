//! Readings of a thread's counters at a moment, and the work between two of them.

/// State of a thread at one moment: the time, its work in regions up to then, and how much of that it had no
/// processor.
#[derive(Clone, Copy, Debug)]
pub(in crate::stat) struct Load {
    pub(in crate::stat) at_ns: u64,
    pub(in crate::stat) work_ns: u64,
    pub(in crate::stat) held_ns: u64,
    /// Explicit tasks that it has begun.
    pub(in crate::stat) tasks: u64,
    /// Shares of loops that it was given.
    pub(in crate::stat) chunks: u64,
}

impl Load {
    /// All counters at zero.
    pub(super) const NOTHING: Self = Self { at_ns: 0, work_ns: 0, held_ns: 0, tasks: 0, chunks: 0 };

    /// Work since then, and how much of it ran.
    pub(super) fn since(&self, begin: Load) -> (u64, u64) {
        let work_ns = self.work_ns.saturating_sub(begin.work_ns);
        (work_ns, work_ns.saturating_sub(self.held_ns.wrapping_sub(begin.held_ns)))
    }
}

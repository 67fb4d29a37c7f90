//! The longest path through a region.

/// The longest path through a region, beyond the running time of the thread that forked it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// The longest running times by phase, as far as they are longer than the thread's.
    pub more_ns: u64,
    /// Waits on the path, in which other threads worked.
    pub waits_ns: u64,
}

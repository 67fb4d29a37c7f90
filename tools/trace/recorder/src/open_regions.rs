//! Starts of the regions that are open on a lane, if slow ones are searched for.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Maximum number of nested regions whose start is remembered.
const DEEPEST: usize = 16;

/// Only the lane's thread uses it; the fields are atomic for the sake of forked children.
#[derive(Debug)]
pub(crate) struct OpenRegions {
    begins_ns: [AtomicU64; DEEPEST],
    depth: AtomicUsize,
}

impl OpenRegions {
    pub(crate) fn new() -> Self {
        Self { begins_ns: [const { AtomicU64::new(0) }; DEEPEST], depth: AtomicUsize::new(0) }
    }

    /// A region begins.
    pub(crate) fn begin(&self, now_ns: u64) {
        let depth = self.depth.load(Relaxed);
        self.depth.store(depth + 1, Relaxed);
        if let Some(place) = self.begins_ns.get(depth) {
            place.store(now_ns, Relaxed);
        }
    }

    /// The innermost region ends; returns the time at which it started.
    pub(crate) fn end(&self) -> Option<u64> {
        let depth = self.depth.load(Relaxed).checked_sub(1)?;
        self.depth.store(depth, Relaxed);
        self.begins_ns.get(depth).map(|begin| begin.load(Relaxed))
    }

    /// Forgets all regions, in a forked child.
    pub(crate) fn forget(&self) {
        self.depth.store(0, Relaxed);
    }
}

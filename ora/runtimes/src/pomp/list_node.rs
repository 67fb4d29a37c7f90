//! List node of a task's record, in a list of tasks that have not begun yet.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Creator and construct: the key by which a task that begins is found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) creator: u64,
    pub(super) region: u64,
}

/// A record's list node. Written under the list's lock.
#[repr(C)]
pub(super) struct Place {
    pub(super) creator: AtomicU64,
    pub(super) region: AtomicU64,
    /// Addresses of its neighbours, or 0.
    pub(super) older: AtomicU64,
    pub(super) newer: AtomicU64,
    pub(super) listed: AtomicBool,
}

system::zeroed!(Place { creator, region, older, newer, listed });

impl Place {
    /// True for the node of a task of this key.
    pub(super) fn is_of(&self, key: Key) -> bool {
        key == Key { creator: self.creator.load(Relaxed), region: self.region.load(Relaxed) }
    }
}

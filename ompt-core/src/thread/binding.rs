//! The places that a thread is bound to.

use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};

/// A thread's place and partition.
pub struct Binding {
    /// The place, or -1.
    place: AtomicI32,
    /// The first place of the partition and, << 32, its size.
    partition: AtomicU64,
}

system::zeroed!(Binding { place, partition });

impl Binding {
    /// Reinitialises the record for another thread.
    pub(super) fn renew(&self) {
        self.set_place(-1);
        self.set_partition((0, 0));
    }

    /// The place that the thread is bound to; -1: none. Async-signal-safe.
    pub fn place(&self) -> i32 {
        self.place.load(Relaxed)
    }

    pub(crate) fn set_place(&self, place: i32) {
        self.place.store(place, Relaxed);
    }

    /// The first place of the thread's partition and the number of its places; 0 if it is not known. Async-signal-safe.
    #[allow(clippy::cast_possible_truncation)] // takes its halves
    pub fn partition(&self) -> (i32, i32) {
        let partition = self.partition.load(Relaxed);
        ((partition as u32).cast_signed(), ((partition >> 32) as u32).cast_signed())
    }

    pub(crate) fn set_partition(&self, (first, count): (i32, i32)) {
        self.partition.store(u64::from(count.cast_unsigned()) << 32 | u64::from(first.cast_unsigned()), Relaxed);
    }
}

//! The words of a thread's record that collectors read if a request or an event would cost more
//! (`docs/reference/thread-words.md`).

use crate::packed_state::PackedState;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

/// A thread's activity and counters, in this order: `tools/sdk/ora-client` reads them at these offsets.
#[repr(C)]
pub struct Published {
    /// A [`PackedState`]: region id << 8
    /// state, or a number from 0xfe on if [`crate::query::now`] has to be queried.
    now: AtomicU64,
    /// Shares of loops that the runtime has handed out to this thread, and to earlier threads with this record.
    chunks: AtomicU64,
    /// Tasks that ran immediately (undeferred), counted instead of reported.
    tasks: AtomicU64,
    /// Waits of such tasks that had nothing to wait for, also counted instead of reported.
    waits: AtomicU64,
}

system::zeroed!(Published { now, chunks, tasks, waits });

impl Published {
    /// The thread's activity and region.
    #[inline(always)]
    pub(super) fn now(&self) -> PackedState {
        // Acquire: pairs with the store in `set_now`; the wait id that was written before is seen.
        PackedState::from_bits(self.now.load(Acquire))
    }

    /// Like [`now`](Self::now), for the thread itself.
    #[inline(always)]
    pub(super) fn own_now(&self) -> PackedState {
        PackedState::from_bits(self.now.load(Relaxed))
    }

    #[inline(always)]
    pub(super) fn set_now(&self, now: PackedState) {
        // Release: pairs with the load in `now`; publishes the wait id, also to a handler on this thread.
        self.now.store(now.bits(), Release);
    }

    /// Counts a share of a loop. One instruction: no event is dispatched.
    #[inline(always)]
    pub fn count_chunk(&self) {
        add_one(&self.chunks);
    }

    /// Counts a task that runs immediately, instead of reporting its events.
    #[inline(always)]
    pub(crate) fn count_task(&self) {
        add_one(&self.tasks);
    }

    /// The number of tasks that were counted.
    #[inline(always)]
    pub(crate) fn tasks(&self) -> u64 {
        self.tasks.load(Relaxed)
    }

    /// Counts a wait for nothing, instead of reporting its events.
    #[inline(always)]
    pub(crate) fn count_wait(&self) {
        add_one(&self.waits);
    }
}

/// Increments a count that only its own thread writes.
#[inline(always)]
fn add_one(count: &AtomicU64) {
    count.store(count.load(Relaxed).wrapping_add(1), Relaxed);
}

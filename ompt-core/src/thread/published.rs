//! The words of a thread's record that collectors read, where a request or an event would cost more
//! (`docs/reference/thread-words.md`).

use crate::packed_state::PackedState;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

/// A thread's activity and counters, in this order: `tools/sdk/ora-client` reads them by their places.
#[repr(C)]
pub struct Published {
    /// A [`PackedState`]: region id << 8 | state, or a number from 0xfe on where [`crate::query::now`] has to be asked.
    now: AtomicU64,
    /// Shares of loops that the runtime has handed out to the thread; also to earlier threads of the record.
    chunks: AtomicU64,
    /// Tasks that have run at once, counted in place of their events.
    tasks: AtomicU64,
    /// Waits of such tasks for nothing, counted likewise.
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

    /// As [`now`](Self::now), for the thread itself.
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

    /// Counts a task that runs at once, in place of its events.
    #[inline(always)]
    pub(crate) fn count_task(&self) {
        add_one(&self.tasks);
    }

    /// Counts a wait for nothing, in place of its events.
    #[inline(always)]
    pub(crate) fn count_wait(&self) {
        add_one(&self.waits);
    }
}

/// Adds to a count that only its own thread writes.
#[inline(always)]
fn add_one(count: &AtomicU64) {
    count.store(count.load(Relaxed).wrapping_add(1), Relaxed);
}

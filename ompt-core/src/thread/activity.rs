//! A thread's current activity: its packed state, and the wait that the state refers to.

use super::Published;
use crate::packed_state::PackedState;
use crate::state::State;
use std::sync::atomic::{AtomicU64, Ordering::*};

/// A thread's activity. Queries in signal handlers read it between any two of its writes.
#[repr(C)]
pub struct Activity {
    published: Published,
    /// The id of the current wait; written before the state that waits.
    wait: AtomicU64,
}

system::zeroed!(Activity { published, wait });

impl Activity {
    /// The words that collectors may read. The address is valid for as long as the process lives.
    #[inline(always)]
    pub fn published(&self) -> &Published {
        &self.published
    }

    /// The thread's packed state.
    #[inline]
    pub(crate) fn now(&self) -> PackedState {
        self.published.now()
    }

    /// [`now`](Self::now) for the thread itself.
    #[inline(always)]
    fn own_now(&self) -> PackedState {
        self.published.own_now()
    }

    #[inline]
    pub(crate) fn set_now(&self, now: PackedState) {
        self.published.set_now(now);
    }

    /// The id of the innermost region, or 0. For the thread itself; queries use [`crate::query`].
    #[inline]
    pub(crate) fn region_id(&self) -> u64 {
        self.own_now().region()
    }

    /// True if the thread is known to be outside of all regions.
    #[inline(always)]
    pub(crate) fn is_outside(&self) -> bool {
        self.own_now().is_serial()
    }

    /// Sets another state in the same region. For states that wait, the wait id has to be written first.
    #[inline]
    pub(crate) fn set_state(&self, state: State) {
        self.set_now(self.own_now().in_state(state));
    }

    pub(crate) fn set_unseen(&self) {
        self.set_now(self.own_now().unseen());
    }

    pub(crate) fn set_leaving(&self) {
        self.set_now(self.own_now().leaving());
    }

    #[inline]
    pub(crate) fn wait_id(&self) -> u64 {
        // Acquire: pairs with the stores in `set_waiting` and `set_wait_id`; read after `now`.
        self.wait.load(Acquire)
    }

    /// Sets a state that waits. A handler that comes between the writes sees the previous state, or overhead, but never
    /// another wait's id.
    #[inline]
    pub(crate) fn set_waiting(&self, state: State, wait: u64) {
        if self.own_now().state().waits() {
            self.set_state(State::Overhead);
        }
        // Release: pairs with the load in `wait_id`; a handler on this thread does not see it before the state above.
        self.wait.store(wait, Release);
        self.set_state(state);
    }

    #[inline]
    pub(crate) fn set_wait_id(&self, wait: u64) {
        // Release: pairs with the load in `wait_id`.
        self.wait.store(wait, Release);
    }

    /// Sets the state overhead until [`resume`](Self::resume) gets the result. Does nothing outside of all regions,
    /// where that state doesn't exist.
    #[inline(always)]
    pub fn overhead(&self) -> PackedState {
        let now = self.now();
        if !now.is_serial() {
            self.set_now(now.in_state(State::Overhead));
        }
        now
    }

    /// Sets a state that doesn't wait until [`resume`](Self::resume) gets the result.
    #[inline]
    pub fn switch_to(&self, state: State) -> PackedState {
        let now = self.now();
        self.set_state(state);
        now
    }

    /// Restores the state before [`overhead`](Self::overhead) or [`switch_to`](Self::switch_to).
    #[inline(always)]
    pub fn resume(&self, before: PackedState) {
        self.set_now(before);
    }
}

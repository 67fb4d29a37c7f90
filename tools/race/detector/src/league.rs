//! The league of teams that a thread executes.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use system::memory::Link;

use crate::clock::Clock;
use crate::fiber::Fiber;

/// The league that a thread executes: a league is in no other one (OpenMP 5.1, 2.7).
#[derive(Debug, Default)]
pub(crate) struct League {
    pub(crate) function: AtomicUsize,
    pub(crate) data: AtomicUsize,
    pub(crate) codeptr: AtomicUsize,
    /// Number of teams that have ended.
    pub(crate) ended: AtomicUsize,
    /// Set where the league starts, and joined by each team at its end.
    pub(crate) begin: Clock,
    pub(crate) ends: Clock,
    /// The fiber of the team that is executed, and the thread's context around the league.
    pub(crate) fiber: Link<Fiber>,
    pub(crate) outer: AtomicUsize,
    /// Number in the process of the team that is executed, which is a contention group; 0 if there is none.
    pub(crate) group: AtomicU64,
    /// First address above the frames of the target region that the thread executes.
    pub(crate) target: AtomicUsize,
}

impl League {
    /// A league starts.
    pub(crate) fn begin(&self, codeptr: usize) {
        self.codeptr.store(codeptr, Relaxed);
        self.ended.store(0, Relaxed);
        self.begin.set();
        self.ends.set();
    }

    /// The contention group of the team that the thread executes.
    pub(crate) fn contention_group(&self) -> Option<u64> {
        Some(self.group.load(Relaxed)).filter(|group| *group != 0)
    }

    /// The fiber of the team that is executed.
    pub(crate) fn fiber(&self) -> Option<&'static Fiber> {
        self.fiber.get()
    }

    /// A target region starts, whose frames are below an address.
    pub(crate) fn note_target(&self, address: usize) {
        self.target.store(address, Relaxed);
    }
}

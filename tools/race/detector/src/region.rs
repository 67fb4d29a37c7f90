//! Parallel regions: they order a team's members with the task that encountered the construct, and with each other at
//! barriers.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::*};

use ompt_tool::Pool;

use crate::clock::Clock;

/// A parallel region.
#[derive(Debug, Default)]
pub(crate) struct Region {
    /// Set where the region starts; each member acquires it.
    fork: Clock,
    /// Joined before a barrier and acquired after it, in turn: a member that has left one barrier may reach the next while
    /// another one has not left yet.
    barriers: [Clock; 2],
    /// Number of implicit tasks that have not ended, plus one for the construct.
    users: AtomicU32,
    /// Number of the instance in the process.
    pub(crate) id: AtomicU64,
    /// Return address of the call that started it.
    pub(crate) codeptr: AtomicUsize,
    /// The compiler's function for its body; 0 if unknown.
    pub(crate) function: AtomicUsize,
    /// Size of the team.
    pub(crate) team: AtomicU32,
    /// Contention group of the thread that started it; see [`crate::league`].
    pub(crate) contention_group: AtomicU64,
}

static REGIONS: Pool<Region> = Pool::new();
static BEGUN: AtomicU64 = AtomicU64::new(0);

impl Region {
    /// A region that the calling context starts, in a contention group.
    pub(crate) fn begin(codeptr: usize, function: usize, contention_group: u64) -> &'static Self {
        let region = REGIONS.take(Self::default);
        region.users.store(1, Relaxed);
        region.codeptr.store(codeptr, Relaxed);
        region.function.store(function, Relaxed);
        region.contention_group.store(contention_group, Relaxed);
        region.team.store(0, Relaxed);
        region.id.store(BEGUN.fetch_add(1, Relaxed) + 1, Relaxed);
        region.fork.set();
        // Everything that a member acquires there is ordered after the fork anyway.
        region.barriers.iter().for_each(Clock::set);
        region
    }

    /// A member's implicit task starts in the calling context.
    pub(crate) fn enter(&'static self, team: u32) {
        self.users.fetch_add(1, Relaxed);
        self.team.store(team, Relaxed);
        self.fork.acquire();
    }

    /// The clock of barrier `number` of a member.
    pub(crate) fn barrier(&self, number: usize) -> &Clock {
        let [even, odd] = &self.barriers;
        if number.is_multiple_of(2) { even } else { odd }
    }

    /// The region has ended for the task that encountered the construct.
    pub(crate) fn join(&'static self) {
        self.barriers.iter().for_each(Clock::acquire);
        self.leave();
    }

    /// An implicit task or the construct no longer uses the region. Members may report their end late, after the
    /// region's.
    pub(crate) fn leave(&'static self) {
        // AcqRel: pairs with itself: the last one sees what the others did with the record.
        if self.users.fetch_sub(1, AcqRel) == 1 {
            REGIONS.give_back(self);
        }
    }
}

//! Table of the regions that are open now: the members of a team leave their shares of the work there for the thread that forked it.
//!
//! A barrier ends a phase of a region. Before a member arrives there, it adds its share; after the barrier the shares are complete,
//! and the primary thread takes them out. Meanwhile members may arrive at the next barrier, so there are two sets of sums, used in
//! turn: no member arrives at the barrier after that one before the primary has taken these out. The runtime's barrier orders all of
//! this: relaxed operations are enough. Between one region and the next in the same place there is no barrier: there the place's
//! region id orders them.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use places::{farther_places, first_places};

mod places;

/// A share of at least this length may be the longest one because the others had no processor.
const LONG_NS: u64 = 20_000;
/// Number of regions of a process that can be open at the same time.
pub const OPEN: usize = 128;
/// Number of bits of an index entry that are the room's number.
const SLOT_BITS: u32 = OPEN.ilog2();

/// The open regions of one process.
///
/// A region's room is chosen by its id. A region that its thread executes alone, as far as is known, has the thread's room, where
/// the previous region was: the room stays in the processor's cache. A member finds that through a small index.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct Instances {
    rooms: [Instance; OPEN],
    /// By region id: the id << [`SLOT_BITS`], and the number of the thread's room. An entry is stale if the room
    /// belongs to another region.
    index: [AtomicU64; OPEN],
    of_threads: [Instance; OPEN],
    /// By region id: the last one without a room.
    refused: [AtomicU64; OPEN],
}

/// The room of one region.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct Instance {
    /// The region's id; 0 if free.
    region: AtomicU64,
    /// Time of members in regions inside this one, all phases.
    inner_ns: AtomicU64,
    /// Explicit tasks that members have begun, all phases.
    tasks: AtomicU64,
    /// For a thread's room: the thread that has it until it ends, plus one; 0: none.
    owner: AtomicU64,
    phases: [Sums; 2],
    /// In a separate cache line, which most regions only read.
    seldom: [Seldom; 2],
    /// The largest sum of a member's shares of running time, over the phases up to now.
    whole_ns: AtomicU64,
    /// Shares of loops that members were given, all phases.
    chunks: AtomicU64,
}

/// Sums over the members in one phase, without the primary thread.
#[repr(C)]
#[derive(Debug)]
struct Sums {
    /// The number of those that have arrived.
    members: AtomicU64,
    /// The sum of their work.
    work_ns: AtomicU64,
    /// The largest share of running time.
    max_ns: AtomicU64,
    /// The sum of the times at which they began, modulo 2^64.
    begin_ns: AtomicU64,
}

/// Values of the same phase that are 0 for most regions.
#[repr(C)]
#[derive(Debug)]
struct Seldom {
    /// Work without a processor.
    held_ns: AtomicU64,
    /// Waits other than at the barrier.
    waited_ns: AtomicU64,
    /// End of the share of the thread with the longest running time; 0: it ran for too short a time to matter.
    longest_at_ns: AtomicU64,
    /// The longest path of the members whose path is longer than their running time.
    path_ns: AtomicU64,
}

const _: () = assert!(size_of::<Instance>() == 192);

/// A thread's share of a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Wall time of its work.
    pub work_ns: u64,
    /// The part of that for which it ran.
    pub ran_ns: u64,
    /// Its waits up to the barrier.
    pub waited_ns: u64,
    /// Running time, and waits for work that other threads run.
    pub path_ns: u64,
}

/// The figures that members have left for a region that has ended, over all phases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// Time in regions inside it.
    pub inner_ns: u64,
    /// Explicit tasks.
    pub tasks: u64,
    /// Shares of loops.
    pub chunks: u64,
    /// The largest sum of shares; 0: there was only one phase.
    pub whole_ns: u64,
}

/// The sums of one phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phase {
    /// Members of the team that were in it.
    pub members: u64,
    /// Wall time of the work.
    pub work_ns: u64,
    /// The part of that for which they did not run.
    pub held_ns: u64,
    /// The longest running time.
    pub max_ns: u64,
    /// The sum of the times at which they began, modulo 2^64.
    pub begin_ns: u64,
    /// Waits up to the barrier.
    pub waited_ns: u64,
    /// The time at which the thread with the longest running time started to wait at the barrier; 0: the running time
    /// was short.
    pub longest_at_ns: u64,
    /// The longest path.
    pub path_ns: u64,
}

impl Share {
    /// End of a share that began at `begin_ns`, which its waits at the barrier follow.
    #[inline]
    pub fn end_ns(&self, begin_ns: u64) -> u64 {
        begin_ns + self.work_ns + self.waited_ns
    }

    fn held_ns(&self) -> u64 {
        self.work_ns.saturating_sub(self.ran_ns)
    }
}

impl Instances {
    /// Allocates a room for a region. `None` if all have one.
    #[inline]
    pub fn open(&self, region: u64) -> Option<&Instance> {
        if region == 0 {
            return None;
        }
        first_places(&self.rooms, region).find(|room| room.is_claimed_for(region)).or_else(|| self.open_farther(region))
    }

    #[cold]
    fn open_farther(&self, region: u64) -> Option<&Instance> {
        let found = farther_places(&self.rooms, region).find(|room| room.is_claimed_for(region));
        if found.is_none() {
            self.refusal(region).inspect(|refused| refused.store(region, Relaxed));
        }
        found
    }

    /// Allocates the thread's room for an outermost region that it forks. `None` if another thread has it, or the region could
    /// not be found through the index.
    ///
    /// A locked instruction would be a quarter of such a region's cost. Without it, only one thread may ever claim the room.
    #[inline(always)]
    pub fn open_alone(&self, region: u64, thread: u32) -> Option<&Instance> {
        let number = u64::from(thread) % OPEN as u64;
        let room = self.of_thread(number).filter(|room| region != 0 && room.is_free())?;
        if room.owner.load(Relaxed) != u64::from(thread) + 1 && !room.is_owned_from_now_on(thread) {
            return None;
        }
        let first = self.index.get(usize::try_from(region % OPEN as u64).ok()?)?;
        // An entry that leads to the thread's own room, which is free, is stale.
        let is_own = first.load(Relaxed) % OPEN as u64 == number;
        let entry = if is_own { first } else { self.stale_entry(region)? };
        room.region.store(region, Relaxed);
        entry.store(region << SLOT_BITS | number, Relaxed);
        Some(room)
    }

    /// The thread has ended: another one may have its room.
    #[cold]
    pub fn leave_room(&self, thread: u32) {
        let room = self.of_thread(u64::from(thread) % OPEN as u64);
        if let Some(room) = room.filter(|room| room.owner.load(Relaxed) == u64::from(thread) + 1 && room.is_free()) {
            // Release: pairs with `is_owned_from_now_on`; the next owner sees the room free.
            room.owner.store(0, Release);
        }
    }

    /// The room of a region.
    #[inline]
    pub fn find(&self, region: u64) -> Option<&Instance> {
        if region == 0 {
            return None;
        }
        let by_id = first_places(&self.rooms, region).find(|room| room.is_of(region));
        by_id.or_else(|| self.find_farther(region))
    }

    fn find_farther(&self, region: u64) -> Option<&Instance> {
        let entered = first_places(&self.index, region).find_map(|entry| self.entered(entry.load(Relaxed), region));
        entered.or_else(|| farther_places(&self.rooms, region).find(|room| room.is_of(region)))
    }

    /// True if there was no room for the region when it was forked: its members' shares are lost.
    #[inline]
    pub fn has_refused(&self, region: u64) -> bool {
        region != 0 && self.refusal(region).is_some_and(|refused| refused.load(Relaxed) == region)
    }

    /// Place of a region without a room.
    #[inline(always)]
    fn refusal(&self, region: u64) -> Option<&AtomicU64> {
        first_places(&self.refused, region).next()
    }

    /// An entry of the index that the region may have.
    #[inline(never)]
    fn stale_entry(&self, region: u64) -> Option<&AtomicU64> {
        first_places(&self.index, region).find(|entry| self.is_stale(entry.load(Relaxed)))
    }

    #[inline(always)]
    fn is_stale(&self, entry: u64) -> bool {
        entry == 0 || self.entered(entry, entry >> SLOT_BITS).is_none()
    }

    /// The thread's room that an entry of the index leads to, if that is the region's.
    #[inline(always)]
    fn entered(&self, entry: u64, region: u64) -> Option<&Instance> {
        self.of_thread(entry % OPEN as u64).filter(|room| entry >> SLOT_BITS == region && room.is_of(region))
    }

    #[inline(always)]
    fn of_thread(&self, number: u64) -> Option<&Instance> {
        self.of_threads.get(usize::try_from(number).ok()?)
    }
}

impl Instance {
    /// A member arrives at the barrier that ends a phase, after a share that began at `begin_ns`.
    #[inline]
    pub fn arrive(&self, phase: u32, share: Share, begin_ns: u64) {
        let Some((sums, seldom)) = self.sums(phase) else { return };
        sums.members.fetch_add(1, Relaxed);
        sums.work_ns.fetch_add(share.work_ns, Relaxed);
        sums.begin_ns.fetch_add(begin_ns, Relaxed);
        sums.compare(seldom, share, begin_ns);
        seldom.add(share.held_ns(), share.waited_ns);
        seldom.follow(share);
    }

    /// A member has executed tasks in the barrier: `told` is the share that it has reported before.
    #[inline]
    pub fn grow(&self, phase: u32, share: Share, told: Share, begin_ns: u64) {
        let Some((sums, seldom)) = self.sums(phase) else { return };
        sums.work_ns.fetch_add(share.work_ns.saturating_sub(told.work_ns), Relaxed);
        sums.compare(seldom, share, begin_ns);
        seldom.add(share.held_ns().saturating_sub(told.held_ns()), 0);
        seldom.follow(share);
    }

    /// A member's path has become longer, in the barrier.
    #[inline]
    pub fn follow(&self, phase: u32, share: Share) {
        if let Some((_, seldom)) = self.sums(phase) {
            seldom.follow(share);
        }
    }

    /// Adds the part of a member's share that was in regions inside this one.
    #[inline]
    pub fn nest(&self, inner_ns: u64) {
        self.inner_ns.fetch_add(inner_ns, Relaxed);
    }

    /// Adds the number of tasks that a member has begun.
    #[inline]
    pub fn add_tasks(&self, tasks: u64) {
        self.tasks.fetch_add(tasks, Relaxed);
    }

    /// True if this is the room of the region, and no other member has arrived at the barrier that ends the phase.
    #[inline]
    pub fn is_empty(&self, region: u64, phase: u32) -> bool {
        let arrived = self.sums(phase).map(|(sums, _)| sums.members.load(Relaxed));
        self.is_of(region) && arrived == Some(0)
    }

    /// Adds the number of shares of loops that a member was given.
    #[inline]
    pub fn add_chunks(&self, chunks: u64) {
        self.chunks.fetch_add(chunks, Relaxed);
    }

    /// Takes out what members have left. To be called by the thread that forked the region, after the barrier.
    #[inline]
    pub fn take(&self, region: u64, phase: u32) -> Phase {
        let Some((sums, seldom)) = self.sums(phase).filter(|_| self.is_of(region)) else { return Phase::default() };
        let members = sums.members.load(Relaxed);
        if members == 0 {
            return Phase::default();
        }
        let max_ns = sums.max_ns.load(Relaxed);
        let taken = Phase {
            members,
            work_ns: sums.work_ns.load(Relaxed),
            held_ns: taken_out(&seldom.held_ns),
            max_ns,
            begin_ns: sums.begin_ns.load(Relaxed),
            waited_ns: taken_out(&seldom.waited_ns),
            longest_at_ns: taken_out(&seldom.longest_at_ns),
            path_ns: taken_out(&seldom.path_ns).max(max_ns),
        };
        for sum in [&sums.members, &sums.work_ns, &sums.max_ns, &sums.begin_ns] {
            sum.store(0, Relaxed);
        }
        taken
    }

    /// Adds the sum of a member's shares up to a barrier that is not the first one.
    #[inline]
    pub fn add_up(&self, whole_ns: u64) {
        self.whole_ns.fetch_max(whole_ns, Relaxed);
    }

    /// Closes a region that has ended, and returns what other threads have left.
    #[inline]
    pub fn close(&self, region: u64) -> Left {
        if !self.is_of(region) {
            return Left::default();
        }
        let left = Left {
            inner_ns: taken_out(&self.inner_ns),
            tasks: taken_out(&self.tasks),
            chunks: taken_out(&self.chunks),
            whole_ns: taken_out(&self.whole_ns),
        };
        // Release: pairs with the load in `is_free`; publishes the sums that are 0 from now on.
        self.region.store(0, Release);
        left
    }

    /// Closes a region that has ended, for which no other member has left anything.
    #[inline(always)]
    pub fn leave_empty(&self, region: u64) {
        if self.is_of(region) {
            // Release: as in `close`.
            self.region.store(0, Release);
        }
    }

    #[inline(always)]
    fn is_free(&self) -> bool {
        // Acquire: pairs with the stores in `close` and `leave_empty`: sums are 0 before members add to them.
        self.region.load(Acquire) == 0
    }

    /// Claims the room for a region. False if another one has it.
    #[inline(always)]
    fn is_claimed_for(&self, region: u64) -> bool {
        // Acquire: as in `is_free`. Of two threads that find the room free, one has it.
        self.is_free() && self.region.compare_exchange(0, region, Acquire, Relaxed).is_ok()
    }

    /// Claims the room for all regions that a thread executes alone. False if another thread has it.
    #[cold]
    #[inline(never)]
    fn is_owned_from_now_on(&self, thread: u32) -> bool {
        self.owner.compare_exchange(0, u64::from(thread) + 1, Acquire, Relaxed).is_ok()
    }

    #[inline(always)]
    fn is_of(&self, region: u64) -> bool {
        self.region.load(Relaxed) == region
    }

    fn sums(&self, phase: u32) -> Option<(&Sums, &Seldom)> {
        let place = phase as usize % 2;
        self.phases.get(place).zip(self.seldom.get(place))
    }
}

impl Sums {
    /// Updates the longest share. If two are compared simultaneously, the time of the end may be that of the shorter
    /// one.
    fn compare(&self, seldom: &Seldom, share: Share, begin_ns: u64) {
        if self.max_ns.fetch_max(share.ran_ns, Relaxed) < share.ran_ns && share.ran_ns >= LONG_NS {
            seldom.longest_at_ns.store(share.end_ns(begin_ns), Relaxed);
        }
    }
}

impl Seldom {
    fn add(&self, held_ns: u64, waited_ns: u64) {
        for (to, ns) in [(&self.held_ns, held_ns), (&self.waited_ns, waited_ns)] {
            if ns > 0 {
                to.fetch_add(ns, Relaxed);
            }
        }
    }

    fn follow(&self, share: Share) {
        if share.path_ns > share.ran_ns {
            self.path_ns.fetch_max(share.path_ns, Relaxed);
        }
    }
}

/// Takes out a sum that is usually 0, and leaves 0.
fn taken_out(sum: &AtomicU64) -> u64 {
    let ns = sum.load(Relaxed);
    if ns > 0 {
        sum.store(0, Relaxed);
    }
    ns
}

#[cfg(test)]
mod tests;

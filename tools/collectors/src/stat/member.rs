//! This process and its threads as users of slots in the shared memory.

use std::cell::RefCell;
use std::sync::atomic::{
    AtomicBool, AtomicU32, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};

use super::clock::monotonic_ns;
use super::identity;
use super::joins::JoinRing;
use super::layout::{Area, ProcessSlot, ROWS_KEPT_APART, ThreadSlot, flag};
use super::timeline::{Happening, Timeline};

/// No process slot is claimed yet.
const NONE: u32 = u32::MAX;

/// There was none left to claim; the process has been counted as left out.
const REFUSED: u32 = u32::MAX - 1;

/// This process: what a slot of it would say. One without any event claims none, so that shells and compilers by the
/// thousand take no room; only the process that `ora` started always has one.
#[derive(Debug)]
pub(super) struct Member {
    slot: AtomicU32,
    pub(super) begun_ns: AtomicU64,
    pub(super) flags: AtomicU32,
    pub(super) session: AtomicU32,
    pub(super) refused: AtomicU32,
    /// Slots of threads that have ended: the first one's number plus one, and in the high half a count of changes.
    free: AtomicU64,
    /// Events are not for us: stop the session at the next one.
    pub(super) mute: AtomicBool,
}

/// The one of this process.
pub(super) static MEMBER: Member = Member::new();

impl Member {
    const fn new() -> Self {
        Self {
            slot: AtomicU32::new(NONE),
            begun_ns: AtomicU64::new(0),
            flags: AtomicU32::new(0),
            session: AtomicU32::new(0),
            refused: AtomicU32::new(0),
            free: AtomicU64::new(0),
            mute: AtomicBool::new(false),
        }
    }

    /// The process's slot, if it has one.
    pub(super) fn slot<'a>(&self, area: &'a Area) -> Option<&'a ProcessSlot> {
        area.process(self.slot.load(Acquire))
    }

    /// The number of the process's slot, claimed now if need be.
    pub(super) fn claim(&self, area: &Area) -> Option<u32> {
        match self.slot.load(Acquire) {
            NONE => {}
            REFUSED => return None,
            index => return Some(index),
        }
        let Some((index, slot)) = area.claim_process() else {
            self.slot.store(REFUSED, Release);
            return None;
        };
        slot.parent.store(std::os::unix::process::parent_id(), Relaxed);
        slot.flags.store(self.flags.load(Relaxed), Relaxed);
        slot.session.store(self.session.load(Relaxed), Relaxed);
        slot.refused.store(self.refused.load(Relaxed), Relaxed);
        slot.start_ns.store(self.begun_ns.load(Relaxed), Relaxed);
        identity::enter_command(slot);
        identity::enter_runtimes(slot);
        // AcqRel: who finds the number finds the slot filled in. Of two threads at once, one leaves its slot unused.
        match self.slot.compare_exchange(NONE, index, AcqRel, Acquire) {
            Ok(_) => {
                slot.pid.store(std::process::id(), Relaxed);
                Some(index)
            }
            Err(REFUSED) => None,
            Err(earlier) => Some(earlier),
        }
    }

    /// In a forked child: a process of its own from now on.
    pub(super) fn begin_again(&self, at_ns: u64) {
        self.slot.store(NONE, Relaxed);
        self.begun_ns.store(at_ns, Relaxed);
        self.flags.store(flag::FORKED, Relaxed);
        self.free.store(0, Relaxed);
    }

    fn claim_thread<'a>(&self, area: &'a Area) -> Option<(u32, &'a ThreadSlot)> {
        let used = if area.header.threads.load(Relaxed) < ROWS_KEPT_APART { None } else { self.take_free(area) };
        used.or_else(|| area.claim_thread())
    }

    fn take_free<'a>(&self, area: &'a Area) -> Option<(u32, &'a ThreadSlot)> {
        // Acquire: pairs with `give_free`; what the earlier user wrote is seen.
        let mut head = self.free.load(Acquire);
        loop {
            let index = first(head).checked_sub(1)?;
            let slot = area.thread(index)?;
            let next = changed(head, slot.next_free.load(Relaxed));
            match self.free.compare_exchange_weak(head, next, Acquire, Acquire) {
                Ok(_) => return Some((index, slot)),
                Err(now) => head = now,
            }
        }
    }

    fn give_free(&self, index: u32, slot: &ThreadSlot) {
        let mut head = self.free.load(Relaxed);
        loop {
            slot.next_free.store(first(head), Relaxed);
            // Release: pairs with `take_free`.
            match self.free.compare_exchange_weak(head, changed(head, index + 1), Release, Relaxed) {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }
}

/// The first slot's number plus one.
fn first(head: u64) -> u32 {
    let low = head & u64::from(u32::MAX);
    u32::try_from(low).unwrap_or_default()
}

/// A new head of the list: the count of changes goes up, so that an old head never looks like a new one.
fn changed(head: u64, index_plus_one: u32) -> u64 {
    ((head >> 32).wrapping_add(1) << 32) | u64::from(index_plus_one)
}

/// A thread: its slot and what it does.
#[derive(Debug)]
pub(super) struct Local {
    place: Place,
    timeline: Timeline,
    /// Since when the thread's time counts; 0: since its first event.
    born_ns: u64,
    closed: bool,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    /// No event yet.
    Unasked,
    /// These slots: of the thread, and its process's joins.
    Has(u32, &'static ThreadSlot, Option<&'static JoinRing>),
    /// No slot was free, or the thread is gone.
    Out,
}

thread_local! {
    /// Has no destructor, so it is there from the thread's first instruction to its last.
    pub(super) static LOCAL: RefCell<Local> = const {
        RefCell::new(Local { place: Place::Unasked, timeline: Timeline::new(), born_ns: 0, closed: false })
    };
}

impl Local {
    /// The thread's time counts from here on, although it may have no event for long.
    pub(super) fn born(&mut self, at_ns: u64) {
        self.born_ns = at_ns;
        self.place = Place::Unasked;
        self.closed = false;
    }

    /// Claims a slot, unless that was done before. `claimed` is called when it was just done.
    pub(super) fn enter(&mut self, area: &'static Area, at_ns: u64, claimed: impl FnOnce()) -> bool {
        if matches!(self.place, Place::Unasked) {
            self.place = self.find_place(area, at_ns);
            if matches!(self.place, Place::Has(..)) {
                claimed();
            }
        }
        matches!(self.place, Place::Has(..))
    }

    fn find_place(&mut self, area: &'static Area, at_ns: u64) -> Place {
        let Some(process) = MEMBER.claim(area) else { return Place::Out };
        let Some((index, slot)) = MEMBER.claim_thread(area) else { return Place::Out };
        slot.owner.store(process + 1, Relaxed);
        slot.tid.store(super::attach::thread_id(), Relaxed);
        slot.turns.store(slot.turns.load(Relaxed) + 1, Relaxed);
        self.timeline.start(slot, if self.born_ns == 0 { at_ns } else { self.born_ns });
        Place::Has(index, slot, area.joins(process))
    }

    /// One event. The thread has entered before.
    pub(super) fn happens(&mut self, area: &Area, what: Happening, at_ns: u64) {
        let Place::Has(_, slot, joins) = self.place else { return };
        if matches!(what, Happening::Fork(_)) && slot.forks.load(Relaxed) == 0 {
            // A runtime may have been loaded since the process began.
            if let Some(process) = MEMBER.slot(area) {
                identity::enter_runtimes(process);
            }
        }
        self.timeline.happens(what, at_ns, slot, joins);
        if self.closed {
            slot.end_ns.store(at_ns, Relaxed);
        }
    }

    /// The thread is about to end.
    pub(super) fn close(&mut self) {
        if let Place::Has(_, slot, joins) = self.place {
            self.timeline.close(monotonic_ns(), slot, joins);
            self.closed = true;
        }
    }

    /// The thread has ended, and no event of it will come: another one may have the slot.
    pub(super) fn leave(&mut self) {
        if let Place::Has(index, slot, _) = self.place {
            self.place = Place::Out;
            MEMBER.give_free(index, slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stat::area::SharedArea;
    use crate::stat::layout::PROCESSES;

    #[test]
    fn slots_of_ended_threads_are_taken_again_only_when_many_are_in_use() {
        let shared = SharedArea::create().unwrap();
        let area = shared.area();
        let member = Member::new();
        for wanted in [0, 1] {
            let (index, slot) = member.claim_thread(area).unwrap();
            assert_eq!(index, wanted);
            member.give_free(index, slot);
        }
        area.header.threads.store(ROWS_KEPT_APART, Relaxed);
        let taken = (0..3).map(|_| member.claim_thread(area).unwrap().0).collect::<Vec<_>>();
        assert_eq!(taken, [1, 0, ROWS_KEPT_APART]);
    }
    #[test]
    fn a_process_without_a_slot_is_counted_once() {
        let shared = SharedArea::create().unwrap();
        let area = shared.area();
        let room = u32::try_from(PROCESSES).unwrap();
        area.header.processes.store(room - 1, Relaxed);
        let (last, late) = (Member::new(), Member::new());
        assert_eq!([last.claim(area), last.claim(area)], [Some(room - 1); 2]);
        assert_eq!([late.claim(area), late.claim(area)], [None; 2]);
        assert_eq!(area.header.processes.load(Relaxed), room + 1);
        assert_eq!(last.slot(area).unwrap().pid.load(Relaxed), std::process::id());
        assert!(late.slot(area).is_none());
    }
}

//! The threads of this process as users of slots in the shared memory.

use std::cell::RefCell;
use std::sync::atomic::Ordering::Relaxed;

use super::joins::JoinRing;
use super::layout::{Area, ROWS_KEPT_APART, ThreadSlot};
use super::timeline::{Happening, Timeline};
use crate::clock::monotonic_ns;
use crate::free_list::FreeList;
use crate::identity;
use crate::member::MEMBER;

/// Slots of this process's threads that have ended.
pub(super) static FREE: FreeList = FreeList::new();

fn claim_thread<'a>(area: &'a Area, free: &FreeList) -> Option<(u32, &'a ThreadSlot)> {
    let few = area.roll.header.threads.load(Relaxed) < ROWS_KEPT_APART;
    let used = if few { None } else { free.take(|index| Some(&area.thread(index)?.next_free)) };
    match used {
        Some(index) => Some((index, area.thread(index)?)),
        None => area.claim_thread(),
    }
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
        let Some(process) = MEMBER.claim(&area.roll) else { return Place::Out };
        let Some((index, slot)) = claim_thread(area, &FREE) else { return Place::Out };
        slot.owner.store(process + 1, Relaxed);
        slot.tid.store(crate::attach::thread_id(), Relaxed);
        slot.turns.store(slot.turns.load(Relaxed) + 1, Relaxed);
        self.timeline.start(slot, if self.born_ns == 0 { at_ns } else { self.born_ns });
        Place::Has(index, slot, area.joins(process))
    }

    /// One event. The thread has entered before.
    pub(super) fn happens(&mut self, area: &Area, what: Happening, at_ns: u64) {
        let Place::Has(_, slot, joins) = self.place else { return };
        if matches!(what, Happening::Fork(_)) && slot.forks.load(Relaxed) == 0 {
            // A runtime may have been loaded since the process began.
            if let Some(process) = MEMBER.slot(&area.roll) {
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
            FREE.give(index, &slot.next_free);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::area::SharedArea;

    #[test]
    fn slots_of_ended_threads_are_taken_again_only_when_many_are_in_use() {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let area = shared.area();
        let free = FreeList::new();
        for wanted in [0, 1] {
            let (index, slot) = claim_thread(area, &free).unwrap();
            assert_eq!(index, wanted);
            free.give(index, &slot.next_free);
        }
        area.roll.header.threads.store(ROWS_KEPT_APART, Relaxed);
        let taken = (0..3).map(|_| claim_thread(area, &free).unwrap().0).collect::<Vec<_>>();
        assert_eq!(taken, [1, 0, ROWS_KEPT_APART]);
    }
}

//! Long tasks that run while no other thread has one: the others wait for them.
//!
//! Each thread notes when it was last busy with tasks. The thread that ends a long task reads those notes.

use std::sync::atomic::Ordering::Relaxed;

use super::owner::Owner;
use crate::processor;
use stat_layout::process_table::add;
use stat_layout::tasks::layout::{Cell, TaskThreadSlot};

/// Tasks shorter than this are ignored. About a millisecond.
const LONG: u64 = 1 << 21;
/// Marks a thread that is busy.
const BUSY: u64 = u64::MAX;

/// Notes after an event of the thread that it executes or creates a task, or since when it does not.
#[inline(always)]
pub(super) fn note(slot: &TaskThreadSlot, is_busy: bool, at: u64) {
    slot.free_since.store(if is_busy { BUSY } else { at }, Relaxed);
}

/// Part of a task's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Alone {
    /// In ticks; 0: none, or short.
    time: u64,
    /// Upper bound for the part of it without a processor.
    held_ns: u64,
}

impl Alone {
    /// The time for which a task was the only one, measured at its end: at most as long as it ran itself. `delay_ns`: the time for which
    /// the thread was ready without a processor, at the last reading.
    #[inline(always)]
    pub(super) fn at_end(owner: &Owner, delay_ns: &mut u64, ran: u64, at: u64) -> Self {
        if ran >= LONG { Self::look(owner, delay_ns, ran, at) } else { Self::default() }
    }

    #[cold]
    #[inline(never)]
    fn look(owner: &Owner, delay_ns: &mut u64, ran: u64, at: u64) -> Self {
        let Owner { area, slot, number, .. } = *owner;
        let process = slot.owner.load(Relaxed);
        let others =
            area.thread_slots().filter(|(other, slot)| *other != number && slot.owner.load(Relaxed) == process);
        let mut free = others.map(|(_, other)| at.saturating_sub(other.free_since.load(Relaxed)));
        // Up to the first that was busy until shortly before: there may be thousands.
        let least = free.try_fold(u64::MAX, |least, free| (free >= LONG).then(|| least.min(free)));
        let Some(free) = least.filter(|least| *least < u64::MAX) else { return Self::default() };
        let time = free.min(ran);
        // Since the last task of this kind: sometimes more than this task's own delay, never less.
        let now_ns = processor::delay(slot.tid.load(Relaxed)).map_or(0, |(delay_ns, _)| delay_ns);
        let held_ns = now_ns.saturating_sub(std::mem::replace(delay_ns, now_ns));
        Self { time, held_ns }
    }

    /// Records it with the tasks of its place.
    #[inline(always)]
    pub(super) fn book(self, cell: &Cell) {
        if self.time > 0 {
            add(&cell.alone_tasks, 1);
            add(&cell.alone, self.time);
            add(&cell.alone_held_ns, self.held_ns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stat_layout::area::SharedArea;
    use stat_layout::tasks::layout::TasksArea;

    #[test]
    fn a_task_is_alone_from_when_the_last_other_thread_was_free() {
        let shared = Box::leak(Box::new(SharedArea::<TasksArea>::create(0).unwrap()));
        let area = shared.area();
        let slots: Vec<_> = (0..4).map(|_| area.claim_thread().unwrap()).collect();
        for (number, slot) in &slots {
            // The last one belongs to another process.
            slot.owner.store(if *number < 3 { 1 } else { 2 }, Relaxed);
            note(slot, *number == 3, 0);
        }
        let owner = Owner { area, instances: &[], slot: slots[0].1, number: 0 };
        let alone = |ran, at| Alone::at_end(&owner, &mut 0, ran, at).time;
        assert_eq!(alone(4 * LONG, 10 + 4 * LONG), 4 * LONG);
        assert_eq!(alone(LONG - 1, 10 + 4 * LONG), 0);
        note(slots[1].1, false, 10 + LONG);
        assert_eq!(alone(4 * LONG, 10 + 4 * LONG), 3 * LONG);
        assert_eq!(alone(2 * LONG, 10 + 4 * LONG), 2 * LONG);
        note(slots[2].1, true, 20);
        assert_eq!(alone(4 * LONG, 10 + 4 * LONG), 0);
    }

    #[test]
    fn the_only_thread_is_not_waited_for() {
        let shared = Box::leak(Box::new(SharedArea::<TasksArea>::create(0).unwrap()));
        let (number, slot) = shared.area().claim_thread().unwrap();
        let owner = Owner { area: shared.area(), instances: &[], slot, number };
        assert_eq!(Alone::at_end(&owner, &mut 0, 9 * LONG, 9 * LONG), Alone::default());
    }
}

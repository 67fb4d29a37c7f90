//! Sums of one thread, in cells of the shared memory that no other thread writes.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::alone::Alone;
use super::owner::Owner;
use super::pool::{Created, Executed};
use stat_layout::loaded::place;
use stat_layout::process_table::{add, raise};
use stat_layout::tasks::layout::{Cell, LEVELS, Level, Spread, TaskInstance, TaskThreadSlot};
use stat_layout::tasks::sampling::Pauses;

/// Number of places that a thread distinguishes: as many as fit into the table without long searches.
const CAPACITY: usize = 192;
const ENTRIES: usize = 256;

/// A thread's slot, and its table from places to cells.
#[derive(Debug)]
pub(super) struct ThreadSums {
    pub(super) owner: Owner,
    /// A new task's parent is the one that the thread's stack shows, so the runtime creates tasks within the
    /// program's call.
    pub(super) trusts_stack: bool,
    /// The time for which the thread was ready without a processor, at the last reading.
    delay_ns: u64,
    pauses: Pauses,
    table: Table,
    /// The last place asked for, and its cell.
    last: (u64, Option<&'static Cell>),
    /// The last estimate of a creation's time, and its step in a histogram.
    last_creation: (u64, usize),
    /// The thread that was last found to be in a creation.
    creator: Option<&'static TaskThreadSlot>,
}

/// All zero is an empty table.
#[derive(Debug)]
struct Table {
    entries: [Entry; ENTRIES],
    used: usize,
}

/// All zero is an entry that is not in use.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// A return address, or one of [`place`]. 0: not in use.
    place: u64,
    cell: Option<&'static Cell>,
}

/// A creation that has ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Creation {
    pub(super) took: u64,
    /// The task is undeferred.
    pub(super) at_once: bool,
    /// The task is a chunk of a taskloop.
    pub(super) is_chunk: bool,
}

/// The time that a task spent in the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// It was created undeferred.
    None,
    /// It waited for this long.
    Took(u64),
    /// It began before its creation had ended.
    Early,
    /// By the clock, it began before its creation.
    Negative,
}

impl ThreadSums {
    /// Empty sums for a thread.
    #[cfg(test)]
    pub(super) fn new(owner: Owner) -> Self {
        let table = Table { entries: [Entry { place: 0, cell: None }; ENTRIES], used: 0 };
        Self {
            owner,
            trusts_stack: false,
            delay_ns: 0,
            pauses: Pauses::default(),
            table,
            last: (0, None),
            last_creation: (0, 0),
            creator: None,
        }
    }

    /// The thread's slot.
    pub(super) fn slot(&self) -> &'static TaskThreadSlot {
        self.owner.slot
    }

    #[inline(always)]
    pub(super) fn cell(&mut self, place: u64) -> Option<&'static Cell> {
        if self.last.0 != place || place == 0 {
            self.last = (place, self.find_cell(place));
        }
        self.last.1
    }

    #[inline(never)]
    fn find_cell(&mut self, place: u64) -> Option<&'static Cell> {
        let Owner { area, number, .. } = self.owner;
        let Some(entry) = self.table.entry(place) else { return self.find_cell(place::MANY) };
        if entry.cell.is_none() {
            let cell = area.claim_cell()?;
            cell.place.store(place, Relaxed);
            cell.owner.store(number + 1, Relaxed);
            entry.cell = Some(cell);
        }
        entry.cell
    }

    fn level(&self, level: u32) -> Option<&'static Level> {
        self.slot().levels.get((level.max(1) as usize - 1).min(LEVELS - 1))
    }

    /// Figures of a level that is known, and so is not 0.
    #[inline(always)]
    pub(super) fn level_from_1(&self, level: u32) -> Option<&'static Level> {
        self.slot().levels.get((level as usize).wrapping_sub(1).min(LEVELS - 1))
    }

    /// The current task (0: an implicit or initial one) is about to create one on this level.
    pub(super) fn creating(&self, parent: u64, level: u32) {
        self.slot().creating_in.store(parent, Relaxed);
        self.slot().creating_level.store(level, Relaxed);
    }

    /// The level of what a task creates right now. The thread that does so has recorded it; the one that was found last is asked first.
    pub(super) fn level_below(&mut self, parent: u64) -> u32 {
        let process = self.slot().owner.load(Relaxed);
        let creates = |slot: &&'static TaskThreadSlot| {
            slot.creating_in.load(Relaxed) == parent && slot.owner.load(Relaxed) == process
        };
        let others = || self.owner.area.thread_slots().map(|(_, slot)| slot).find(creates);
        let Some(found) = self.creator.filter(creates).or_else(others) else { return 1 };
        self.creator = Some(found);
        found.creating_level.load(Relaxed)
    }

    /// Records the creation of a task. Returns its index in the list of instances plus one, or 0.
    pub(super) fn created(&mut self, id: u64, parent: u64, created: Created, creation: Creation) -> u32 {
        let Creation { took, at_once, is_chunk } = creation;
        // A chunk's start and end are reported together.
        let seen = if is_chunk { 0 } else { took };
        add(&self.slot().created, 1);
        add(&self.slot().creation, seen);
        if let Some(level) = self.level(created.level) {
            add(&level.created, 1);
            add(&level.creation, seen);
        }
        if let Some(cell) = self.cell(created.place) {
            cell.creation.put(took);
            if at_once {
                cell.sampling.put(took, &mut self.pauses);
            }
            cell.undeferred.store(cell.undeferred.load(Relaxed) + u32::from(at_once), Relaxed);
            add(&cell.chunks, u64::from(is_chunk));
            add(&cell.depth, u64::from(created.level));
            raise(&cell.depth_max, u64::from(created.level));
        }
        self.enter_instance(id, parent, created, if is_chunk { 0 } else { took.max(1) })
    }

    /// Records the creation of an undeferred task, which has therefore begun, with its measured time.
    #[cold]
    #[inline(never)]
    pub(super) fn created_stamped(&mut self, cell: &Cell, created: Created, took: u64) {
        self.created(0, 0, created, Creation { took, at_once: true, is_chunk: false });
        add(&cell.started, 1);
    }

    /// Records the creation of an undeferred task, as long as the measured creations of its place.
    #[inline(always)]
    pub(super) fn created_at_once(&mut self, cell: &Cell, number: u32, took: u64) {
        let Some(level) = self.level_from_1(number) else { return };
        if self.last_creation.0 != took {
            self.last_creation = (took, Spread::step(took));
        }
        let slot = self.slot();
        add(&slot.created, 1);
        add(&slot.creation, took);
        add(&level.created, 1);
        add(&level.creation, took);
        cell.creation.put_within(took, self.last_creation.1);
        cell.undeferred.store(cell.undeferred.load(Relaxed) + 1, Relaxed);
        add(&cell.depth, u64::from(number));
        raise(&cell.depth_max, u64::from(number));
        add(&cell.started, 1);
    }

    /// True if the creations of undeferred tasks may be estimated: their places are the ones that the stack shows, and the times of each
    /// task are not asked for.
    #[inline(always)]
    pub(super) fn estimates(&self) -> bool {
        self.trusts_stack && self.owner.instances.is_empty()
    }

    /// True if there is space for another task in the list of instances.
    #[inline(always)]
    pub(super) fn wants_instances(&self) -> bool {
        let Owner { area, instances, .. } = self.owner;
        (area.settings.instances.load(Relaxed) as usize) < instances.len()
    }

    fn enter_instance(&self, id: u64, parent: u64, created: Created, creation: u64) -> u32 {
        if !self.wants_instances() {
            return 0;
        }
        let index = self.owner.area.settings.instances.fetch_add(1, Relaxed);
        let Some(instance) = self.owner.instances.get(index as usize) else { return 0 };
        instance.parent.store(parent, Relaxed);
        instance.place.store(created.place, Relaxed);
        instance.created_at.store(created.at, Relaxed);
        instance.creation.store(creation, Relaxed);
        instance.creator.store(self.owner.number + 1, Relaxed);
        instance.id.store(id, Relaxed);
        index + 1
    }

    /// The list's entry for a task.
    fn instance(&self, of: Created) -> Option<&'static TaskInstance> {
        self.owner.instances.get((of.instance as usize).checked_sub(1)?)
    }

    /// A task begins to be executed.
    pub(super) fn started(&mut self, created: Created, at: u64, wait: Wait) {
        if let Some(instance) = self.instance(created) {
            // An undeferred task was never in the pool.
            let began = if wait == Wait::None { created.at } else { at };
            instance.started_at.store(began.max(1), Relaxed);
        }
        let Some(cell) = self.cell(created.place) else { return };
        add(&cell.started, 1);
        match wait {
            Wait::None => {}
            Wait::Took(ticks) => cell.waiting.put(ticks),
            Wait::Early => {
                cell.waiting.put(0);
                add(&cell.early, 1);
            }
            Wait::Negative => {
                cell.waiting.put(0);
                add(&cell.negative, 1);
            }
        }
    }

    /// This thread has executed a task.
    pub(super) fn served(&self, execution: u64) {
        add(&self.slot().executed, 1);
        add(&self.slot().execution, execution);
    }

    /// A task was executed. `end`, as far as it is known: how long the task's end took, for how long the thread had nothing
    /// to do while the task was suspended, and for how long no other thread had anything to do.
    #[inline(always)]
    pub(super) fn executed(
        &mut self,
        created: Created,
        executed: Executed,
        suspended: bool,
        end: Option<(Option<u64>, u64, Alone)>,
        cell: Option<&'static Cell>,
    ) {
        if let Some(level) = self.level(created.level) {
            add(&level.executed, 1);
            add(&level.execution, executed.execution);
            level.executions.put(executed.execution);
        }
        if let Some(instance) = self.instance(created) {
            instance.execution.store(executed.execution, Relaxed);
            instance.suspension.store(executed.suspension, Relaxed);
            if let Some((Some(cleanup), ..)) = end {
                instance.exit.store(cleanup.max(1), Relaxed);
            }
            instance.executor.store(executed.executor, Relaxed);
        }
        let Some(cell) = cell else { return };
        cell.execution.put(executed.execution);
        if suspended && executed.suspension == 0 {
            cell.suspension.put_none();
        } else if suspended {
            cell.suspension.put(executed.suspension);
        }
        if let Some((cleanup, idle, alone)) = end {
            if let Some(cleanup) = cleanup {
                cell.cleanup.put(cleanup);
            }
            if idle > 0 {
                add(&cell.idle, idle);
            }
            alone.book(cell);
        }
        if executed.children > 0 {
            add(&cell.children, u64::from(executed.children));
            raise(&cell.children_max, u64::from(executed.children));
        }
    }

    /// This thread has executed an undeferred task in which nothing was queued.
    #[inline(always)]
    pub(super) fn executed_at_once(
        &self,
        (cell, level): (&Cell, &Level),
        execution: u64,
        suspended: bool,
        children: u32,
    ) {
        self.served(execution);
        add(&level.executed, 1);
        add(&level.execution, execution);
        level.executions.put(execution);
        cell.execution.put_in_place(execution);
        if suspended {
            cell.suspension.put_none();
        }
        if children > 0 {
            add(&cell.children, u64::from(children));
            raise(&cell.children_max, u64::from(children));
        }
    }

    /// A task begins to be executed, but memory was refused for its frame. `created`: its creation, if that is known.
    pub(super) fn too_deep(&mut self, created: Option<Created>) {
        add(&self.slot().too_deep, 1);
        if let Some(cell) = created.and_then(|created| self.cell(created.place)) {
            add(&cell.too_deep, 1);
        }
    }

    /// The part of a task's time for which it was the only one, measured at its end.
    #[inline(always)]
    pub(super) fn alone(&mut self, ran: u64, at: u64) -> Alone {
        Alone::at_end(&self.owner, &mut self.delay_ns, ran, at)
    }

    /// This thread's number in the shared memory, plus one.
    pub(super) fn executor(&self) -> u32 {
        self.owner.number + 1
    }

    /// Increments a counter of this thread.
    pub(super) fn count(&self, what: impl Fn(&TaskThreadSlot) -> &AtomicU64) {
        add(what(self.slot()), 1);
    }
}

impl Table {
    fn find(&self, place: u64) -> usize {
        let mixed = (place ^ place >> 8).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48;
        let start = mixed as usize % ENTRIES;
        let met = |entry: &Entry| entry.place == place || entry.place == 0;
        let after = self.entries.iter().skip(start).position(met).map(|steps| start + steps);
        // There is always an entry that is not in use.
        after.or_else(|| self.entries.iter().position(met)).unwrap_or(start)
    }

    fn entry(&mut self, place: u64) -> Option<&mut Entry> {
        let found = self.find(place);
        let full = self.used >= CAPACITY;
        let entry = self.entries.get_mut(found)?;
        if entry.place == 0 {
            // The special places always fit: there are few of them.
            if full && place >= place::FIRST_ADDRESS {
                return None;
            }
            *entry = Entry { place, cell: None };
            self.used += 1;
        }
        Some(entry)
    }
}

//! Tasks that run at once, on libgomp: their creation, its end and the begin of the execution follow one another with nothing in
//! between but the library and the callbacks here. That takes about as long each time, so only some of them are measured. Of the
//! others neither the end of the creation nor the begin of the execution needs the clock.

use super::{Frame, Kind, NOTHING, Nesting, Since, UNNAMED};
use crate::tasks::books::{Books, Meaning};
use crate::tasks::pool::Created;
use crate::tasks::sampling::Sampling;
use crate::tasks::thread::Origin;

/// Stands for a task whose creation has become its execution, and whose body has not begun.
const BEGINS: u64 = u64::MAX - 1;

impl Nesting {
    /// BEGIN_CREATE_TASK in a task that is executed, or in an implicit one. `id` gives the current task's, if it is at hand. False, and
    /// nothing done: it is as any other.
    #[inline(always)]
    pub(in crate::tasks) fn begin_plain_create(
        &mut self,
        books: &Books,
        at: u64,
        origin: Origin,
        id: impl FnOnce() -> Option<u64>,
    ) -> bool {
        if self.inner > 0 || self.since == Since::EmptyWait {
            return false;
        }
        let Some((creation, task)) = self.frames.free() else { return false };
        let (parent, level, known) = match task {
            None => (0, 1, true),
            Some(task) if task.kind == Kind::Execution && task.finished == 0 => {
                if task.id == UNNAMED {
                    let Some(id) = id() else { return false };
                    task.id = id;
                }
                task.own += at.saturating_sub(self.mark);
                (task.id, task.created.level.saturating_add(1), task.known)
            }
            Some(_) => return false,
        };
        self.mark = at;
        self.since = Since::Other;
        books.creating(parent, level);
        let Meaning { place, taskloop } = origin.meaning;
        let cell = if known { origin.estimated } else { None };
        let created = Created { at: 0, place, level, instance: 0 };
        *creation =
            Frame { kind: Kind::Creation, id: UNNAMED, begun: at, place, taskloop, known, cell, created, ..NOTHING };
        self.frames.enter();
        true
    }

    /// END_CREATE_TASK_IMM without the time: the task takes the place of its creation on the stack. `way` gives the time from then to
    /// the body's begin, unless that is to be measured at [`begin_task`](Self::begin_task). `None`, and nothing done: the creation is
    /// to be measured, or something else was in it. Else: true if the body is taken to have begun.
    #[inline(always)]
    pub(in crate::tasks) fn become_task(
        &mut self,
        books: &mut Books,
        way: impl FnOnce() -> Option<u64>,
    ) -> Option<bool> {
        if self.since != Since::Other || self.frames.overflown() {
            return None;
        }
        let (task, parent) = self.frames.last_two()?;
        let cell = task.cell.filter(|_| task.kind == Kind::Creation && task.own == 0)?;
        let (level, took) = books.created_at_once(cell, task.created.level)?;
        if let Some(parent) = parent {
            parent.children += 1;
        }
        task.kind = Kind::Execution;
        task.level = Some(level);
        let way = way();
        if let Some(way) = way {
            task.begun += took + way;
            self.mark = task.begun;
        } else {
            task.estimated = took;
            self.next = BEGINS;
        }
        Some(way.is_some())
    }

    /// True if the task has become an execution that has not begun: BEGIN_EXEC_TASK comes next.
    #[inline(always)]
    pub(in crate::tasks) fn has_become_task(&self) -> bool {
        self.next == BEGINS
    }

    /// BEGIN_EXEC_TASK of it. `way` says how long after its creation, which is taken to have ended then, the body begins.
    #[inline(always)]
    pub(in crate::tasks) fn begin_task(&mut self, way: impl FnOnce(u64) -> u64) {
        self.next = 0;
        let Some(task) = self.frames.top() else { return };
        let created = task.begun + task.estimated;
        task.begun = created + way(created);
        self.mark = task.begun;
    }

    /// END_FINISH_TASK of it, where nothing was queued in it and it was short. False, and nothing done: the end is as any other.
    #[inline(always)]
    pub(in crate::tasks) fn end_task(&mut self, books: &Books, at: u64) -> bool {
        if self.since == Since::EmptyWait || self.frames.overflown() {
            return false;
        }
        let Some(task) = self.frames.top() else { return false };
        let (Some(cell), Some(level)) = (task.cell, task.level) else { return false };
        let execution = task.own + at.saturating_sub(self.mark);
        let is_plain = !task.queued && task.finished == 0 && task.suspension == 0 && !Sampling::is_long(execution);
        if task.kind != Kind::Execution || !is_plain {
            return false;
        }
        let (suspended, children) = (task.suspensions > 0, task.children);
        self.mark = at;
        self.since = Since::Looking;
        self.frames.leave();
        books.executed_at_once((cell, level), execution, suspended, children);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{A, B, Thread, World, read};
    use std::sync::atomic::Ordering::Relaxed;

    /// Plays a task that runs at once as the callbacks do: true if its creation was not measured. It works for `own`, of which half comes
    /// before the inner one.
    fn task(thread: &mut Thread<'_>, clock: &mut u64, place: u64, own: u64, inner: Option<u64>) -> bool {
        task_created_in(10, thread, clock, place, own, inner)
    }

    /// The same, with this time of the creation.
    fn task_created_in(
        creation: u64,
        thread: &mut Thread<'_>,
        clock: &mut u64,
        place: u64,
        own: u64,
        inner: Option<u64>,
    ) -> bool {
        let mut pass = |time: u64| {
            *clock += time;
            *clock
        };
        thread.begin_create(pass(0), place);
        let created = pass(creation);
        let way = thread.nesting.become_task(&mut thread.books, || own.is_multiple_of(2).then_some(7));
        if let Some(has_begun) = way {
            pass(7);
            if !has_begun {
                thread.nesting.begin_task(|_| 7);
            }
        } else {
            thread.end_create(created, true, [1, 9]);
            // As the callbacks have it skipped.
            thread.begin(created, 1);
            thread.nesting.skip(7);
            pass(7);
        }
        pass(own / 2);
        if let Some(inner) = inner {
            task(thread, clock, B, inner, None);
        }
        *clock += own - own / 2;
        if !thread.nesting.end_task(&thread.books, *clock) {
            thread.end_finish(*clock);
        }
        way.is_some()
    }

    #[test]
    fn most_creations_are_estimated_and_nothing_is_lost() {
        let world = World::new(0);
        let mut thread = world.thread();
        thread.books.trusts_stack = true;
        let mut clock = 1000;
        let quick = (0..1000).filter(|_| task(&mut thread, &mut clock, A, 100, Some(31))).count();
        let measured = 1000 - quick;
        assert!((64 + 936 / 24..=64 + 936_usize.div_ceil(8)).contains(&measured), "{measured}");
        for (place, own) in [(A, 100), (B, 31)] {
            let all = |each| [1000, 1000 * each, each, each];
            assert_eq!(world.times(place, |cell| &cell.creation), all(10), "{place:x}");
            assert_eq!(world.times(place, |cell| &cell.execution), all(own), "{place:x}");
            let cell = world.cells(place)[0];
            assert_eq!((cell.undeferred.load(Relaxed), read(&cell.started)), (1000, 1000));
            assert!((800..=900).contains(&cell.estimated()), "{}", cell.estimated());
        }
        assert_eq!([A, B].map(|place| world.sum(place, |cell| &cell.children)), [1000, 0]);
        assert_eq!([A, B].map(|place| world.sum(place, |cell| &cell.depth)), [1000, 2000]);
        let slot = thread.books.slot();
        assert_eq!(
            [&slot.created, &slot.executed, &slot.execution, &slot.creation].map(read),
            [2000, 2000, 131_000, 20_000]
        );
        assert_eq!([0, 1].map(|level: usize| read(&slot.levels[level].execution)), [100_000, 31_000]);
    }

    #[test]
    fn slow_creations_are_not_booked_as_executions() {
        let world = World::new(0);
        let mut thread = world.thread();
        thread.books.trusts_stack = true;
        let mut clock = 1000;
        for number in 0..10_000 {
            let creation = if number % 20 == 0 { 60_000 } else { 10 };
            task_created_in(creation, &mut thread, &mut clock, A, 100, None);
        }
        assert_eq!(world.times(A, |cell| &cell.execution), [10_000, 1_000_000, 100, 100]);
        assert_eq!(world.times(A, |cell| &cell.creation), [10_000, 500 * 60_000 + 9500 * 10, 10, 60_000]);
    }

    #[test]
    fn the_creations_after_a_long_task_are_measured() {
        let world = World::new(0);
        let mut thread = world.thread();
        thread.books.trusts_stack = true;
        let mut clock = 1000;
        (0..65).for_each(|_| _ = task(&mut thread, &mut clock, A, 100, None));
        // A slow creation that is not measured counts as the task's execution, as its only one.
        assert!(task_created_in(60_010, &mut thread, &mut clock, A, 100, None));
        assert_eq!(world.times(A, |cell| &cell.execution), [66, 66 * 100 + 60_000, 100, 60_100]);
        let quick = (0..64).filter(|_| task_created_in(60_010, &mut thread, &mut clock, A, 100, None)).count();
        assert_eq!(quick, 0);
        assert_eq!(world.times(A, |cell| &cell.execution), [130, 130 * 100 + 60_000, 100, 60_100]);
        assert_eq!(world.cells(A)[0].estimated(), 1);
    }

    #[test]
    fn tasks_that_are_no_plain_ones_are_measured() {
        let world = World::new(0);
        let mut thread = world.thread();
        thread.books.trusts_stack = true;
        let mut clock = 1000;
        (0..65).for_each(|_| _ = task(&mut thread, &mut clock, A, 100, None));
        assert!(task(&mut thread, &mut clock, A, 100, None));
        assert!(!task(&mut thread, &mut clock, B, 100, None), "of a place that is new");
        // Something was in the creation.
        thread.begin_create(clock, A);
        thread.suspend(clock + 5).resume(clock + 9);
        assert_eq!(thread.nesting.become_task(&mut thread.books, || None), None);
        thread.end_create(clock + 20, true, [1, 9]);
        clock += 20;
        thread.begin(clock, 1).end_finish(clock + 4);
        clock += 4;
        // The tasks in it count as those of an inner region.
        thread.nesting.fork();
        assert!(task(&mut thread, &mut clock, A, 100, None), "that is none of a task");
        // Another task is queued in one, which waits for it.
        thread.begin_create(clock, A);
        assert_eq!(thread.nesting.become_task(&mut thread.books, || None), Some(false));
        thread.nesting.begin_task(|created| clock + 30 - created);
        thread.create(clock + 40, clock + 50, B, false, [2, u64::MAX]);
        thread.suspend(clock + 55).begin(clock + 60, 2).end_finish(clock + 70);
        thread.resume(clock + 75);
        assert!(!thread.nesting.end_task(&thread.books, clock + 80));
        thread.end_finish(clock + 80);
        assert_eq!(world.times(A, |cell| &cell.suspension), [1, 20, 20, 20]);
        assert_eq!(world.times(A, |cell| &cell.execution)[2], 4);
    }
}

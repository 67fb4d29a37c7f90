//! Undeferred tasks, on libgomp. Such a task has two events, the start of its creation and its end: those in between are
//! declined. The next event on the thread, of any kind, shows that the creation has become an execution.
//!
//! For some tasks the library stamps the time of that. For the others, the creation counts as long as the typical one of its
//! place, and the overhead of watching as its typical value ([`UndeferredOverhead`]).

use super::{Frame, Kind, NOTHING, Nesting, Since, UNNAMED};
use crate::tasks::meanings::Meaning;
use crate::tasks::pool::Created;
use crate::tasks::thread::Origin;
use crate::tasks::thread_sums::ThreadSums;
use crate::tasks::undeferred_overhead::UndeferredOverhead;
use stat_layout::process_table::add;
use stat_layout::tasks::sampling::Sampling;

/// Number of a task's stages that are stamped ([`Stamps`](ora_client::Stamps)).
const STAGES: u64 = 4;

/// A creation that begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tasks) enum Begun {
    /// Not handled here: it is like any other.
    Not,
    /// All events are needed.
    Whole,
    /// If the task is undeferred, its end is the next event that is needed, and with `stamped` also the times of its
    /// stages.
    Declined { stamped: bool },
}

impl Nesting {
    /// BEGIN_CREATE_TASK in a task that is executed, or in an implicit one. `id` is the current task's id, if it is
    /// available.
    #[inline(always)]
    pub(in crate::tasks) fn begin_plain_create(
        &mut self,
        sums: &mut ThreadSums,
        overhead: &mut UndeferredOverhead,
        at: u64,
        origin: Origin,
        id: impl FnOnce() -> Option<u64>,
    ) -> Begun {
        self.settle(sums, overhead);
        if self.inner > 0 {
            return Begun::Not;
        }
        self.count_waits();
        let Some((creation, task)) = self.frames.free() else { return Begun::Not };
        let (parent, level, known) = match task {
            None => (0, 1, true),
            Some(task) if task.kind == Kind::Execution && task.finished == 0 => {
                if task.id == UNNAMED {
                    let Some(id) = id() else { return Begun::Not };
                    task.id = id;
                }
                task.own += at.saturating_sub(self.mark).saturating_sub(overhead.leave());
                (task.id, task.created.level.saturating_add(1), task.known)
            }
            Some(_) => return Begun::Not,
        };
        self.mark = at;
        self.since = Since::Other;
        sums.creating(parent, level);
        let Meaning { place, taskloop } = origin.meaning;
        let cell = if known && overhead.has_stamps() { origin.estimated } else { None };
        let estimated = cell.and_then(|cell| cell.sampling.skip());
        let (declined, stamped) = (cell.is_some(), cell.is_some() && estimated.is_none());
        let created = Created { at: 0, place, level, instance: 0 };
        *creation = Frame {
            id: UNNAMED,
            begun: at,
            place,
            taskloop,
            known,
            cell,
            created,
            declined,
            stamped,
            estimated: estimated.unwrap_or_default(),
            ..NOTHING
        };
        self.frames.enter();
        if declined { Begun::Declined { stamped } } else { Begun::Whole }
    }

    /// Must precede any event but the end of a creation: the thread executes the task that was created last, if that
    /// creation was declined.
    #[inline(always)]
    pub(in crate::tasks) fn settle(&mut self, sums: &mut ThreadSums, overhead: &mut UndeferredOverhead) {
        if self.frames.top().is_some_and(|top| top.declined) {
            self.become_task(sums, overhead);
        }
    }

    #[inline(always)]
    fn become_task(&mut self, sums: &mut ThreadSums, overhead: &mut UndeferredOverhead) {
        let Some((task, parent)) = self.frames.last_two() else { return };
        task.declined = false;
        let Some(cell) = task.cell else { return };
        let stamps = if task.stamped { overhead.begun(task.begun) } else { None };
        if let Some((took, begun)) = stamps {
            task.begun = begun;
            sums.created_stamped(cell, task.created, took);
            add(&sums.slot().own, STAGES * overhead.stamping());
        } else {
            task.stamped = false;
            sums.created_at_once(cell, task.created.level, task.estimated);
        }
        let enter = cell.shown.enter(overhead.enter(), overhead.leave());
        let estimated = (task.begun + task.estimated).saturating_add_signed(enter);
        let begun = stamps.map_or(estimated, |(_, begun)| begun);
        add(&sums.slot().own, u64::try_from(enter).unwrap_or(0));
        if let Some(parent) = parent {
            parent.children += 1;
        }
        task.kind = Kind::Execution;
        task.level = sums.level_from_1(task.created.level);
        self.mark = begun;
    }

    /// Must precede the end of a creation that was declined in vain: the task was queued, or has all its events. Also the start of a task,
    /// inside of a creation that waits for predecessors.
    #[inline(always)]
    pub(in crate::tasks) fn is_created(&mut self, sums: &ThreadSums, overhead: &UndeferredOverhead) {
        if let Some(creation) = self.frames.top().filter(|top| top.declined) {
            let stamp = if creation.stamped { overhead.stamping() } else { 0 };
            (creation.declined, creation.stamped, creation.cell) = (false, false, None);
            let took = overhead.enter() + overhead.leave();
            self.mark += took;
            add(&sums.slot().own, took + stamp);
        }
    }

    /// END_FINISH_TASK of a declined task that was short and in which nothing was queued. Returns false, having only settled, if
    /// the end is like any other.
    #[inline(always)]
    pub(in crate::tasks) fn end_task(
        &mut self,
        sums: &mut ThreadSums,
        overhead: &mut UndeferredOverhead,
        at: u64,
    ) -> bool {
        self.settle(sums, overhead);
        if self.frames.overflown() {
            return false;
        }
        self.count_waits();
        let Some(task) = self.frames.top() else { return false };
        let (Some(cell), Some(level)) = (task.cell, task.level) else { return false };
        let done = if task.stamped { overhead.done(task.begun, at) } else { at.saturating_sub(overhead.leave()) };
        let execution = task.own + done.saturating_sub(self.mark);
        let is_plain = !task.queued && task.finished == 0 && task.suspension == 0 && !Sampling::is_long(execution);
        if task.kind != Kind::Execution || !is_plain {
            return false;
        }
        let (suspended, children) = (task.suspensions > 0, task.children);
        if children == 0 && task.stamped {
            cell.shown.put_body(execution);
        } else if children == 0 && cell.sampling.is_next() {
            cell.shown.put_whole(at.saturating_sub(task.begun + task.estimated));
        }
        self.mark = at + overhead.leave();
        self.since = Since::Looking;
        self.frames.leave();
        sums.executed_at_once((cell, level), execution, suspended, children);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{A, B, Thread, World, read};
    use super::Begun;
    use std::sync::atomic::Ordering::Relaxed;

    const C: u64 = 0x6000;
    /// From the callback to the runtime, from the runtime to the body, and each way from the program to a callback or back.
    const TO_RUNTIME: u64 = 20;
    const TO_BODY: u64 = 5;
    const WAY: u64 = 3;

    /// A program: a thread, and the time.
    struct Program<'a> {
        thread: Thread<'a>,
        clock: u64,
    }

    impl<'a> Program<'a> {
        /// A program whose thread has learned what watching adds.
        fn new(world: &'a World) -> Self {
            let mut thread = world.thread();
            thread.sums.trusts_stack = true;
            // The first task allocates memory.
            thread.create(1, 2, C, true, [1, 9]).begin(3, 1).end_finish(103);
            let mut program = Self { thread, clock: 1000 };
            program.task(C, 10, 100, |_| ());
            program
        }

        /// Runs an undeferred task. Half of its work, `own`, comes before `inner`. Returns how its creation began.
        fn task(&mut self, place: u64, creation: u64, own: u64, inner: impl FnOnce(&mut Self)) -> Begun {
            let mut stamps = [0; 4];
            self.clock += WAY;
            let begun = self.thread.begin_create(self.clock, place);
            for (stamp, time) in stamps.iter_mut().zip([TO_RUNTIME, creation, TO_BODY]) {
                self.clock += time;
                *stamp = self.clock;
            }
            match begun {
                Begun::Declined { stamped: true } => self.thread.stamps.set(stamps),
                Begun::Declined { stamped: false } => {}
                Begun::Not | Begun::Whole => {
                    self.thread.end_create(stamps[1], true, [1, 9]);
                    self.thread.begin(stamps[2], 1);
                }
            }
            self.clock += own / 2;
            inner(self);
            self.clock += own - own / 2;
            if begun == (Begun::Declined { stamped: true }) {
                let [created, entered, begun, _] = stamps;
                self.thread.stamps.set([created, entered, begun, self.clock]);
            }
            self.clock += WAY;
            self.end();
            self.clock += WAY;
            begun
        }

        fn end(&mut self) {
            let Thread { nesting, sums, overhead, .. } = &mut self.thread;
            if !nesting.end_task(sums, overhead, self.clock) {
                self.thread.end_finish(self.clock);
            }
        }
    }

    const ESTIMATED: Begun = Begun::Declined { stamped: false };

    #[test]
    fn most_creations_are_estimated_and_nothing_is_lost() {
        let world = World::new(0);
        let mut program = Program::new(&world);
        let one = |program: &mut Program<'_>| program.task(A, 10, 100, |program| _ = program.task(B, 10, 31, |_| ()));
        let estimated = (0..1000).filter(|_| one(&mut program) == ESTIMATED).count();
        let measured = 1000 - estimated;
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
        let slot = program.thread.sums.slot();
        assert_eq!(
            [&slot.created, &slot.executed, &slot.execution, &slot.creation].map(read),
            [2002, 2002, 131_200, 20_011]
        );
        assert_eq!([0, 1].map(|level: usize| read(&slot.levels[level].execution)), [100_200, 31_000]);
    }

    #[test]
    fn slow_creations_are_not_booked_as_executions() {
        let world = World::new(0);
        let mut program = Program::new(&world);
        for number in 0..10_000 {
            program.task(A, if number % 20 == 0 { 60_000 } else { 10 }, 100, |_| ());
        }
        assert_eq!(world.times(A, |cell| &cell.execution), [10_000, 1_000_000, 100, 100]);
        assert_eq!(world.times(A, |cell| &cell.creation), [10_000, 500 * 60_000 + 9500 * 10, 10, 60_000]);
    }

    #[test]
    fn the_creations_after_a_long_task_are_measured() {
        let world = World::new(0);
        let mut program = Program::new(&world);
        (0..65).for_each(|_| _ = program.task(A, 10, 100, |_| ()));
        // A slow creation that is not measured counts as the task's execution, as its only one. Long tasks end like all others,
        // whose path out is not known.
        assert_eq!(program.task(A, 60_010, 100, |_| ()), ESTIMATED);
        let slow = 60_100 + WAY;
        assert_eq!(world.times(A, |cell| &cell.execution), [66, 65 * 100 + slow, 100, slow]);
        let quick = (0..64).filter(|_| program.task(A, 60_010, 100, |_| ()) == ESTIMATED).count();
        assert_eq!(quick, 0);
        assert_eq!(world.times(A, |cell| &cell.execution), [130, 129 * 100 + slow, 100, slow]);
        assert_eq!(world.cells(A)[0].estimated(), 1);
    }

    #[test]
    fn a_task_that_is_queued_or_has_all_its_events_is_measured() {
        let world = World::new(0);
        let mut program = Program::new(&world);
        let own = |program: &Program<'_>| read(&program.thread.sums.slot().own);
        let before = own(&program);
        for (id, at_once) in [(1, true), (2, false)] {
            let Program { thread, clock } = &mut program;
            assert_eq!(thread.begin_create(*clock, A), Begun::Declined { stamped: true });
            // Nothing is stamped: the stages of the last task still are.
            *clock += TO_RUNTIME + 10 + TO_BODY + WAY;
            thread.end_create(*clock, at_once, [id, 9]);
            thread.begin(*clock, id).end_finish(*clock + 40);
            *clock += 100;
        }
        assert_eq!(world.times(A, |cell| &cell.creation), [2, 20, 10, 10]);
        assert_eq!(world.times(A, |cell| &cell.execution), [2, 80, 40, 40]);
        assert_eq!(world.cells(A)[0].undeferred.load(Relaxed), 1);
        assert_eq!(own(&program) - before, 2 * (TO_RUNTIME + TO_BODY + WAY));
    }

    #[test]
    fn tasks_that_run_while_a_creation_waits_for_its_predecessors_are_not_in_the_new_task() {
        let world = World::new(0);
        let mut program = Program::new(&world);
        let Program { thread, clock } = &mut program;
        thread.create(*clock, *clock + 10, B, false, [1, 9]);
        assert_eq!(thread.begin_create(*clock + 10, A), Begun::Declined { stamped: true });
        thread.begin(*clock + 20, 1).end_finish(*clock + 50);
        thread.end_create(*clock + 60, true, [2, 9]);
        thread.begin(*clock + 60, 2).end_finish(*clock + 100);
        for (place, execution) in [(A, 40), (B, 30)] {
            assert_eq!(world.times(place, |cell| &cell.execution), [1, execution, execution, execution], "{place:x}");
            assert_eq!(world.sum(place, |cell| &cell.depth), 1, "{place:x}");
        }
        assert!(!thread.nesting.is_busy(), "nothing is left");
    }

    #[test]
    fn whatever_happens_in_a_task_finds_it_executed() {
        let world = World::new(0);
        let mut program = Program::new(&world);
        let in_a_region = |program: &mut Program<'_>| {
            program.thread.settle().nesting.fork();
            // The tasks in it belong to an inner region.
            assert_eq!(program.task(B, 10, 31, |_| ()), Begun::Not);
            program.thread.nesting.join();
        };
        program.task(A, 10, 100, in_a_region);
        // It waits for a task that it has queued.
        program.task(A, 10, 100, |program| {
            let Program { thread, clock } = program;
            assert_eq!(thread.begin_create(*clock + WAY, B), Begun::Declined { stamped: true });
            *clock += WAY + TO_RUNTIME + 10 + TO_BODY + WAY;
            thread.end_create(*clock, false, [2, 1]);
            thread.suspend(*clock + 5).begin(*clock + 10, 2).end_finish(*clock + 30);
            thread.resume(*clock + 35);
            *clock += 35;
        });
        assert_eq!(world.times(A, |cell| &cell.suspension), [1, 30, 30, 30]);
        assert_eq!(world.times(A, |cell| &cell.execution)[0], 2);
        assert_eq!(world.sum(A, |cell| &cell.children), 1);
        assert_eq!(world.times(B, |cell| &cell.execution)[2..], [20, 31 + WAY]);
    }
}

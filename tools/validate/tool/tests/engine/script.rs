//! Scripts of events. A script acts as a runtime that complies with the specification, unless a test says otherwise.

use ora_validator::answers::Answers;
use ora_validator::engine::{Engine, EventContext, Place};
use validate_layout::counts::Counts;
use validate_layout::event::{Chunk, Dependence, Event, Frame, Mutex, Sync, Word};
use validate_layout::release::Release;

pub(crate) const BEGIN: i32 = 1;
pub(crate) const END: i32 = 2;

pub(crate) const EXPLICIT: i32 = 4;
pub(crate) const UNDEFERRED: i32 = 0x0800_0000;
pub(crate) const UNTIED: i32 = 0x1000_0000;

pub(crate) const COMPLETE: i32 = 1;
pub(crate) const DETACH: i32 = 4;
pub(crate) const LATE_FULFILL: i32 = 6;
pub(crate) const SWITCH: i32 = 7;
pub(crate) const TASKWAIT_COMPLETE: i32 = 8;

pub(crate) const BARRIER: i32 = 3;
pub(crate) const TASKWAIT: i32 = 5;
pub(crate) const TASKGROUP: i32 = 6;
pub(crate) const LAST_BARRIER: i32 = 9;

pub(crate) const LOOP: i32 = 1;
pub(crate) const LOOP_STATIC: i32 = 10;
const LOOP_CHUNK: i32 = 3;

pub(crate) const TEAM: i32 = i32::MIN | 1;
pub(crate) const CODE: u64 = 0x4000;

/// An engine that receives a script's events.
pub(crate) struct Script {
    engine: Engine,
    found: Vec<&'static str>,
    pub(crate) answers: Option<Answers>,
    pub(crate) place: Place,
}

pub(crate) fn word(value: u64) -> Option<Word> {
    Some(Word { at: 0x1000, value })
}

pub(crate) fn frame() -> Option<Frame> {
    Some(Frame { exit: 0x7000, enter: 0x6000, exit_flags: 0x20, enter_flags: 0x20 })
}

impl Script {
    /// A script on a runtime that must comply with every rule.
    pub(crate) fn strict() -> Self {
        Self::on(false)
    }

    /// A script on libomp.
    pub(crate) fn libomp() -> Self {
        Self::on(true)
    }

    /// A script on libomp, which is checked against a release.
    pub(crate) fn held_to(release: Release) -> Self {
        let mut script = Self::on(true);
        script.engine = Engine::new(true, Box::leak(Box::new(Counts::new()))).held_to(release);
        script
    }

    fn on(llvm: bool) -> Self {
        let engine = Engine::new(llvm, Box::leak(Box::new(Counts::new())));
        Self { engine, found: Vec::new(), answers: None, place: Place::Program }
    }

    /// Ids of the rules that were violated since the last call.
    pub(crate) fn found(&mut self) -> Vec<&'static str> {
        std::mem::take(&mut self.found)
    }

    /// Asserts that nothing was found since the last call.
    #[track_caller]
    pub(crate) fn is_clean(&mut self) {
        assert_eq!(self.found(), [""; 0]);
    }

    pub(crate) fn engine(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// Raises an event; returns the value for its new word.
    pub(crate) fn event(&mut self, thread: u64, event: Event) -> u64 {
        let around = EventContext { thread, answers: self.answers.clone(), place: self.place };
        let mark = self.engine.take(&event, &around);
        self.found.extend(self.engine.fresh().into_iter().map(|finding| finding.rule.about().id));
        mark.unwrap_or_default()
    }

    pub(crate) fn thread_begin(&mut self, thread: u64, kind: i32) -> u64 {
        self.event(thread, Event::ThreadBegin { kind, thread: word(0) })
    }

    /// Starts the first thread, with its initial task.
    pub(crate) fn initial(&mut self, thread: u64) -> u64 {
        self.thread_begin(thread, 1);
        self.implicit(thread, BEGIN, None, 0, (1, 1, 1))
    }

    /// Raises `implicit_task`; the last three are `actual_parallelism`, `index` and `flags`.
    pub(crate) fn implicit(
        &mut self,
        thread: u64,
        end: i32,
        region: Option<u64>,
        task: u64,
        how: (u32, u32, i32),
    ) -> u64 {
        let (actual, index, flags) = how;
        let parallel = region.and_then(word);
        self.event(thread, Event::ImplicitTask { endpoint: end, parallel, task: word(task), actual, index, flags })
    }

    pub(crate) fn parallel_begin(&mut self, thread: u64, by: u64, requested: u32) -> u64 {
        let (encountering, parallel) = (word(by), word(0));
        self.event(
            thread,
            Event::ParallelBegin { encountering, frame: frame(), parallel, requested, flags: TEAM, code: CODE },
        )
    }

    pub(crate) fn parallel_end(&mut self, thread: u64, region: u64, by: u64) {
        self.event(
            thread,
            Event::ParallelEnd { parallel: word(region), encountering: word(by), flags: TEAM, code: CODE },
        );
    }

    /// Starts a region on threads 1 to `size`; returns its number, and its implicit tasks.
    pub(crate) fn region(&mut self, by: u64, size: u32) -> (u64, Vec<u64>) {
        let region = self.parallel_begin(1, by, size);
        let member = |index| self.implicit(u64::from(index) + 1, BEGIN, Some(region), 0, (size, index, 2));
        (region, (0..size).map(member).collect())
    }

    /// Ends a region on the primary thread: the last barrier, its implicit task, the region.
    pub(crate) fn join(&mut self, region: u64, by: u64, members: &[u64]) {
        for (thread, task) in (1..).zip(members) {
            self.sync(thread, LAST_BARRIER, BEGIN, Some(region), *task);
        }
        self.sync(1, LAST_BARRIER, END, None, members[0]);
        self.implicit(1, END, None, members[0], (0, 0, 2));
        self.parallel_end(1, region, by);
    }

    /// Ends a worker's part of a region, possibly later.
    pub(crate) fn leave(&mut self, index: u32, task: u64) {
        let thread = u64::from(index) + 1;
        self.sync(thread, LAST_BARRIER, END, None, task);
        self.implicit(thread, END, None, task, (0, index, 2));
    }

    pub(crate) fn sync(&mut self, thread: u64, kind: i32, endpoint: i32, region: Option<u64>, task: u64) {
        let parallel = region.and_then(word);
        let event = Event::Sync { which: Sync::Region, kind, endpoint, parallel, task: word(task), code: CODE };
        self.event(thread, event);
    }

    /// A barrier of two threads, up to the point at which the first one leaves.
    pub(crate) fn barrier(&mut self, region: u64, tasks: &[u64]) {
        for endpoint in [BEGIN, END] {
            for (thread, task) in (1..).zip(tasks) {
                self.sync(thread, BARRIER, endpoint, Some(region), *task);
            }
        }
    }

    pub(crate) fn create(&mut self, thread: u64, by: u64, flags: i32) -> u64 {
        self.create_with(thread, by, flags, 0)
    }

    pub(crate) fn create_with(&mut self, thread: u64, by: u64, flags: i32, has_dependences: i32) -> u64 {
        let (encountering, task) = (word(by), word(0));
        let event = Event::TaskCreate { encountering, frame: frame(), task, flags, has_dependences, code: CODE };
        self.event(thread, event)
    }

    pub(crate) fn schedule(&mut self, thread: u64, prior: u64, status: i32, next: u64) {
        self.event(thread, Event::TaskSchedule { prior: word(prior), status, next: word(next) });
    }

    /// Raises `task_schedule` with a status that doesn't have a next task.
    pub(crate) fn fulfill(&mut self, thread: u64, task: u64, status: i32) {
        self.event(thread, Event::TaskSchedule { prior: word(task), status, next: None });
    }

    /// Runs a task on a thread from its start to its end.
    pub(crate) fn execute(&mut self, thread: u64, current: u64, task: u64) {
        self.schedule(thread, current, SWITCH, task);
        self.schedule(thread, task, COMPLETE, current);
    }

    pub(crate) fn dependences(&mut self, thread: u64, task: u64, kinds: &[i32]) {
        let dependences: Vec<_> = kinds.iter().map(|kind| Dependence { variable: 8, kind: *kind }).collect();
        let count = i32::try_from(kinds.len()).unwrap();
        self.event(thread, Event::Dependences { task: word(task), dependences, count });
    }

    pub(crate) fn work(&mut self, thread: u64, kind: i32, endpoint: i32, region: u64, task: u64) {
        let (parallel, task) = (word(region), word(task));
        self.event(thread, Event::Work { kind, endpoint, parallel, task, count: 1, code: CODE });
    }

    /// Starts or ends a loop.
    pub(crate) fn loop_of(&mut self, thread: u64, endpoint: i32, region: u64, task: u64, (kind, count): (i32, u64)) {
        let (parallel, task) = (word(region), word(task));
        self.event(thread, Event::Work { kind, endpoint, parallel, task, count, code: CODE });
    }

    pub(crate) fn chunk(&mut self, thread: u64, region: u64, task: u64, (start, iterations): (u64, u64)) {
        let (parallel, task) = (word(region), word(task));
        let chunk = Some(Chunk { start, iterations });
        self.event(thread, Event::Dispatch { parallel, task, kind: LOOP_CHUNK, instance: 0x2000, chunk });
    }

    pub(crate) fn cancel(&mut self, thread: u64, task: u64, flags: i32) {
        self.event(thread, Event::Cancel { task: word(task), flags, code: CODE });
    }

    pub(crate) fn acquire(&mut self, thread: u64, kind: i32, wait: u64) {
        self.event(thread, Event::MutexAcquire { init: false, kind, hint: 0, implementation: 0, wait, code: CODE });
    }

    pub(crate) fn mutex(&mut self, thread: u64, which: Mutex, kind: i32, wait: u64) {
        self.event(thread, Event::Mutex { which, kind, wait, code: CODE });
    }
}

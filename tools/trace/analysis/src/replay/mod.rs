//! From events to slices: the activities of each thread, from the events of its lane.

mod tasks;

use trace_format::{Chunk, Event, Kind, id};

use crate::by_id::ById;
use crate::clock::Ticks;
use crate::kinds::is_barrier;
use crate::stack::Stack;
use crate::task::implicit_key;
use crate::{Counts, Region, Slice, Task, Thread, What};

/// `ompt_thread_initial`
pub(crate) const INITIAL: u16 = 1;

/// Maximum number of threads of a process that only start and end. A damaged recording has tens of thousands of them in a few
/// kilobytes, and some formats create two files for each thread.
pub const MAX_EVENTLESS_THREADS: usize = 1024;

/// Content of the lanes of a process.
#[derive(Debug, Default)]
pub(crate) struct Replayed {
    pub(crate) threads: Vec<Thread>,
    pub(crate) regions: Vec<Region>,
    pub(crate) region_index: ById,
    pub(crate) tasks: Vec<Task>,
    pub(crate) task_index: ById,
    pub(crate) dependences: Vec<(u64, u64)>,
    pub(crate) counts: Counts,
    pub(crate) recorder_ns: u64,
    eventless_threads: usize,
}

impl Replayed {
    /// Number of regions, tasks and dependences, each of which may name its thread.
    fn named(&self) -> usize {
        self.regions.len() + self.tasks.len() + self.dependences.len()
    }

    fn region(&mut self, id: u64) -> &mut Region {
        let next = u32::try_from(self.regions.len()).unwrap_or(u32::MAX);
        let index = self.region_index.get_or_insert(id, next);
        if index == next {
            self.regions.push(Region { id, ..Region::default() });
        }
        self.regions.get_mut(index as usize).expect("the index has places of this list")
    }

    fn task(&mut self, id: u64) -> &mut Task {
        let next = u32::try_from(self.tasks.len()).unwrap_or(u32::MAX);
        let index = self.task_index.get_or_insert(id, next);
        if index == next {
            self.tasks.push(Task { id, ..Task::default() });
        }
        self.tasks.get_mut(index as usize).expect("the index has places of this list")
    }
}

/// Replays the chunks of one lane, which are in order. `before_ns`: start of a recording of a process that was
/// already running.
pub(crate) fn lane(replayed: &mut Replayed, ticks: &Ticks, chunks: &[Chunk<'_>], before_ns: Option<u64>) {
    let state = State { before_ns, ..State::default() };
    let mut lane = Lane { replayed, ticks, thread: Thread::default(), index: 0, stack: Stack::default(), state };
    let mut expected = 0;
    for chunk in chunks {
        if chunk.header.number != expected && expected != 0 {
            lane.pass_over_lost(chunk.header.begin);
        }
        expected = chunk.header.number.wrapping_add(1);
        lane.state.number = chunk.header.lane;
        (lane.state.regions, lane.state.tasks) = (chunk.header.regions, chunk.header.tasks);
        if !lane.state.has_begun && chunk.header.tid != 0 {
            // Its start is overwritten.
            lane.state.now_ns = lane.state.now_ns.max(lane.ticks.ns(chunk.header.begin));
            lane.begin_thread();
            (lane.thread.tid, lane.thread.kind) = (chunk.header.tid, chunk.header.thread_kind);
        }
        let mut events = chunk.events();
        for event in events.by_ref() {
            lane.event(&event);
        }
        lane.replayed.counts.unknown += events.unknown() as u64;
    }
    lane.finish_last_thread();
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// Number of the lane.
    number: u32,
    /// Regions begun and tasks created so far.
    regions: u64,
    tasks: u64,
    /// The task of the next dependence, if it isn't the last one.
    dependence_of: u64,
    /// Implicit tasks of the thread so far.
    implicit: u32,
    now_ns: u64,
    /// Time since which all events of the thread are known.
    known_ns: u64,
    has_begun: bool,
    /// Start of the recording, as long as the thread may be in a region that had started before.
    before_ns: Option<u64>,
    /// [`Replayed::named`] at the start of the thread.
    named_before: usize,
}

struct Lane<'r> {
    replayed: &'r mut Replayed,
    ticks: &'r Ticks,
    thread: Thread,
    /// Index that the thread will have.
    index: u32,
    stack: Stack,
    state: State,
}

impl Lane<'_> {
    fn event(&mut self, event: &Event) {
        // Times in one lane never decrease, even if the clock's do.
        let last_ns = self.state.now_ns;
        self.state.now_ns = self.ticks.ns(event.tick).max(last_ns);
        let is_used = self.thread.tid != 0 || !self.thread.slices.is_empty();
        let is_another = is_used && u64::from(self.thread.tid) != event.word;
        if event.kind == Kind::ThreadBegin && self.state.has_begun && is_another {
            self.finish_thread(self.thread.end_ns);
        }
        if !self.state.has_begun {
            self.begin_thread();
        }
        if !matches!(event.kind, Kind::MutexAcquired | Kind::Recorder | Kind::ClockPair) {
            self.stack.end_test(&mut self.thread);
        }
        self.region_begun_before(event, last_ns);
        self.thread.end_ns = self.state.now_ns;
        self.replayed.counts.events += u64::from(!matches!(event.kind, Kind::Recorder | Kind::ClockPair));
        match event.kind {
            Kind::ThreadBegin => {
                (self.thread.tid, self.thread.kind) = (u32::try_from(event.word).unwrap_or(0), event.operand);
            }
            Kind::ThreadEnd => self.finish_thread(self.thread.end_ns),
            Kind::RegionBegin | Kind::LeagueBegin | Kind::RegionEnd => self.region(event),
            Kind::ImplicitBegin | Kind::ImplicitEnd => self.implicit(event),
            Kind::TaskCreate | Kind::TaskSchedule => self.task(event),
            Kind::DependenceOf => self.state.dependence_of = event.word,
            Kind::Dependence => self.dependence(event.word),
            Kind::WaitBegin | Kind::WaitEnd | Kind::GroupBegin | Kind::GroupEnd => self.wait(event),
            Kind::MutexAcquire | Kind::MutexAcquired | Kind::MutexReleased => self.mutex(event),
            Kind::WorkBegin => self.push(What::Work(small(event.operand)), event.word, 0, 0),
            Kind::WorkEnd => self.pop(|slice| matches!(slice.what, What::Work(_))),
            Kind::MaskedBegin => self.push(What::Masked, event.word, 0, 0),
            Kind::MaskedEnd => self.pop(|slice| slice.what == What::Masked),
            Kind::Recorder => self.recorder(event),
            Kind::Cancel | Kind::Control | Kind::ClockPair => {}
        }
    }

    /// A thread that reaches a barrier or a work-sharing region, and has started no implicit task, is in a region that had started before
    /// the recording. The end of that region is not reported: it is assumed when the thread starts another one.
    fn region_begun_before(&mut self, event: &Event, last_ns: u64) {
        let is_before = |slice: &Slice| slice.what == What::Before;
        match event.kind {
            // A thread that existed before is reported as an initial one with its first event.
            Kind::ThreadBegin if event.operand == INITIAL => return,
            Kind::ThreadBegin | Kind::RegionBegin | Kind::LeagueBegin => {}
            Kind::ImplicitBegin if event.word != 0 => {}
            Kind::WaitBegin if !is_barrier(small(event.operand)) => return,
            Kind::WaitBegin | Kind::WorkBegin | Kind::MaskedBegin => {
                let Some(before_ns) = self.state.before_ns.filter(|_| self.stack.is_empty()) else { return };
                self.state.before_ns = None;
                let ends = self.thread.slices.iter().filter(|slice| !slice.is_apart).map(|slice| slice.end_ns);
                let begin_ns = ends.max().unwrap_or(before_ns).min(self.state.now_ns);
                self.thread.begin_ns = self.thread.begin_ns.min(begin_ns);
                let what = What::Before;
                let slice = Slice {
                    begin_ns,
                    end_ns: 0,
                    code: 0,
                    id: 0,
                    busy_ns: 0,
                    number: 0,
                    depth: 0,
                    what,
                    is_apart: false,
                };
                self.stack.push(&mut self.thread, slice, 0);
                return;
            }
            _ => return,
        }
        self.state.before_ns = None;
        if self.stack.innermost(&self.thread).is_some_and(is_before) {
            self.stack.pop(&mut self.thread, last_ns, is_before);
        }
    }

    /// Skips events that were overwritten between two chunks: open slices end at the last known event, and later ones start at the tick
    /// `next` or after it.
    fn pass_over_lost(&mut self, next: u64) {
        for id in self.stack.regions(&self.thread) {
            self.replayed.region(id).end_ns = self.state.now_ns;
        }
        self.stack.close(&mut self.thread, self.state.now_ns);
        self.state.known_ns = self.ticks.ns(next).max(self.state.now_ns);
    }

    fn begin_thread(&mut self) {
        self.index = u32::try_from(self.replayed.threads.len()).unwrap_or(u32::MAX);
        self.thread = Thread { begin_ns: self.state.now_ns, end_ns: self.state.now_ns, ..Thread::default() };
        (self.state.implicit, self.state.has_begun, self.state.known_ns) = (0, true, self.state.now_ns);
        self.state.named_before = self.replayed.named();
    }

    /// A worker reports nothing more if the process ends before it wakes from a barrier: it waits up to the region's end, or for ever.
    fn finish_last_thread(&mut self) {
        let is_barrier = self.stack.innermost(&self.thread).is_some_and(Slice::is_barrier);
        let is_task = |slice: &Slice| slice.what == What::Task;
        let waits = is_barrier && !self.stack.has(&self.thread, is_task);
        self.finish_thread(if waits { u64::MAX } else { self.thread.end_ns });
    }

    /// `end_ns`: end of open slices.
    fn finish_thread(&mut self, end_ns: u64) {
        if std::mem::take(&mut self.state.has_begun) {
            self.stack.close(&mut self.thread, end_ns);
            self.thread.slices.shrink_to_fit();
            let thread = std::mem::take(&mut self.thread);
            if thread.slices.is_empty() && self.replayed.named() == self.state.named_before {
                if self.replayed.eventless_threads == MAX_EVENTLESS_THREADS {
                    self.replayed.counts.threads_left_out += 1;
                    return;
                }
                self.replayed.eventless_threads += 1;
            }
            self.replayed.threads.push(thread);
        }
    }

    fn push(&mut self, what: What, code: u64, id: u64, key: u64) {
        self.push_numbered(what, code, id, key, 0);
    }

    fn push_numbered(&mut self, what: What, code: u64, id: u64, key: u64, number: u32) -> usize {
        let begin_ns = self.state.now_ns;
        let slice = Slice { begin_ns, end_ns: 0, code, id, busy_ns: 0, number, depth: 0, what, is_apart: false };
        self.stack.push(&mut self.thread, slice, key)
    }

    fn pop(&mut self, is_it: impl Fn(&Slice) -> bool) {
        self.stack.pop(&mut self.thread, self.state.now_ns, is_it);
    }

    fn region(&mut self, event: &Event) {
        let now_ns = self.state.now_ns;
        if event.kind == Kind::RegionEnd {
            let region = self.replayed.region(event.word);
            (region.end_ns, region.is_over) = (now_ns, true);
            if region.begin_ns == 0 {
                // Its start was overwritten.
                (region.begin_ns, region.thread) = (self.state.known_ns, self.index);
            }
            return self.pop(|slice| slice.what == What::Region && slice.id == event.word);
        }
        self.state.regions = self.state.regions.wrapping_add(1);
        let id = id(self.state.number, self.state.regions);
        let is_league = event.kind == Kind::LeagueBegin;
        let index = self.index;
        let region = self.replayed.region(id);
        (region.code, region.thread, region.begin_ns, region.is_league) = (event.word, index, now_ns, is_league);
        if is_league {
            self.replayed.counts.leagues += 1;
        } else {
            self.replayed.counts.regions += 1;
        }
        self.push(What::Region, event.word, id, 0);
    }

    fn implicit(&mut self, event: &Event) {
        if event.kind == Kind::ImplicitEnd {
            return self.pop(|slice| slice.what == What::Implicit);
        }
        // An initial task lasts as long as its thread.
        if event.word == 0 {
            return;
        }
        self.state.implicit += 1;
        self.replayed.counts.implicit_tasks += 1;
        self.replayed.region(event.word).team += 1;
        let key = implicit_key(self.index, self.state.implicit);
        self.push_numbered(What::Implicit, 0, event.word, key, event.operand.into());
    }

    fn wait(&mut self, event: &Event) {
        match event.kind {
            Kind::GroupBegin => return self.push(What::Group, event.word, 0, 0),
            Kind::GroupEnd => return self.pop(|slice| slice.what == What::Group),
            Kind::WaitEnd => return self.pop(|slice| matches!(slice.what, What::Wait(_))),
            _ => {}
        }
        let kind = small(event.operand);
        let counts = &mut self.replayed.counts;
        match kind {
            3 => counts.explicit_barriers += 1,
            5 => counts.taskwaits += 1,
            6 => counts.taskgroups += 1,
            kind if is_barrier(kind) => counts.implicit_barriers += 1,
            _ => {}
        }
        let barrier = if is_barrier(kind) { self.stack.next_barrier(&self.thread) } else { None };
        let (id, number) = barrier.unwrap_or((self.current(), 0));
        self.push_numbered(What::Wait(kind), event.word, id, 0, number);
    }

    fn mutex(&mut self, event: &Event) {
        let kind = small(event.operand);
        match event.kind {
            Kind::MutexAcquire => self.push(What::MutexWait(kind), event.word, 0, 0),
            Kind::MutexAcquired => {
                let counts = &mut self.replayed.counts;
                match kind {
                    5 => counts.criticals += 1,
                    6 => counts.atomics += 1,
                    7 => counts.ordered += 1,
                    _ => counts.locks += 1,
                }
                let is_wait = |slice: &Slice| matches!(slice.what, What::MutexWait(_));
                let is_inner = self.stack.innermost(&self.thread).is_some_and(is_wait);
                let mut code = 0;
                if is_inner && let Some(wait) = self.stack.pop(&mut self.thread, self.state.now_ns, is_wait) {
                    code = wait.code;
                    if let Some(wait) = self.thread.slices.last_mut().filter(|last| is_wait(last)) {
                        wait.id = event.word;
                    }
                }
                self.push(What::Mutex(kind), code, event.word, 0);
            }
            _ => self.stack.release(&mut self.thread, self.state.now_ns, event.word),
        }
    }

    fn recorder(&mut self, event: &Event) {
        let now_ns = self.state.now_ns;
        let begin_ns = self.ticks.ns(event.tick.saturating_sub(event.word)).min(now_ns);
        self.replayed.recorder_ns = self.replayed.recorder_ns.saturating_add(now_ns.saturating_sub(begin_ns));
    }
}

fn small(operand: u16) -> u8 {
    u8::try_from(operand).unwrap_or(u8::MAX)
}

//! The OMPT tool: records an event for each callback.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use ompt_tool::{
    Callback, Cancel, ControlTool, Endpoint, ImplicitTask, Masked, MutexAcquire, MutexEvent, ParallelBegin,
    ParallelEnd, Runtime, SetResult, SyncKind, SyncRegion, TaskCreate, TaskDependence, TaskSchedule, TaskStatus,
    ThreadBegin, ThreadEnd, Tool, Work,
};
use system::threads;
use trace_format::{Clock, Kind, task_flag};

use crate::lane::{self, Lane};
use crate::settings::{group, settings};
use crate::{clock, definitions, file, file_header, fork, session};

/// The recorder.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    /// True if the runtime doesn't report waits: the synchronization regions replace them.
    has_no_waits: AtomicBool,
    /// Time of the last pair of clocks, in ticks.
    paired: AtomicU64,
}

ompt_tool::export!(Recorder);

/// Ticks between two pairs of clocks: about a second of a processor's counter.
const PAIR_TICKS: u64 = 1 << 31;

/// Callbacks of each group of events.
const GROUPS: [(u32, &[Callback]); 5] = [
    (group::REGIONS, &[Callback::ParallelBegin, Callback::ParallelEnd, Callback::ImplicitTask, Callback::Cancel]),
    (group::SYNC, &[Callback::SyncRegion, Callback::SyncRegionWait]),
    (group::TASKS, &[Callback::TaskCreate, Callback::TaskSchedule, Callback::TaskDependence]),
    (group::LOCKS, &[Callback::MutexAcquire, Callback::MutexAcquired, Callback::MutexReleased]),
    (group::WORK, &[Callback::Work, Callback::Masked]),
];

impl Tool for Recorder {
    type Thread = ();
    /// Id of the region.
    type Parallel = u64;
    /// Id of an explicit task; 0 for any other.
    type Task = u64;

    const CALLBACKS: &'static [Callback] = &[
        Callback::ThreadBegin,
        Callback::ThreadEnd,
        Callback::ControlTool,
        Callback::ParallelBegin,
        Callback::ParallelEnd,
        Callback::ImplicitTask,
        Callback::Cancel,
        Callback::SyncRegion,
        Callback::SyncRegionWait,
        Callback::TaskCreate,
        Callback::TaskSchedule,
        Callback::TaskDependence,
        Callback::MutexAcquire,
        Callback::MutexAcquired,
        Callback::MutexReleased,
        Callback::Work,
        Callback::Masked,
    ];

    fn start(runtime: Runtime<Self>) -> Option<Self> {
        settings().folder?;
        system::quick_exit::prepare();
        clock::choose();
        definitions::set_runtime(runtime.runtime_version());
        if !file::is_open() {
            return None;
        }
        fork::set_up();
        Some(Self::default())
    }

    fn wanted(&self) -> Vec<Callback> {
        let chosen = settings().events;
        let is_left_out = |callback: &Callback| {
            GROUPS.iter().any(|(group, callbacks)| chosen & group == 0 && callbacks.contains(callback))
        };
        Self::CALLBACKS.iter().copied().filter(|callback| !is_left_out(callback)).collect()
    }

    fn registered(&self, answers: &[(Callback, SetResult)]) {
        let waits = answers.iter().find(|(callback, _)| *callback == Callback::SyncRegionWait);
        self.has_no_waits.store(waits.is_some_and(|(_, answer)| !answer.is_reported()), Relaxed);
    }

    fn finalize(&self) {
        file::end(&lane::thread_numbers());
    }

    fn thread_begin(&self, event: ThreadBegin<'_, Self>) {
        if let Some(lane) = lane_here() {
            lane.begin_thread(number(event.kind.into()), threads::id());
        }
    }

    fn thread_end(&self, _: ThreadEnd<'_, Self>) {
        put(Kind::ThreadEnd, 0, 0);
        if let Some(lane) = lane_here() {
            lane.end_thread();
        }
    }

    fn parallel_begin(&self, event: ParallelBegin<'_, Self>) {
        let Some(lane) = lane_here() else { return };
        let kind = if event.flags.is_league() { Kind::LeagueBegin } else { Kind::RegionBegin };
        note_code(lane, event.code);
        // Counted after the event: a chunk that starts with it has the number of those before.
        let now = lane.put(kind, number(event.requested), event.code as u64);
        event.parallel.set(lane.count_region());
        if settings().slow_ns > 0 {
            lane.open_regions.begin(clock::monotonic_ns());
        }
        self.pair_clocks(lane, now);
    }

    fn parallel_end(&self, event: ParallelEnd<'_, Self>) {
        let Some(lane) = lane_here() else { return };
        lane.put(Kind::RegionEnd, 0, event.parallel.get());
        let slow_ns = settings().slow_ns;
        if slow_ns > 0
            && let Some(begin_ns) = lane.open_regions.end()
        {
            let end_ns = clock::monotonic_ns();
            if end_ns.saturating_sub(begin_ns) >= slow_ns {
                file_header::keep_window(begin_ns, end_ns);
            }
        }
    }

    fn implicit_task(&self, event: ImplicitTask<'_, Self>) {
        let (kind, region) = match event.endpoint {
            Endpoint::Begin => (Kind::ImplicitBegin, event.parallel.get()),
            _ => (Kind::ImplicitEnd, 0),
        };
        let region = if event.flags.is_initial() { 0 } else { region };
        put(kind, number(event.index), region);
    }

    #[inline(always)]
    fn task_create(&self, event: TaskCreate<'_, Self>) {
        let Some(lane) = lane_here() else { return };
        if event.flags.is_initial() || event.flags.is_implicit() {
            return;
        }
        let bits = event.flags.bits().cast_unsigned() >> 27;
        let flags = [(event.flags.is_taskwait(), task_flag::TASKWAIT), (event.has_dependences, task_flag::DEPENDENCES)];
        let flags = flags.iter().filter(|(is_set, _)| *is_set).fold(number(bits), |all, (_, flag)| all | flag);
        note_code(lane, event.code);
        let is_written = lane.put(Kind::TaskCreate, flags, event.code as u64) != 0;
        event.new_task.set(lane.count_task(is_written && event.flags.is_undeferred()));
    }

    #[inline(always)]
    fn task_schedule(&self, event: TaskSchedule<'_, Self>) {
        let task = match event.status {
            TaskStatus::EarlyFulfill | TaskStatus::LateFulfill | TaskStatus::TaskwaitComplete => event.prior.get(),
            _ => event.next.get(),
        };
        let (Some(lane), status) = (lane_here(), number(event.status.into())) else { return };
        if !lane.put_at_once(Kind::TaskSchedule, status, task) {
            lane.put(Kind::TaskSchedule, status, task);
        }
    }

    fn task_dependence(&self, event: TaskDependence<'_, Self>) {
        let Some(lane) = lane_here() else { return };
        let after = event.after.get();
        if after != lane.last_task() {
            lane.put(Kind::DependenceOf, 0, after);
        }
        lane.put(Kind::Dependence, 0, event.before.get());
    }

    #[inline(always)]
    fn sync_region(&self, event: SyncRegion<'_, Self>) {
        if event.kind == SyncKind::Taskgroup {
            let kind = if event.endpoint == Endpoint::Begin { Kind::GroupBegin } else { Kind::GroupEnd };
            put(kind, 0, event.code as u64);
        } else if self.has_no_waits.load(Relaxed) {
            self.sync_region_wait(event);
        }
    }

    #[inline(always)]
    fn sync_region_wait(&self, event: SyncRegion<'_, Self>) {
        let kind = if event.endpoint == Endpoint::Begin { Kind::WaitBegin } else { Kind::WaitEnd };
        put(kind, number(event.kind.into()), event.code as u64);
    }

    #[inline(always)]
    fn mutex_acquire(&self, event: MutexAcquire) {
        put(Kind::MutexAcquire, number(event.kind.into()), event.code as u64);
    }

    #[inline(always)]
    fn mutex_acquired(&self, event: MutexEvent) {
        put(Kind::MutexAcquired, number(event.kind.into()), event.wait_id);
    }

    #[inline(always)]
    fn mutex_released(&self, event: MutexEvent) {
        put(Kind::MutexReleased, number(event.kind.into()), event.wait_id);
    }

    fn work(&self, event: Work<'_, Self>) {
        match event.endpoint {
            Endpoint::Begin => put(Kind::WorkBegin, number(event.kind.into()), event.code as u64),
            _ => put(Kind::WorkEnd, number(event.kind.into()), event.count),
        }
    }

    fn masked(&self, event: Masked<'_, Self>) {
        let kind = if event.endpoint == Endpoint::Begin { Kind::MaskedBegin } else { Kind::MaskedEnd };
        put(kind, 0, event.code as u64);
    }

    fn cancel(&self, event: Cancel<'_, Self>) {
        put(Kind::Cancel, number(event.flags.bits().cast_unsigned()), event.code as u64);
    }

    fn control_tool(&self, event: ControlTool) -> i32 {
        put(Kind::Control, 0, event.command);
        0
    }
}

impl Recorder {
    /// Reads both clocks if the last time was long ago. A library may have replaced another one meanwhile: `ora attach` does not see the
    /// program's calls of `dlclose`.
    #[inline]
    fn pair_clocks(&self, lane: &Lane, now: u64) {
        if clock::chosen() == Clock::Counter && now.saturating_sub(self.paired.load(Relaxed)) > PAIR_TICKS {
            self.paired.store(now, Relaxed);
            lane.put(Kind::ClockPair, 0, clock::monotonic_ns());
            definitions::note_objects();
        }
    }
}

/// The calling thread's lane; `None` if nothing is recorded.
#[inline(always)]
fn lane_here() -> Option<&'static Lane> {
    lane::current().or_else(take_lane)
}

/// Gives the calling thread a lane. In a forked child of a process with a session, callbacks are no longer wanted.
#[cold]
#[inline(never)]
fn take_lane() -> Option<&'static Lane> {
    if file::is_open() {
        return lane::take();
    }
    if session::leave() {
        ompt_tool::pause::<Recorder>();
    }
    None
}

/// Writes the code that has been loaded, if this return address is new: before the event, whose code is the latest at its address.
#[inline(always)]
fn note_code(lane: &Lane, code: usize) {
    if lane.is_new(code) {
        definitions::note_objects();
    }
}

/// Writes an event of the calling thread.
#[inline(always)]
fn put(kind: Kind, operand: u16, word: u64) {
    if let Some(lane) = lane_here() {
        lane.put(kind, operand, word);
    }
}

/// A number as an operand; numbers that are too large become the largest one.
#[inline(always)]
fn number(number: u32) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

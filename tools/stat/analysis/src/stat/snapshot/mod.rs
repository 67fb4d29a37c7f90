//! Snapshot of a run: the collector's shared memory, read once, with times charged up to the end.

mod together;

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::atomic::Ordering::{Acquire, Relaxed};

use profile_analysis::job::{Job, most_at_once};
use stat_layout::process_table::{PROCESSES, ProcessSlot};
use stat_layout::stat::joins::{JoinRing, Known, LastBarrier};
use stat_layout::stat::layout::{ACTIVITIES, Activity, Area, THREADS, ThreadSlot};
use stat_layout::stat::surroundings::Surroundings;
use symbols::Instrumented;
use terminal::printable::Foreign;
use untrusted::figure::{self, Total};

use super::exclusive::ExclusiveWaits;
use super::regions::{self, Region};
use super::resolvers::Resolvers;
use super::time_split::{self, Charged, TimeSplit};
use crate::exit::Exit;
use crate::finished_run::FinishedRun;
use crate::identity::{End, Identity, start_order};
use crate::quota;

/// The event of a region's beginning, as the interface numbers it.
const FORK: u32 = 1;

/// One run of the program.
#[derive(Debug)]
pub struct Run {
    /// The program's end.
    pub exit: Exit,
    /// From start to end, as `ora` saw it.
    pub wall_ns: u64,
    /// The process that `ora` started, as the program that it was last. `None`: the collector never ran in it.
    pub main: Option<Process>,
    /// Others that used OpenMP, also earlier images of the first one.
    pub others: Vec<Process>,
    /// Processes that used no OpenMP, the first one not counted.
    pub without_openmp: usize,
    /// Programs that were executed and that can't be watched.
    pub unwatched: u32,
    /// Processes that did not fit into the collector's tables.
    pub processes_left_out: usize,
    /// Threads that did not fit.
    pub threads_left_out: usize,
    /// Regions that did not fit.
    pub regions_left_out: u64,
    /// Shares of threads in regions that did not fit.
    pub shares_left_out: u64,
    /// Regions that were nested too deep to have times.
    pub regions_too_deep: u64,
    /// Loaded objects that did not fit.
    pub objects_left_out: usize,
    /// The job of a launcher.
    pub job: Option<Job>,
}

/// The run that is read, in addition to the collector's memory.
#[derive(Clone, Copy)]
struct Source<'a> {
    area: &'a Area,
    finished: &'a FinishedRun,
    /// The run is still in progress.
    is_live: bool,
    root: u32,
    quota: Option<f64>,
}

/// One program in one process.
#[derive(Clone, Debug)]
pub struct Process {
    /// Number of the slot.
    pub slot: u32,
    /// The process.
    pub who: Identity,
    /// Its OpenMP threads, in the order of their creation.
    pub threads: Vec<Thread>,
    /// Parallel regions, by their place in the program.
    pub regions: Vec<Region>,
    /// Waits for exclusive access, by their place.
    pub exclusive: ExclusiveWaits,
    /// Maximum number of threads that took part in regions at the same time.
    pub team_threads: usize,
    /// CPU time of all threads, also of those without OpenMP, if it is known.
    pub cpu_ns: Option<u64>,
    /// CPU time of threads that did not use OpenMP, if the exit was seen.
    pub outside_ns: u64,
    /// Processors that its OpenMP threads may run on.
    pub processors_allowed: Option<u32>,
    /// Processors that control groups grant.
    pub quota: Option<f64>,
    /// The environment's settings of OpenMP.
    pub settings: Vec<(Foreign, Foreign)>,
    /// The processes of the run that used OpenMP at the same time on the same processors, if there were others.
    pub together: Option<advice::Together>,
    /// True if it died of a segmentation fault.
    pub died_of_fault: bool,
}

/// Kind of an OpenMP thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The initial thread of the process.
    Initial,
    /// One of the runtime's pool.
    Worker,
    /// One that the program made itself.
    Own,
}

/// One thread, or several that used one slot in turn.
#[derive(Clone, Debug)]
pub struct Thread {
    /// Number of the slot.
    pub slot: u32,
    /// The system's number.
    pub tid: u32,
    /// Kind of the thread.
    pub kind: Kind,
    /// Number of threads that have used the slot.
    pub turns: u32,
    /// Number of these threads that have ended before the process's last region.
    pub turns_ended: u64,
    /// Time by activity.
    pub spent_ns: [u64; ACTIVITIES],
    /// Number of times that each activity started, by activity.
    pub begun: [u64; ACTIVITIES],
    /// Regions that it forked.
    pub forks: u64,
    /// Regions that it joined.
    pub joins: u64,
    /// Time in these, from fork to join.
    pub region_ns: u64,
    /// The shortest of them.
    pub region_min_ns: u64,
    /// The longest of them.
    pub region_max_ns: u64,
    /// Regions of others in which it took part.
    pub served: u64,
    /// Amount by which the critical path through the regions that it forked is longer than its own running time: other threads ran for
    /// longer, or it waited while they ran.
    pub path_more_ns: u64,
    /// Waits of the critical path in which other threads ran.
    pub path_waits_ns: u64,
    /// File of the runtime to whose pool the thread belongs, if it is a worker and the runtime was seen.
    pub runtime: Option<Foreign>,
    /// Time that was charged by a guess.
    pub guessed_ns: u64,
    /// Estimate of the time that watching has added.
    pub watching_ns: u64,
    /// Its time on and off processors.
    pub passed: TimeSplit,
    /// The current activity of a thread that is alive, in a live snapshot.
    pub doing: Option<Activity>,
    /// True if its end was not seen.
    pub lives: bool,
}

impl Run {
    /// Reads what the collector left.
    pub fn read(area: &Area, finished: &FinishedRun, instrumented: &Rc<Instrumented>) -> Self {
        Self::look(area, finished, false, &mut Resolvers::new(instrumented))
    }

    /// Reads what the collector has so far. `so_far` ends now.
    pub fn read_live(area: &Area, so_far: &FinishedRun, resolvers: &mut Resolvers) -> Self {
        Self::look(area, so_far, true, resolvers)
    }

    fn look(area: &Area, finished: &FinishedRun, is_live: bool, resolvers: &mut Resolvers) -> Self {
        let FinishedRun { exit, start_ns, end_ns, .. } = *finished;
        let root = area.process_table.header.root_pid.load(Relaxed);
        let source = Source { area, finished, is_live, root, quota: quota::of_this_process() };
        let in_use = |slot: &ProcessSlot| slot.pid.load(Relaxed) != 0;
        let mut processes: Vec<Process> = area
            .process_table
            .process_slots()
            .filter(|(_, slot)| in_use(slot))
            .map(|(index, slot)| Process::read(source, index, slot, resolvers))
            .collect();
        // Slots are claimed in chronological order.
        let mut main = processes.iter().rposition(|p| p.who.pid == root).map(|place| processes.remove(place));
        let mut others: Vec<Process> = processes.into_iter().filter(Process::used_openmp).collect();
        together::note(&mut main, &mut others);
        let told: BTreeSet<u32> = others.iter().map(|p| p.who.pid).filter(|pid| *pid != root).collect();
        let beyond = |claimed: u32, room: usize| (claimed as usize).saturating_sub(room);
        let processes_left_out = beyond(area.process_table.header.processes.load(Relaxed), PROCESSES);
        let met = area.process_table.header.others.load(Relaxed) as usize;
        Self {
            exit,
            wall_ns: end_ns.saturating_sub(start_ns),
            main,
            // A process that was left out used OpenMP.
            without_openmp: met.saturating_sub(told.len() + processes_left_out),
            others,
            unwatched: area.process_table.header.unwatched.load(Relaxed),
            processes_left_out,
            threads_left_out: beyond(area.process_table.header.threads.load(Relaxed), THREADS),
            regions_left_out: figure::read(&area.regions.left_out),
            shares_left_out: figure::read(&area.regions.lost_shares),
            regions_too_deep: figure::read(&area.regions.too_deep),
            objects_left_out: area.objects.left_out(),
            job: None,
        }
    }
}

impl Process {
    fn read(source: Source<'_>, index: u32, slot: &ProcessSlot, resolvers: &mut Resolvers) -> Self {
        let Source { area, finished, is_live, root, quota } = source;
        let own = |thread: &ThreadSlot| thread.owner.load(Acquire) == index + 1;
        let of_process = (0..).zip(area.thread_slots()).filter(|(_, thread)| own(thread));
        let (numbers, threads): (Vec<u32>, Vec<&ThreadSlot>) = of_process.unzip();
        let last_heard = || threads.iter().map(|thread| thread.since_ns()).max();
        let mut who = Identity::read(slot, root, finished, last_heard);
        if is_live && who.end == End::Silent && (attach_outside::process::Process { pid: who.pid }).lives() {
            who.end = End::Running;
        }
        let joins = area.joins(index);
        let team_threads = team_threads(&threads, who.end_ns);
        let surroundings = area.surroundings(index);
        let seen_cpu_ns = surroundings.map(|around| figure::read(&around.cpu_ns)).filter(|_| who.end == End::Exited);
        // For the process that `ora` started the system has the better figure, unless others are counted with it.
        let alone = who.pid == root && who.end != End::Replaced && area.process_table.header.others.load(Relaxed) == 0;
        let cpu_ns = if alone { Some(finished.cpu_ns) } else { seen_cpu_ns };
        let is_root_now = who.pid == root && who.end == End::Silent;
        let at_exit_ns = surroundings.map(|around| figure::read(&around.clock_ns));
        let late_cpu_ns = if alone { finished.cpu_ns.saturating_sub(at_exit_ns.unwrap_or_default()) } else { 0 };
        let last_ns = last_region_ns(&threads);
        let resolver = resolvers.of(&area.objects, index);
        let read = |(slot, thread): (u32, &&ThreadSlot)| Thread {
            slot,
            turns_ended: turns_ended(thread, last_ns),
            runtime: resolver.file(thread.runtime.load(Relaxed)).map(|path| path.to_owned().into()),
            ..Thread::read(thread, &who, joins, late_cpu_ns, is_live)
        };
        let mut threads: Vec<Thread> = numbers.into_iter().zip(&threads).map(read).collect();
        threads.sort_by_key(|thread| start_order(who.pid, thread.tid));
        let ran_to_exit_ns = threads.iter().map(|thread| thread.passed.to_exit_ns).total();
        let outside_ns = seen_cpu_ns.unwrap_or_default().saturating_sub(ran_to_exit_ns);
        let is_own = |thread| area.thread(thread).is_some_and(own);
        let mut regions = regions::read(area, is_own, resolver);
        let exclusive = ExclusiveWaits::read(area, is_own, resolver);
        regions::explain_late(&mut regions, threads.iter().map(|thread| thread.passed.ready_ns).total());
        let at_work = regions.iter().map(|region| &region.runtime).chain(threads.iter().map(|thread| &thread.runtime));
        at_work.flatten().for_each(|path| who.has_used(path.raw()));
        Self {
            slot: index,
            who,
            threads,
            regions,
            exclusive,
            team_threads,
            cpu_ns,
            outside_ns,
            processors_allowed: surroundings.and_then(Surroundings::processors_allowed),
            quota,
            settings: surroundings
                .map(Surroundings::settings)
                .unwrap_or_default()
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            together: None,
            died_of_fault: is_root_now && finished.exit.is_fault(),
        }
    }

    /// Source of the times without a processor: the least exact source of any of its threads.
    pub fn source(&self) -> time_split::Source {
        self.threads.iter().map(|thread| thread.passed.source).max().unwrap_or_default()
    }

    /// True if anything but serial time was seen.
    pub fn used_openmp(&self) -> bool {
        let serial_only = |thread: &Thread| thread.forks == 0 && thread.kind != Kind::Worker && thread.waits() == 0;
        !self.threads.iter().all(serial_only)
    }

    /// True if its runtime reports no regions.
    pub(crate) fn is_silenced(&self) -> bool {
        self.who.refused.contains(&FORK)
    }

    /// True if it used OpenMP, or if it is known why no use of it was seen.
    pub fn is_explained(&self) -> bool {
        self.used_openmp() || self.is_silenced() || self.who.session != Some(0)
    }

    /// Threads of the pool that lived at its death by a fault outside of regions, of a runtime that came with a library.
    pub(super) fn died_beside(&self) -> u64 {
        let is_open = self.sum(|thread| thread.forks.saturating_sub(thread.joins)) > 0;
        if !self.died_of_fault || !self.who.runtime_came_late || is_open {
            return 0;
        }
        self.threads.iter().filter(|thread| thread.kind == Kind::Worker && thread.lives).count() as u64
    }

    /// A sum over all threads.
    pub fn sum(&self, of: impl Fn(&Thread) -> u64) -> u64 {
        self.threads.iter().map(of).total()
    }

    /// Time of all threads in one activity.
    pub fn spent_ns(&self, activity: Activity) -> u64 {
        self.sum(|thread| thread.spent(activity))
    }

    /// Number of times that an activity began.
    pub fn begun(&self, activity: Activity) -> u64 {
        self.sum(|thread| thread.begun.get(activity as usize).copied().unwrap_or_default())
    }

    /// OpenMP Work: work and serial time. The rest is OpenMP Wait.
    pub fn work_ns(&self) -> u64 {
        figure::sum(self.spent_ns(Activity::Work), self.spent_ns(Activity::Serial))
    }

    /// The time of all threads.
    pub fn elapsed_ns(&self) -> u64 {
        self.sum(Thread::elapsed_ns)
    }

    /// Threads of the pool that were created for nested regions and destroyed with them. A runtime that keeps its
    /// threads has none.
    pub fn short_lived(&self) -> u64 {
        let all = regions::whole(&self.regions);
        let ended = self.sum(|thread| if thread.kind == Kind::Worker { thread.turns_ended } else { 0 });
        if all.nested > 0 && ended > all.threads { ended } else { 0 }
    }

    /// Shortest and longest region, of those that were joined.
    pub fn region_range_ns(&self) -> Option<(u64, u64)> {
        let joined = || self.threads.iter().filter(|thread| thread.joins > 0);
        Some((joined().map(|t| t.region_min_ns).min()?, joined().map(|t| t.region_max_ns).max()?))
    }
}

/// Time at which the last outermost region was joined.
fn last_region_ns(threads: &[&ThreadSlot]) -> u64 {
    let outer = threads.iter().filter(|slot| slot.forks.load(Relaxed) > 0 && slot.worker.load(Relaxed) == 0);
    outer.map(|slot| slot.since_ns()).max().unwrap_or(0)
}

/// Number of threads of a slot that have ended before `last_region_ns`. A runtime that keeps its threads ends them
/// later.
fn turns_ended(slot: &ThreadSlot, last_region_ns: u64) -> u64 {
    let end_ns = slot.end_ns.load(Relaxed);
    let lives_on = end_ns == 0 || end_ns > last_region_ns;
    u64::from(slot.turns.load(Relaxed).saturating_sub(lives_on.into()))
}

impl Thread {
    fn read(slot: &ThreadSlot, process: &Identity, joins: Option<&JoinRing>, late_cpu_ns: u64, is_live: bool) -> Self {
        let tid = slot.tid.load(Relaxed);
        let worker = slot.worker.load(Relaxed) != 0;
        let (lives, charged) = (slot.end_ns.load(Relaxed) == 0, slot.charged());
        let mut thread = Self {
            slot: 0,
            tid,
            kind: if worker {
                Kind::Worker
            } else if tid == process.pid {
                Kind::Initial
            } else {
                Kind::Own
            },
            turns: slot.turns.load(Relaxed),
            turns_ended: 0,
            runtime: None,
            spent_ns: charged.spent_ns.map(figure::bounded),
            begun: std::array::from_fn(|place| slot.begun.get(place).map(figure::read).unwrap_or_default()),
            forks: figure::read(&slot.forks),
            joins: figure::read(&slot.joins),
            region_ns: figure::read(&slot.region_ns),
            region_min_ns: figure::read(&slot.region_min_ns),
            region_max_ns: figure::read(&slot.region_max_ns),
            served: figure::read(&slot.served),
            path_more_ns: figure::read(&slot.path_more_ns),
            path_waits_ns: figure::read(&slot.path_waits_ns),
            guessed_ns: figure::read(&slot.guessed_ns),
            watching_ns: figure::bounded(slot.watching.added_ns()),
            passed: TimeSplit::default(),
            lives,
            doing: (is_live && lives && process.end == End::Running).then_some(charged.activity),
        };
        let before_ns = thread.spent_ns;
        if lives {
            let known = joins.map_or(Known::Open, |joins| joins.get(charged.region));
            thread.charge_rest(charged.activity, charged.since_ns, process.end_ns, known);
        }
        let ended = !lives || process.end == End::Exited;
        let counts = thread.doing.and_then(|_| attach_outside::process::Process { pid: process.pid }.scheduled(tid));
        let now_ns = counts.map(|[cpu_ns, delay_ns, _]| slot.processor.by_counts(cpu_ns, delay_ns));
        let all_ns = thread.spent_ns;
        thread.passed = TimeSplit::of(&slot.processor, &Charged { before_ns, all_ns, ended, late_cpu_ns, now_ns });
        thread
    }

    /// Charges the activity that was in progress when the process ended.
    fn charge_rest(&mut self, activity: Activity, since_ns: u64, until_ns: u64, known: Known) {
        let rest_ns = until_ns.saturating_sub(since_ns);
        if activity == Activity::ImplicitBarrier {
            let split = LastBarrier::split(since_ns, until_ns, known);
            split.parts().into_iter().for_each(|(activity, took_ns)| self.charge(activity, took_ns));
            self.guessed_ns = figure::sum(self.guessed_ns, split.guessed_ns);
        } else {
            self.charge(activity, rest_ns);
        }
    }

    fn charge(&mut self, activity: Activity, took_ns: u64) {
        if let Some(spent) = self.spent_ns.get_mut(activity as usize) {
            *spent = figure::sum(*spent, took_ns);
        }
    }

    /// Time in one activity.
    pub fn spent(&self, activity: Activity) -> u64 {
        self.spent_ns.get(activity as usize).copied().unwrap_or_default()
    }

    /// Time on a processor in one activity.
    pub fn ran(&self, activity: Activity) -> u64 {
        self.passed.running_by_activity_ns.get(activity as usize).copied().unwrap_or_default()
    }

    /// All time of the thread.
    pub fn elapsed_ns(&self) -> u64 {
        self.spent_ns.iter().copied().total()
    }

    fn waits(&self) -> u64 {
        self.begun.iter().copied().total()
    }
}

/// Threads that took part in regions: the maximum number that lived at the same time.
fn team_threads(threads: &[&ThreadSlot], end_ns: u64) -> usize {
    let took_part = threads.iter().filter(|thread| thread.forks.load(Relaxed) > 0 || thread.served.load(Relaxed) > 0);
    most_at_once(took_part.map(|thread| {
        let ended_ns = thread.end_ns.load(Relaxed);
        (thread.start_ns.load(Relaxed), if ended_ns == 0 { end_ns } else { ended_ns })
    }))
}

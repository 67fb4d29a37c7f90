//! A process of a run: its threads and regions, and sums over them.

use std::sync::atomic::Ordering::Relaxed;

use profile_analysis::job::most_at_once;
use stat_layout::process_table::ProcessSlot;
use stat_layout::stat::layout::{Activity, Area, ThreadSlot};
use stat_layout::stat::surroundings::Surroundings;
use terminal::printable::Foreign;
use untrusted::figure::{self, Total};

use super::owned::Owned;
use super::thread::{Kind, Thread};
use crate::finished_run::FinishedRun;
use crate::identity::{End, Identity, start_order};
use crate::stat::exclusive::ExclusiveWaits;
use crate::stat::regions::{self, Region};
use crate::stat::resolvers::Resolvers;
use crate::stat::time_split;

/// The event of a region's beginning, as the interface numbers it.
const FORK: u32 = 1;

/// The run that is read, in addition to the collector's memory.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) area: &'a Area,
    pub(super) finished: &'a FinishedRun,
    /// The run is still in progress.
    pub(super) is_live: bool,
    pub(super) root: u32,
    pub(super) quota: Option<f64>,
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
    /// Maximum number of threads that lived at the same time and have started regions outside of others'.
    pub owners: usize,
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

impl Process {
    pub(super) fn read(
        source: Source<'_>,
        index: u32,
        slot: &ProcessSlot,
        owned: Owned<'_>,
        resolvers: &mut Resolvers,
    ) -> Self {
        let Source { area, finished, is_live, root, quota } = source;
        let (numbers, threads): (Vec<u32>, Vec<&ThreadSlot>) = owned.threads.into_iter().unzip();
        let last_heard = || threads.iter().map(|thread| thread.since_ns()).max();
        let mut who = Identity::read(slot, root, finished, last_heard);
        if is_live && who.end == End::Silent && (attach_outside::process::Process { pid: who.pid }).lives() {
            who.end = End::Running;
        }
        let joins = area.joins(index);
        let has_forked = |thread: &ThreadSlot| thread.forks.load(Relaxed) > 0;
        let team_threads = at_once(&threads, who.end_ns, |it| has_forked(it) || it.served.load(Relaxed) > 0);
        let owners = at_once(&threads, who.end_ns, |it| has_forked(it) && it.worker.load(Relaxed) == 0);
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
        let mut regions = regions::read(&owned.rows, resolver);
        let exclusive = ExclusiveWaits::read(&owned.rows, resolver);
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
            owners,
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
    pub(in crate::stat) fn died_beside(&self) -> u64 {
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

    /// Number of such threads, each of those that shared a slot in turn.
    pub fn count(&self, is_one: impl Fn(&Thread) -> bool) -> u64 {
        self.sum(|thread| if is_one(thread) { thread.turns.max(1).into() } else { 0 })
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

/// Maximum number of such threads that lived at the same time.
fn at_once(threads: &[&ThreadSlot], end_ns: u64, is_one: impl Fn(&ThreadSlot) -> bool) -> usize {
    most_at_once(threads.iter().filter(|thread| is_one(thread)).map(|thread| {
        let ended_ns = thread.end_ns.load(Relaxed);
        (thread.start_ns.load(Relaxed), if ended_ns == 0 { end_ns } else { ended_ns })
    }))
}

//! The figures of one process that findings are based on, independently of the collector that recorded them.
//!
//! Times are in nanoseconds; times of threads are summed over the threads.

use serde::{Deserialize, Serialize};

use crate::directive::Directive;
use crate::runtime_kind::RuntimeKind;
use crate::tally::Tally;

/// Figures of a process; means over its runs if it ran several times.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// Time from its start to its end.
    pub wall_ns: f64,
    /// The time of all OpenMP threads.
    pub all_ns: f64,
    /// The part of it that was spent on processors.
    pub running_ns: f64,
    /// Time on processors in serial code, of threads that later start regions.
    pub serial_ns: f64,
    /// Time of serial code of such threads, on processors or not; `None` if it isn't known.
    pub serial_wall_ns: Option<f64>,
    /// The part of it for which they slept; `None` if it isn't known, and `serial_ns` may include it.
    pub serial_asleep_ns: Option<f64>,
    /// Time during which workers were idle between regions.
    pub idle_ns: f64,
    /// The part of it that they spent on processors: they spin.
    pub spun_idle_ns: f64,
    /// Time on processors at barriers.
    pub spun_at_barriers_ns: f64,
    /// True if these two are known.
    pub knows_spinning: bool,
    /// The program's function in or below which most of the serial code's time is spent, if there is one.
    pub serial_in: Option<String>,
    /// Time during which threads were ready to run and had no processor, in work and in waits.
    pub ready_ns: f64,
    /// CPU time of the process's threads outside OpenMP, as far as it is known.
    pub outside_ns: f64,
    /// Number of turns on processors; `None` if unknown.
    pub turns: Option<f64>,
    /// Number of times that the kernel has moved threads to another processor, as far as it is known.
    pub moves: u64,
    /// The part of the work during which threads slept in calls made by the program itself, as far as it is known.
    pub asleep_ns: f64,
    /// The part of the work that may have been waits: in tasks nested so deep that they are not distinguished.
    pub too_deep_ns: f64,
    /// Number of OpenMP threads that existed at the same time.
    pub team_threads: u64,
    /// Number of processors that the process may use.
    pub processors: Option<f64>,
    /// Number of processors that the threads' affinity masks allow; `None` if unknown.
    pub allowed: Option<u64>,
    /// Number of processors of the machine; `None` if unknown.
    pub online: Option<u64>,
    /// Number of workers that ended before the last region did.
    pub ended_workers: u64,
    /// Number of threads created by the program itself that have started regions, each with its own pool.
    pub pool_owners: u64,
    /// Maximum number of threads that lived at the same time and have started regions, each with its own pool; 0 if it isn't known.
    pub owners_at_once: u64,
    /// The processes of the run that used OpenMP at the same time, if several used the same processors.
    pub together: Option<Together>,
    /// Pool threads that lived when the process died of a segmentation fault outside of regions, of a runtime that came with a library
    /// which the program had loaded (dlopen).
    pub died_beside: u64,
    /// Waits for mutexes of the C library in the regions' work, as far as stacks show them.
    pub mutex: Wait,
    /// Waits in the regions' work for the pools that libraries have of their own; `dearest` has the library's file.
    pub pool: Wait,
    /// OpenMP runtimes that have started regions, by the names of their files.
    pub runtimes: Vec<String>,
    /// Kind of the runtime with the most time in regions.
    pub runtime_kind: RuntimeKind,
    /// Waits inside regions, except those at barriers.
    pub waits: Waits,
    /// The regions, by place.
    pub regions: Vec<Region>,
    /// The OpenMP settings in the environment.
    pub settings: Vec<Setting>,
    /// Time between a thread's samples, if the figures are based on samples.
    pub period_ns: Option<f64>,
}

/// Processes of a run that used OpenMP at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Together {
    /// Number of processes.
    pub processes: u64,
    /// Number of their OpenMP threads.
    pub threads: u64,
    /// Number of processors that they share.
    pub processors: u64,
}

/// A variable of the environment, and its value.
pub type Setting = (String, String);

/// Waits of all threads, by what they wait for, and time that the runtime needs for itself.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Waits {
    /// For critical sections.
    pub critical: Wait,
    /// The variable that the critical section with most of these waits only adds to.
    pub critical_adds_to: Option<Tally>,
    /// For locks.
    pub lock: Wait,
    /// For atomic updates that the runtime protects.
    pub atomic: Wait,
    /// For their turn in ordered sections.
    pub ordered: Wait,
    /// At taskwaits and the ends of taskgroups, without the tasks that threads execute there.
    pub tasks: Wait,
    /// At barriers, with those that end regions and constructs.
    pub barriers: Wait,
    /// Time inside the runtime, on processors.
    pub runtime: Wait,
    /// For the start of a region, and other work that the runtime itself reports.
    pub overhead: Wait,
}

impl Waits {
    /// The waits that the rule with this name is about.
    pub(crate) fn named(&self, rule: &str) -> Option<&Wait> {
        match rule {
            "critical" => Some(&self.critical),
            "lock" => Some(&self.lock),
            "atomic" => Some(&self.atomic),
            "ordered" => Some(&self.ordered),
            _ => None,
        }
    }
}

/// A kind of wait.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Wait {
    /// Time of all threads.
    pub ns: f64,
    /// The place with most of it, if known: its fraction of `ns`, and its name for display.
    pub dearest: Option<(f64, String)>,
    /// Number of waits, if they were counted.
    pub count: Option<u64>,
}

/// The construct that distributes a region's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SharedBy {
    /// A loop, or code that each thread executes; the waits are at the region's end.
    Loop,
    /// The same; the waits are at barriers inside the region.
    Phases,
    /// `sections`.
    Sections,
    /// Explicit tasks.
    Tasks,
}

/// A place in the program's source, as far as its debug information says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Place {
    /// Short name for display.
    pub name: String,
    /// The function.
    pub function: Option<String>,
    /// The file.
    pub file: Option<String>,
    /// The line.
    pub line: Option<u32>,
}

/// The regions of one place.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Region {
    /// The place; `None` if unknown.
    pub place: Option<Place>,
    /// Number of regions that have ended; the times are about these.
    pub ended: u64,
    /// Number of them that were inside another one.
    pub nested: u64,
    /// Size of the largest team.
    pub threads: u64,
    /// Number of regions that one thread executed, if known for teams of different sizes.
    pub alone_ended: Option<u64>,
    /// Time of these.
    pub alone_ns: Option<u64>,
    /// Time from fork to join.
    pub total_ns: u64,
    /// Work of all threads.
    pub work_ns: u64,
    /// Waits at barriers.
    pub barrier_ns: u64,
    /// The part of them spent waiting for peers that ran for longer.
    pub imbalance_ns: u64,
    /// True if samples do not show that part.
    pub shares_unknown: bool,
    /// The part of them spent waiting for peers without a processor.
    pub no_processor_ns: u64,
    /// Sum over the instances of (max - mean) of the threads' running time.
    pub gain_ns: u64,
    /// Sum over the instances of the cost of the barriers inside: the longest running times of all phases, added up, minus the running
    /// time of the thread that ran for longest in total.
    pub phases_ns: u64,
    /// The threads' running time.
    pub shares_ns: u64,
    /// Sum over the instances of the longest running time.
    pub max_ns: u64,
    /// Explicit tasks.
    pub tasks: u64,
    /// Number of threads that have created tasks, if known: the maximum over the instances.
    pub creators: Option<u64>,
    /// Sum over the instances of the time that their creation took, without tasks that the creators executed meanwhile, and waits, if the
    /// creators are known.
    pub creating_ns: u64,
    /// Number of loop chunks that were assigned.
    pub chunks: u64,
    /// The construct that distributes the work, if stacks show it.
    pub shared_by: Option<SharedBy>,
    /// The directive in the source at the region's line, if it can be read.
    pub directive: Option<Directive>,
    /// Number of threads that do a fair part of the work, if known.
    pub busy: Option<u64>,
    /// Time inside the runtime other than waits, as far as samples show it: the handling of tasks and chunks.
    pub handled_ns: u64,
}

/// Fraction of the running time inside the runtime from which on pieces of work are considered too small.
const HANDLING: f64 = 0.25;
/// If threads lack a processor for a larger fraction of their time, waits don't show what is saved without them.
const READY: f64 = 0.1;

impl Facts {
    /// The number of threads that share the time, averaged over the process's life.
    pub(crate) fn threads(&self) -> f64 {
        if self.wall_ns > 0.0 { self.all_ns / self.wall_ns } else { 1.0 }
    }

    /// The size of the largest team.
    pub(crate) fn team(&self) -> u64 {
        self.regions.iter().map(|region| region.threads).max().unwrap_or(1).max(1)
    }

    /// Number of threads that start regions at the same time, each with its own pool, as far as it is known.
    pub(crate) fn owners(&self) -> u64 {
        self.owners_at_once.max(self.pool_owners)
    }

    /// The value of a variable, if the runtime reads it.
    pub(crate) fn setting(&self, name: &str) -> Option<&str> {
        let is_it = |(key, _): &&Setting| key == name && self.runtime_kind.reads(name);
        self.settings.iter().find(is_it).map(|(_, value)| value.as_str())
    }

    /// True if the environment makes waiting threads sleep.
    pub(crate) fn threads_sleep(&self) -> bool {
        self.wait_setting().is_some_and(|(name, value)| match name {
            "OMP_WAIT_POLICY" => value.eq_ignore_ascii_case("passive"),
            _ => value.trim() == "0",
        })
    }

    /// The variable that decides how long waiting threads spin, and its value. The runtimes' own variables prevail over the standard's:
    /// idle threads of libgomp 12 and libomp 19 took 0.96 processors with `OMP_WAIT_POLICY=passive` and an infinite number of these.
    pub(crate) fn wait_setting(&self) -> Option<(&'static str, &str)> {
        let names = ["GOMP_SPINCOUNT", "KMP_BLOCKTIME", "OMP_WAIT_POLICY"];
        names.into_iter().find_map(|name| Some((name, self.setting(name)?)))
    }

    /// Wall time for which the processors would not be needed if they had been used all the time, other than for threads that wait. No limit if
    /// their number is not known, nor if the process's life is not: then its threads ran for much longer than that allows. If it is not known
    /// how long threads spun, all waits count.
    pub(crate) fn unused_ns(&self) -> f64 {
        let spun_ns = if self.knows_spinning {
            self.spun_idle_ns + self.spun_at_barriers_ns
        } else {
            self.idle_ns + self.regions.iter().map(|region| region.barrier_ns as f64).sum::<f64>()
        };
        let worked_ns = (self.running_ns - spun_ns).max(0.0);
        let of = |processors: f64| worked_ns / processors.max(1.0);
        let used_ns = self.processors.map(of).filter(|used_ns| *used_ns <= 2.0 * self.wall_ns);
        used_ns.map_or(f64::INFINITY, |used_ns| (self.wall_ns - used_ns).max(0.0))
    }

    /// The size of the largest team. Where samples fell into no region of several threads, these may have been too short: then all OpenMP
    /// threads count.
    pub(crate) fn possible_team(&self) -> u64 {
        let unseen = self.period_ns.filter(|_| self.shared().next().is_none()).map(|_| self.team_threads);
        self.team().max(unseen.unwrap_or_default())
    }

    /// The number of threads of a team that can run at the same time.
    pub(crate) fn at_the_same_time(&self) -> f64 {
        let team = self.possible_team() as f64;
        self.processors.map_or(team, |processors| processors.min(team)).max(1.0)
    }

    /// Wall time that is saved at most if threads don't take turns any more, for so much time of waits of all of them. `None` if many of them
    /// lacked a processor: then the waits may be for peers without one.
    pub(crate) fn without_turns(&self, waits_ns: f64) -> Option<f64> {
        let most_ns = self.wall_ns * (1.0 - 1.0 / self.at_the_same_time());
        let waits_ns = waits_ns / self.team() as f64;
        (self.ready_ns <= READY * self.all_ns).then(|| waits_ns.min(most_ns))
    }

    /// Regions with teams of several threads.
    pub(crate) fn shared(&self) -> impl Iterator<Item = &Region> {
        self.regions.iter().filter(|region| region.threads > 1)
    }
}

impl Region {
    /// Number and time of the regions that one thread executed, as far as they are known.
    pub(crate) fn alone(&self) -> (u64, u64) {
        let all = if self.threads == 1 { (self.ended, self.total_ns) } else { (0, 0) };
        self.alone_ended.zip(self.alone_ns).unwrap_or(all)
    }

    /// `(max - mean) / max` of the members' running time; 0 if it is even. `None` if nothing ran.
    pub(crate) fn imbalance(&self) -> Option<f64> {
        let whole = self.imbalance_ns + self.shares_ns;
        (whole > 0).then(|| self.imbalance_ns as f64 / whole as f64)
    }

    /// True if its text has loops without tasks, which may be what takes the time.
    pub(crate) fn has_loop_without_tasks(&self) -> bool {
        self.directive.as_ref().is_some_and(|directive| directive.has_loop_without_tasks)
    }

    /// The time on processors of all threads, including the runtime's work for them.
    pub(crate) fn ran_ns(&self) -> f64 {
        (if self.shares_ns > 0 { self.shares_ns } else { self.work_ns }) as f64
    }

    /// True if samples show that the runtime needs much of the time to handle the pieces of work.
    pub(crate) fn has_small_pieces(&self) -> bool {
        self.handled_ns as f64 > HANDLING * (self.handled_ns + self.work_ns) as f64
    }

    /// Name for display.
    pub(crate) fn name(&self) -> String {
        self.place.as_ref().map_or_else(|| "a region whose place is unknown".to_owned(), |place| place.name.clone())
    }
}

//! A thread of a process, with its times charged up to the end.

use std::sync::atomic::Ordering::Relaxed;

use stat_layout::stat::joins::{JoinRing, Known, LastBarrier};
use stat_layout::stat::layout::{ACTIVITIES, Activity, ThreadSlot};
use terminal::printable::Foreign;
use untrusted::figure::{self, Total};

use crate::identity::{End, Identity};
use crate::stat::time_split::{Charged, TimeSplit};

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
    /// Work that may have been waits.
    pub too_deep_ns: u64,
    /// Estimate of the time that watching has added.
    pub watching_ns: u64,
    /// Its time on and off processors.
    pub passed: TimeSplit,
    /// The current activity of a thread that is alive, in a live snapshot.
    pub doing: Option<Activity>,
    /// True if its end was not seen.
    pub lives: bool,
}

impl Thread {
    pub(super) fn read(
        slot: &ThreadSlot,
        process: &Identity,
        joins: Option<&JoinRing>,
        late_cpu_ns: u64,
        is_live: bool,
    ) -> Self {
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
            too_deep_ns: figure::read(&slot.too_deep_ns),
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

    pub(super) fn waits(&self) -> u64 {
        self.begun.iter().copied().total()
    }
}

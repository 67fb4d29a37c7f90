//! Figures of a process that only the rules of `advice` read, as means over the runs.

use stat_layout::stat::layout::Activity;
use untrusted::figure::Total;

use super::snapshot::{Kind, Process, Thread};

/// Means over the runs, like the figures that they are compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Means {
    pub(super) serial_ns: f64,
    pub(super) serial_wall_ns: f64,
    pub(super) serial_asleep_ns: f64,
    pub(super) spun_idle_ns: f64,
    pub(super) spun_at_barriers_ns: f64,
    pub(super) asleep_ns: f64,
    pub(super) too_deep_ns: f64,
    pub(super) outside_ns: f64,
    pub(super) turns: f64,
    pub(super) moves: f64,
    pub(super) ended_workers: f64,
    pub(super) pool_owners: f64,
}

impl Means {
    pub(super) fn of(runs: &[&Process]) -> Self {
        let over = |of: &dyn Fn(&Process) -> f64| {
            runs.iter().map(|process| of(process)).sum::<f64>() / runs.len().max(1) as f64
        };
        let sum = |of: fn(&Thread) -> u64| over(&|process| process.sum(of) as f64);
        Self {
            serial_ns: sum(|thread| if starts_regions(thread) { serial_ns(thread) } else { 0 }),
            serial_wall_ns: sum(|it| if starts_regions(it) { it.spent(Activity::Serial) } else { 0 }),
            serial_asleep_ns: over(&serial_asleep_ns),
            spun_idle_ns: sum(|it| if it.kind == Kind::Worker { it.ran(Activity::Idle) } else { 0 }),
            spun_at_barriers_ns: sum(|thread| thread.ran(Activity::ImplicitBarrier))
                + sum(|thread| thread.ran(Activity::ExplicitBarrier)),
            asleep_ns: over(&asleep_ns),
            too_deep_ns: sum(|thread| thread.too_deep_ns),
            outside_ns: over(&|process| process.outside_ns as f64),
            turns: sum(|thread| thread.passed.turns),
            moves: sum(|thread| thread.passed.moves.into()),
            ended_workers: sum(|thread| if thread.kind == Kind::Worker { thread.turns_ended } else { 0 }),
            pool_owners: sum(|it| if it.kind == Kind::Own && it.forks > 0 { it.turns_ended } else { 0 }),
        }
    }
}

fn off(thread: &Thread, activity: Activity) -> u64 {
    thread.spent(activity).saturating_sub(thread.ran(activity))
}

/// Time of a thread's activity in which it slept: the time for which it was blocked, minus the time off the processors
/// in these other activities.
fn slept(thread: &Thread, activity: Activity, others: impl Fn(Activity) -> bool) -> u64 {
    let elsewhere = Activity::ALL.into_iter().filter(|other| *other != activity && others(*other));
    let elsewhere_ns = elsewhere.map(|other| off(thread, other)).total();
    thread.passed.blocked_ns.saturating_sub(elsewhere_ns).min(off(thread, activity))
}

fn asleep_ns(process: &Process) -> f64 {
    process.sum(|thread| slept(thread, Activity::Work, |_| true)) as f64
}

/// Time of serial code in which threads slept. Off the processors at work, they may have been ready instead.
fn serial_asleep_ns(process: &Process) -> f64 {
    let asleep = |thread: &Thread| {
        let at_work_ns = slept(thread, Activity::Work, |_| true);
        slept(thread, Activity::Serial, |other| other != Activity::Work).saturating_sub(at_work_ns)
    };
    process.sum(|thread| if starts_regions(thread) { asleep(thread) } else { 0 }) as f64
}

/// Time on processors in a thread's serial code: without the process's end, in which the kernel frees its memory, and without what watching has
/// added, some of which is at the starts and ends of regions.
fn serial_ns(thread: &Thread) -> u64 {
    thread.ran(Activity::Serial).saturating_sub(thread.passed.after_exit_ns()).saturating_sub(thread.watching_ns)
}

fn starts_regions(thread: &Thread) -> bool {
    thread.spent(Activity::Work) > 0
}

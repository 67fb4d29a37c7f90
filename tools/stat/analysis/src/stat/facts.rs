//! The figures of a process, as input for the rules of `advice`.
#![cfg_attr(not(test), expect(clippy::disallowed_methods, reason = "of the system, or of `ora` itself in `/proc`"))]

use advice::tally::{self, Tally};
use advice::{Directive, Facts, Wait, Waits};
use stat_layout::stat::layout::Activity;
use stat_layout::stat::regions::Exclusive;
use terminal::printable::Foreign;
use untrusted::figure::Total;

use super::figures::Figures;
use super::regions::Region;
use super::runtimes;
use super::snapshot::{Kind, Process, Thread};
use crate::advised;

/// The source of a region is read if the region takes at least this part of the wall time.
const MATTERS: f64 = 0.02;

/// The figures are the means of all runs; the surroundings are those of the last one.
pub fn of(process: &Process, figures: &Figures) -> Facts {
    let spent = |activity| figures.spent(activity).mean;
    let wait = |activity| Wait {
        ns: spent(activity),
        dearest: costliest(process, activity),
        count: Some(process.begun(activity)),
    };
    let running = |activity, of: fn(&Thread) -> bool| {
        process.sum(|thread| if of(thread) { thread.ran(activity) } else { 0 }) as f64
    };
    let too_deep_ns = process.sum(|thread| thread.too_deep_ns) as f64;
    let used = runtimes::of(process);
    let main = used.first().filter(|one| one.regions > 0).and_then(|one| one.path);
    Facts {
        wall_ns: figures.wall_ns.mean,
        all_ns: figures.elapsed_ns.mean,
        running_ns: figures.running_ns.mean,
        serial_ns: process.sum(|thread| if starts_regions(thread) { serial_ns(thread) } else { 0 }) as f64,
        serial_wall_ns: Some(process.sum(|it| if starts_regions(it) { it.spent(Activity::Serial) } else { 0 }) as f64),
        serial_asleep_ns: Some(serial_asleep_ns(process)),
        idle_ns: spent(Activity::Idle),
        spun_idle_ns: running(Activity::Idle, |thread| thread.kind == Kind::Worker),
        knows_spinning: true,
        spun_at_barriers_ns: running(Activity::ImplicitBarrier, |_| true)
            + running(Activity::ExplicitBarrier, |_| true),
        ready_ns: figures.ready_ns.mean,
        turns: Some(process.sum(|thread| thread.passed.turns) as f64).filter(|turns| *turns > 0.0),
        moves: process.sum(|thread| thread.passed.moves.into()),
        outside_ns: process.outside_ns as f64,
        asleep_ns: (asleep_ns(process) - too_deep_ns).max(0.0),
        too_deep_ns,
        team_threads: process.team_threads as u64,
        processors: processors(process),
        allowed: process.processors_allowed.map(u64::from),
        online: Some(online()),
        ended_workers: process.sum(|thread| if thread.kind == Kind::Worker { thread.turns_ended } else { 0 }),
        pool_owners: process.sum(|it| if it.kind == Kind::Own && it.forks > 0 { it.turns_ended } else { 0 }),
        owners_at_once: process.owners as u64,
        together: process.together,
        died_beside: process.died_beside(),
        runtimes: used.iter().filter_map(|one| Some(one.path?.to_string())).collect(),
        runtime_kind: process.who.runtime_kind(main.map(Foreign::raw)),
        waits: Waits {
            critical: wait(Activity::Critical),
            critical_adds_to: critical_adds_to(process),
            lock: wait(Activity::Lock),
            atomic: wait(Activity::Atomic),
            ordered: wait(Activity::Ordered),
            tasks: wait(Activity::TaskWait),
            barriers: Wait {
                ns: spent(Activity::ImplicitBarrier) + spent(Activity::ExplicitBarrier),
                dearest: None,
                count: Some(process.begun(Activity::ImplicitBarrier) + process.begun(Activity::ExplicitBarrier)),
            },
            ..Waits::default()
        },
        regions: figures.by_place.iter().map(|it| region(it, figures.wall_ns.mean)).collect(),
        settings: process.settings.iter().map(|(name, value)| (text(name), text(value))).collect(),
        ..Facts::default()
    }
}

/// The place with most of the waits of an activity, and its part of them.
fn costliest(process: &Process, activity: Activity) -> Option<(f64, String)> {
    let (place, ns) = process.exclusive.costliest(Exclusive::awaited_in(activity)?)?;
    Some((ns as f64 / process.spent_ns(activity).max(ns) as f64, place.brief_name()))
}

fn critical_adds_to(process: &Process) -> Option<Tally> {
    let (place, _) = process.exclusive.costliest(Exclusive::Critical)?;
    place.line().and_then(|(file, line)| tally::at(file, line))
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

fn text(of: &Foreign) -> String {
    of.raw().to_owned()
}

fn region(Region { place, sums, .. }: &Region, wall_ns: f64) -> advice::Region {
    let matters = sums.total_ns as f64 >= MATTERS * wall_ns;
    advice::Region {
        place: advised::place(place),
        ended: sums.ended,
        nested: sums.nested,
        threads: sums.threads,
        alone_ended: Some(sums.alone_ended),
        alone_ns: Some(sums.alone_ns),
        total_ns: sums.total_ns,
        work_ns: sums.work_ns,
        barrier_ns: sums.barrier_ns,
        imbalance_ns: sums.imbalance_ns,
        no_processor_ns: sums.no_processor_ns,
        gain_ns: sums.gain_ns,
        phases_ns: sums.phases_ns,
        shares_ns: sums.shares_ns,
        max_ns: sums.max_ns,
        tasks: sums.tasks,
        chunks: sums.chunks,
        directive: place.line().filter(|_| matters).and_then(|(file, line)| Directive::at(file, line)),
        ..advice::Region::default()
    }
}

/// Number of the machine's processors that are online.
fn online() -> u64 {
    let listed = std::fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    // As in `0-3,8`.
    let range = |range: &str| {
        let (first, last) = range.trim().split_once('-').unwrap_or((range.trim(), range.trim()));
        Some(last.parse::<u64>().ok()?.checked_sub(first.parse().ok()?)? + 1)
    };
    listed.split(',').filter_map(range).sum()
}

/// Number of processors that the threads may use at the same time.
fn processors(process: &Process) -> Option<f64> {
    let allowed = process.processors_allowed.map(f64::from);
    allowed.into_iter().chain(process.quota).reduce(f64::min)
}

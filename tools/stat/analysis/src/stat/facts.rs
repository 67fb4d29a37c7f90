//! The figures of a process, as input for the rules of `advice`.
#![cfg_attr(not(test), expect(clippy::disallowed_methods, reason = "of the system, or of `ora` itself in `/proc`"))]

use advice::tally::{self, Tally};
use advice::{Directive, Facts, Wait, Waits};
use stat_layout::stat::layout::Activity;
use stat_layout::stat::regions::Exclusive;
use terminal::printable::Foreign;

use super::figures::Figures;
use super::regions::Region;
use super::runtimes;
use super::snapshot::Process;
use crate::advised;

/// The source of a region is read if the region takes at least this part of the wall time.
const MATTERS: f64 = 0.02;

/// The figures are the means of all runs; the surroundings are those of the last one.
pub fn of(process: &Process, figures: &Figures) -> Facts {
    let spent = |activity| figures.spent(activity).mean;
    let begun = |activity| whole(figures.begun(activity).mean);
    let wait =
        |activity| Wait { ns: spent(activity), dearest: costliest(process, activity), count: Some(begun(activity)) };
    let means = figures.for_rules;
    let used = runtimes::of(process);
    let main = used.first().filter(|one| one.regions > 0).and_then(|one| one.path);
    Facts {
        wall_ns: figures.wall_ns.mean,
        all_ns: figures.elapsed_ns.mean,
        running_ns: figures.running_ns.mean,
        serial_ns: means.serial_ns,
        serial_wall_ns: Some(means.serial_wall_ns),
        serial_asleep_ns: Some(means.serial_asleep_ns),
        idle_ns: spent(Activity::Idle),
        spun_idle_ns: means.spun_idle_ns,
        knows_spinning: true,
        spun_at_barriers_ns: means.spun_at_barriers_ns,
        ready_ns: figures.ready_ns.mean,
        turns: Some(means.turns).filter(|turns| *turns > 0.0),
        moves: whole(means.moves),
        outside_ns: means.outside_ns,
        asleep_ns: (means.asleep_ns - means.too_deep_ns).max(0.0),
        too_deep_ns: means.too_deep_ns,
        team_threads: process.team_threads as u64,
        processors: processors(process),
        allowed: process.processors_allowed.map(u64::from),
        online: Some(online()),
        ended_workers: whole(means.ended_workers),
        pool_owners: whole(means.pool_owners),
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
                count: Some(begun(Activity::ImplicitBarrier) + begun(Activity::ExplicitBarrier)),
            },
            ..Waits::default()
        },
        regions: figures.by_place.iter().map(|it| region(it, figures.wall_ns.mean)).collect(),
        settings: process.settings.iter().map(|(name, value)| (text(name), text(value))).collect(),
        ..Facts::default()
    }
}

/// A mean of counts as a count.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a mean of whole numbers")]
fn whole(mean: f64) -> u64 {
    mean.round() as u64
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
        directive: place.line().filter(|_| matters).and_then(|(file, line)| Directive::at(file, line, None)),
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

#[cfg(test)]
mod tests {
    use std::rc::Rc;
    use std::sync::atomic::Ordering::Relaxed;

    use stat_layout::area::SharedArea;
    use stat_layout::stat::layout::Area;
    use stat_layout::ticks::{Moment, Pace, Source};

    use super::*;
    use crate::stat::snapshot::Run;
    use crate::{Exit, FinishedRun};

    /// A run whose only thread spent this time in serial code, and this number of waits.
    fn run(serial_ns: u64, waits: u64) -> Run {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let area = shared.area();
        let (pid, now) = (u32::MAX, Moment::now(Source::Monotonic));
        area.process_table.header.root_pid.store(pid, Relaxed);
        area.process_table.header.processes.store(1, Relaxed);
        area.process_table.process_slots().for_each(|(_, slot)| slot.pid.store(pid, Relaxed));
        let (_, thread) = area.claim_thread().unwrap();
        thread.owner.store(1, Relaxed);
        thread.end_ns.store(1000, Relaxed);
        for (activity, ns) in [(Activity::Work, 10), (Activity::Serial, serial_ns)] {
            thread.spent_ns[activity as usize].store(ns, Relaxed);
        }
        thread.begun[Activity::Critical as usize].store(waits, Relaxed);
        let pace = Pace::between(now, now);
        let finished = FinishedRun { exit: Exit::Code(0), start_ns: 0, end_ns: 1000, cpu_ns: 7, pace };
        Run::read(area, &finished, &Rc::default())
    }

    #[test]
    fn the_order_of_runs_that_differ_changes_no_figure() {
        for runs in [[run(0, 0), run(100, 10)], [run(100, 10), run(0, 0)]] {
            let processes: Vec<&Process> = runs.iter().filter_map(|run| run.main.as_ref()).collect();
            let facts = of(processes[1], &Figures::of(&processes));
            assert_eq!((facts.serial_wall_ns, facts.waits.critical.count), (Some(50.0), Some(5)));
        }
    }
}

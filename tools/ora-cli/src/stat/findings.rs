//! Findings above the table: the largest losses of the threads' time, and the remedy, as far as the figures show the
//! reason.
//!
//! Of a region's content the collector knows the number of tasks and of chunks of loops. `ora profile` knows more.

use ora_collectors::stat::layout::Activity;
use report::names::brief;

use super::figures::Figures;
use super::regions::{Region, Sums, whole};
use super::snapshot::Process;
use crate::places::Place;
use crate::quantity::{percent, time};

/// A finding below this part of the threads' time is worth no line.
const WORTH: f64 = 0.05;
/// Regions whose threads do less, all together, are not worth their fork and join.
const SMALL_NS: f64 = 50_000.0;
/// Shorter times may be chance.
const LONG_NS: f64 = 20e6;
/// Work is even below this.
const EVEN: f64 = 0.1;
/// A task whose thread runs for less time, with all that it takes to handle it, is too small.
const SMALL_TASK_NS: f64 = 2_000.0;
/// A share of a loop that takes less time, with its handing out, is too small.
const SMALL_CHUNK_NS: f64 = 500.0;
/// One that takes so long is large enough.
const GOOD_CHUNK_NS: f64 = 10_000.0;
/// So many of them are left for each thread.
const CHUNKS_OF_A_THREAD: u64 = 8;
/// Maximal number of findings.
const MOST: usize = 2;

/// The most important ones first.
pub(super) fn of(process: &Process, figures: &Figures) -> Vec<String> {
    let of_teams = |region: &&Region| region.sums.threads > 1;
    let regions = whole(&figures.by_place.iter().filter(of_teams).cloned().collect::<Vec<_>>());
    let mut found: Vec<(f64, String)> = Vec::new();
    waits(figures, &mut found);
    barriers(figures, &regions, &mut found);
    small_tasks(figures, &mut found);
    small_chunks(figures, &mut found);
    serial(process, figures, &regions, &mut found);
    let all = figures.elapsed_ns.mean;
    found.retain(|(ns, _)| *ns >= LONG_NS.max(WORTH * all));
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    let line = |(ns, text): (f64, String)| format!("{} % of the threads' time {text}.", percent(ns, all));
    found.into_iter().take(MOST).map(line).collect()
}

fn waits(figures: &Figures, found: &mut Vec<(f64, String)>) {
    for (activity, text) in [
        (
            Activity::Critical,
            "is waits for critical sections: make them shorter, or name those that guard different data",
        ),
        (Activity::Lock, "is waits for locks: hold them for less time, or use more of them"),
        (Activity::Atomic, "is waits for atomic updates: let each thread add up for itself, as in a reduction"),
        (Activity::Ordered, "is waits for ordered sections: make them shorter, or the loop's chunks smaller"),
    ] {
        found.push((figures.spent(activity).mean, text.to_owned()));
    }
}

/// Regions without work have nothing to share.
fn barriers(figures: &Figures, all: &Sums, found: &mut Vec<(f64, String)>) {
    let each_ns = all.shares_ns as f64 / all.ended.max(1) as f64;
    if all.ended > 0 && each_ns < SMALL_NS {
        // What the peers have no processor for is said by another finding.
        let ns = all.barrier_ns.saturating_sub(all.no_processor_ns) as f64;
        let text = format!(
            "is waits at barriers of regions whose threads run for {} each, all together: join them, or use fewer threads",
            time(each_ns)
        );
        found.push((ns, text));
        return;
    }
    let is_uneven = |region: &&Region| region.sums.imbalance().is_some_and(|share| share >= EVEN);
    // Who executes more of so many small tasks is chance.
    let uneven = figures.by_place.iter().filter(|region| is_uneven(region) && small_task_ns(region).is_none());
    let Some(worst) = uneven.max_by_key(|region| region.sums.imbalance_ns) else { return };
    let remedy = match worst.sums.tasks {
        0 => "share its work more evenly (`ora profile` says how)".to_owned(),
        tasks => format!(
            "of its {tasks} tasks make the longest ones smaller, and create them first (`ora tasks` shows them), or share its other \
             work more evenly"
        ),
    };
    found.push((worst.sums.imbalance_ns as f64, format!("is imbalance in {}: {remedy}", name(worst))));
}

/// The time that the threads run for each task of the region, where that is too short. What it takes to handle a task is in it.
fn small_task_ns(region: &Region) -> Option<f64> {
    let Sums { tasks, shares_ns, work_ns, .. } = region.sums;
    let ran_ns = if shares_ns > 0 { shares_ns } else { work_ns };
    let each_ns = ran_ns as f64 / tasks as f64;
    (tasks > 0 && each_ns < SMALL_TASK_NS).then_some(each_ns)
}

fn small_tasks(figures: &Figures, found: &mut Vec<(f64, String)>) {
    let spent_ns = |region: &Region| region.sums.work_ns + region.sums.barrier_ns;
    let all = figures.by_place.iter().filter_map(|region| Some((region, small_task_ns(region)?)));
    let Some((worst, each_ns)) = all.max_by_key(|(region, _)| spent_ns(region)) else { return };
    let text = format!(
        "goes into {}, whose {} tasks take {} each, with all that it takes to handle them: make them larger (`ora tasks` says how \
         large)",
        name(worst),
        worst.sums.tasks,
        time(each_ns)
    );
    found.push((spent_ns(worst) as f64, text));
}

/// The time that the threads run for each share of the region's loops, where that is too short. What it takes to hand it out is in it.
fn small_chunk_ns(region: &Region) -> Option<f64> {
    let Sums { chunks, shares_ns, work_ns, .. } = region.sums;
    let ran_ns = if shares_ns > 0 { shares_ns } else { work_ns };
    let each_ns = ran_ns as f64 / chunks as f64;
    (chunks > 0 && each_ns < SMALL_CHUNK_NS).then_some(each_ns)
}

/// The factor, a power of two, by which shares that take so long each had better be larger. `None`: each thread would get too few, and the
/// loop would be shared out unevenly.
fn larger_chunks(region: &Sums, each_ns: f64) -> Option<f64> {
    let Sums { chunks, ended, threads, .. } = region;
    let most = *chunks as f64 / (ended.max(&1) * threads.max(&1) * CHUNKS_OF_A_THREAD) as f64;
    let larger = (GOOD_CHUNK_NS / each_ns).min(most);
    (larger >= 2.0).then(|| larger.log2().floor().exp2())
}

fn small_chunks(figures: &Figures, found: &mut Vec<(f64, String)>) {
    let spent_ns = |region: &Region| region.sums.work_ns + region.sums.barrier_ns;
    let all = figures.by_place.iter().filter_map(|region| {
        let each_ns = small_chunk_ns(region)?;
        Some((region, each_ns, larger_chunks(&region.sums, each_ns)?))
    });
    let Some((worst, each_ns, larger)) = all.max_by_key(|(region, ..)| spent_ns(region)) else { return };
    let text = format!(
        "goes into {}, whose loops are handed out in {} chunks of {} each, with all that it takes to hand them out: make them some \
         {larger} times as large (where it is schedule(dynamic) now: schedule(dynamic, {larger}) or schedule(guided))",
        name(worst),
        worst.sums.chunks,
        time(each_ns)
    );
    found.push((spent_ns(worst) as f64, text));
}

/// Each moment of serial code makes the other threads idle, but no more than there are.
fn serial(process: &Process, figures: &Figures, all: &Sums, found: &mut Vec<(f64, String)>) {
    let initial = process.threads.iter().filter(|thread| thread.spent(Activity::Work) > 0);
    let running: u64 = initial
        .map(|thread| thread.passed.running_by_activity_ns.get(Activity::Serial as usize).copied().unwrap_or_default())
        .sum();
    let others = all.threads.saturating_sub(1);
    let idle_ns = figures.spent(Activity::Idle).mean.min((running * others) as f64);
    let text = format!(
        "is idle threads while {} are spent in code outside of parallel regions: make that parallel, too (`ora profile` shows it)",
        time(running as f64)
    );
    found.push((idle_ns, text));
}

fn name(region: &Region) -> String {
    match region.place.function() {
        Some(function) => region.place.with_function(brief(function)).name(),
        None if region.place == Place::Unknown => "a region whose place is unknown".to_owned(),
        None => region.place.name(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_to_be_as_much_larger_as_leaves_each_thread_enough_of_them() {
        let larger = |chunks, each_ns| {
            let region = Sums { chunks, ended: 10, threads: 4, ..Sums::default() };
            larger_chunks(&region, each_ns)
        };
        assert_eq!(larger(1_000_000, 100.0), Some(64.0));
        assert_eq!(larger(1_000_000, 400.0), Some(16.0));
        // Fewer than 16 for each thread and region are no finding.
        assert_eq!(larger(10 * 4 * 16, 100.0), Some(2.0));
        assert_eq!(larger(10 * 4 * 31, 100.0), Some(2.0));
        assert_eq!(larger(10 * 4 * 16 - 1, 100.0), None);
        assert_eq!(larger(10 * 4 * 3, 100.0), None);
    }
}

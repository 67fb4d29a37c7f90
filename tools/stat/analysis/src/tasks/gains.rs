//! Tasks that cost more than they gain, and the gains of a cut-off, of larger tasks, and of evenly distributed ones.

use untrusted::figure::Total;

use super::construct::Construct;
use super::snapshot::{Level, Process};
use super::subtrees::{Branching, largest_part};

/// A task pays off if it runs for at least this many times as long as it costs.
const MIN_RATIO: f64 = 20.0;
/// Number of tasks for each thread that allows work to be shared evenly.
const TASKS_PER_THREAD: u64 = 8;
/// A cut-off is not mentioned if it gains less than this part of all the tasks' time.
const GAIN: f64 = 0.01;

/// Long tasks are not mentioned if they run alone for less than this part of the time of all tasks.
const ALONE: f64 = 0.05;

/// Tasks that ran for less time than it took to create them and to get them from the pool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Small {
    /// Approximate number, from a histogram.
    pub(super) count: u64,
    /// Cost of one task besides its body.
    pub(super) cost_ns: f64,
}

/// Gain of creating no tasks below a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CutOff {
    /// The deepest level that keeps its tasks.
    pub(super) level: usize,
    pub(super) saved_tasks: u64,
    /// Time saved, over all threads.
    pub(super) saved_ns: f64,
    /// Tasks that would be left at that level, and how long one of them would run on average.
    pub(super) left: u64,
    pub(super) left_ns: f64,
}

/// For tasks that are all on one level: the number of them to join into one; all of them if even that would not pay
/// off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Joined {
    pub(super) each: u64,
    pub(super) saved_ns: f64,
}

/// Tasks are long if they ran alone for this many times as long as half of their place's took.
const LONG: f64 = 2.0;

/// The place whose long tasks ran for the longest time while no other thread had one, if that is worth mentioning.
pub(super) fn alone(process: &Process) -> Option<&Construct> {
    let held_ns: f64 = process.constructs.iter().map(|construct| construct.alone_held_ns).sum();
    let all_ns = process.sum_ns(|thread| thread.execution_ns) - held_ns;
    let longest = process.constructs.iter().max_by(|one, other| one.alone_ns.total_cmp(&other.alone_ns))?;
    (longest.alone_ns > 0.0 && longest.alone_ns >= all_ns * ALONE).then_some(longest)
}

/// True if the tasks that ran alone are longer than the others of their place. If they are not, there were too few at a time.
pub(super) fn are_long(construct: &Construct) -> bool {
    let each_ns = construct.alone_ns / construct.alone_tasks.max(1) as f64;
    construct.execution.quantile_ns(0.5).is_none_or(|half_ns| each_ns >= LONG * half_ns)
}

/// Small tasks of one construct. The cost is the typical one: a thread that lost its processor says nothing about creations.
/// `None` where creations can't be seen: then the cost of a task is unknown.
pub(super) fn small(construct: &Construct, fetch_ns: Option<f64>) -> Option<Small> {
    if !construct.shows_creation {
        return None;
    }
    let created = construct.creation.count.max(1) as f64;
    let deferred = 1.0 - construct.undeferred as f64 / created;
    let cost_ns = construct.creation.quantile_ns(0.5).unwrap_or(0.0) + fetch_ns.unwrap_or(0.0) * deferred;
    Some(Small { count: whole(construct.execution.steps.below(cost_ns).round()), cost_ns })
}

/// A count that was calculated from fractions.
#[allow(clippy::cast_possible_truncation, reason = "what is too large becomes the largest number")]
fn whole(count: f64) -> u64 {
    count as u64
}

/// The best cut-off: the deepest one that leaves tasks that pay off; if there is none, the one that leaves just enough
/// tasks. `None` also if the cost of a task or the time of some tasks is unknown, and where one of the tasks left may
/// have more than a thread's share of all work.
pub(super) fn cut_off(process: &Process) -> Option<CutOff> {
    let branching = Branching::of(&process.constructs, &process.levels);
    let share = 1.0 / threads(process).max(1) as f64;
    best(&process.levels, threads(process), cost_ns(process)?, |level| {
        largest_part(&process.levels, level, &branching) <= share
    })
}

/// True if there is no cut-off only because one of the tasks left may have more than a thread's share of all work.
pub(super) fn may_be_uneven(process: &Process) -> bool {
    let any = cost_ns(process).and_then(|cost_ns| best(&process.levels, threads(process), cost_ns, |_| true));
    any.is_some() && cut_off(process).is_none()
}

fn threads(process: &Process) -> u64 {
    process.threads.iter().filter(|thread| thread.executed > 0).count() as u64
}

/// Cost of a task, if it is known, and the time of all tasks as well.
fn cost_ns(process: &Process) -> Option<f64> {
    let creation_ns = process.creation_ns.filter(|_| process.too_deep() == 0)?;
    Some(creation_ns + process.fetch_ns.unwrap_or(0.0))
}

fn best(levels: &[Level], threads: u64, cost_ns: f64, is_even: impl Fn(usize) -> bool) -> Option<CutOff> {
    let enough = |cut: &&CutOff| cut.left >= threads.max(1) * TASKS_PER_THREAD;
    let even = (1..levels.len()).filter(|level| is_even(*level));
    let cuts: Vec<CutOff> = even.filter_map(|level| at(levels, level, cost_ns)).collect();
    let pays = |cut: &&CutOff| cut.left_ns >= MIN_RATIO * cost_ns;
    let chosen = cuts.iter().rev().filter(enough).find(pays).or_else(|| cuts.iter().find(enough))?;
    let all: f64 = levels.iter().map(|level| level.steady_ns() + level.created as f64 * cost_ns).sum();
    (chosen.saved_ns >= all * GAIN).then_some(*chosen)
}

fn at(levels: &[Level], level: usize, cost_ns: f64) -> Option<CutOff> {
    let (above, gone) = levels.split_at_checked(level)?;
    let last = above.last()?;
    let work: f64 = gone.iter().map(Level::steady_ns).sum();
    let saved_tasks = gone.iter().map(|level| level.created).total();
    Some(CutOff {
        level,
        saved_tasks,
        saved_ns: saved_tasks as f64 * cost_ns,
        left: last.created,
        left_ns: (last.steady_ns() + work) / last.created.max(1) as f64,
    })
}

/// Number of tasks to join into one, if most are small and none is below another.
pub(super) fn joined(process: &Process, construct: &Construct) -> Option<Joined> {
    let Small { count, cost_ns } = small(construct, process.fetch_ns)?;
    let flat = construct.depth_max == 1 && construct.children == 0;
    let executed = construct.execution.count;
    if !flat || count.saturating_mul(2) < executed {
        return None;
    }
    join(executed, construct.execution.quantile_ns(0.5)?, cost_ns)
}

fn join(executed: u64, each_ns: f64, cost_ns: f64) -> Option<Joined> {
    // A single task has nothing to be joined with.
    if executed < 2 {
        return None;
    }
    // No time is shorter than the shortest that can be measured.
    let each_ns = each_ns.max(1.0);
    let each = whole((MIN_RATIO * cost_ns / each_ns).ceil()).clamp(2, executed);
    let saved = executed - executed.div_ceil(each);
    Some(Joined { each, saved_ns: saved as f64 * cost_ns })
}

#[cfg(test)]
mod tests {
    use super::super::histogram::Histogram;
    use super::*;

    fn tree(depth: u32, each_ns: f64) -> Vec<Level> {
        let level = |n: u32| Level {
            created: 1 << n,
            creation_ns: f64::from(1 << n) * 10.0,
            executed: 1 << n,
            execution_ns: f64::from(1 << n) * each_ns,
            executions: Histogram::of(&[(each_ns - 0.5, 0), (each_ns + 0.5, 1 << n)]),
        };
        (1..=depth).map(level).collect()
    }

    #[test]
    fn the_cut_off_leaves_tasks_that_pay() {
        // 2, 4, ... 1024 tasks of 10 ns that cost 20 ns. Below level 4 there are 2 + 4 + ... + 64 times 10 ns for each.
        let cut = best(&tree(10, 10.0), 2, 20.0, |_| true).unwrap();
        assert_eq!((cut.level, cut.left), (5, 32));
        assert_eq!(cut.left_ns, 10.0 * (1.0 + 2.0 + 4.0 + 8.0 + 16.0 + 32.0));
        assert_eq!(cut.saved_tasks, 64 + 128 + 256 + 512 + 1024);
        assert_eq!(cut.saved_ns, cut.saved_tasks as f64 * 20.0);
    }

    #[test]
    fn a_task_whose_thread_lost_its_processor_changes_no_cut_off() {
        let mut levels = tree(10, 10.0);
        let before = best(&levels, 2, 20.0, |_| true);
        levels[5].execution_ns += 1e7;
        levels[5].executions = Histogram::of(&[(9.5, 0), (10.5, 63), (0.9e7, 0), (1.1e7, 1)]);
        assert_eq!(best(&levels, 2, 20.0, |_| true), before);
    }

    #[test]
    fn tasks_that_pay_need_no_cut_off() {
        assert_eq!(best(&tree(10, 1e6), 2, 20.0, |_| true), None);
        assert_eq!(best(&tree(1, 1.0), 2, 20.0, |_| true), None);
        assert_eq!(best(&[], 2, 20.0, |_| true), None);
    }

    #[test]
    fn no_more_tasks_are_joined_than_there_are() {
        // 20 times a cost of 100 ns, in tasks of 10 ns.
        assert_eq!(join(1000, 10.0, 100.0), Some(Joined { each: 200, saved_ns: 995.0 * 100.0 }));
        assert_eq!(join(150, 10.0, 100.0), Some(Joined { each: 150, saved_ns: 149.0 * 100.0 }));
        assert_eq!(join(2, 10.0, 100.0), Some(Joined { each: 2, saved_ns: 100.0 }));
        assert_eq!(join(1, 10.0, 100.0), None);
        assert_eq!(join(0, 0.0, 100.0), None);
    }

    #[test]
    fn enough_tasks_are_left_for_all_threads() {
        let cut = best(&tree(10, 10.0), 16, 20.0, |_| true).unwrap();
        assert_eq!((cut.level, cut.left), (7, 128));
    }

    #[test]
    fn no_cut_off_leaves_a_task_that_may_have_more_than_a_share() {
        let even =
            |limit| move |level: usize| largest_part(&tree(10, 10.0), level, &Branching::at_most(2, 10)) <= limit;
        let before = best(&tree(10, 10.0), 2, 20.0, even(0.5)).unwrap();
        assert_eq!(before.level, 5);
        // As many children as there are tasks below: one may have them all.
        let chain = |level: usize| largest_part(&tree(10, 10.0), level, &Branching::at_most(1024, 10)) <= 0.5;
        assert_eq!(best(&tree(10, 10.0), 2, 20.0, chain).map(|cut| cut.level), None);
    }
}

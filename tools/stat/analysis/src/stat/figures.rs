//! The figures of one process, as means over runs with their deviations.

use stat_layout::stat::layout::{ACTIVITIES, Activity};

use super::efficiency::Efficiency;
use super::means::Means;
use super::regions::{self, Region, Sums, whole};
use super::snapshot::{Kind, Process, Thread};
use untrusted::figure::Total;

/// A mean over runs, and the standard deviation (of the sample: divided by one less than the runs).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Value {
    /// The mean.
    pub mean: f64,
    /// Standard deviation of a single run.
    pub deviation: f64,
}

impl Value {
    /// Mean and deviation of numbers, one from each run.
    pub fn over(numbers: impl Iterator<Item = f64> + Clone) -> Self {
        let count = numbers.clone().count();
        if count == 0 {
            return Self::default();
        }
        let mean = numbers.clone().sum::<f64>() / count as f64;
        let squares: f64 = numbers.map(|number| (number - mean).powi(2)).sum();
        Self { mean, deviation: if count > 1 { (squares / (count - 1) as f64).sqrt() } else { 0.0 } }
    }
}

/// A mean of counts, for people: with its decimals where they matter.
pub(super) fn mean_count(mean: f64) -> String {
    if mean.fract() == 0.0 || mean >= 100.0 { format!("{mean:.0}") } else { format!("{mean:.2}") }
}

/// One process, over all runs.
#[derive(Debug)]
pub struct Figures {
    /// OpenMP threads.
    pub threads: Value,
    /// Parallel regions.
    pub regions: Value,
    /// Regions that were not joined when the process ended.
    pub open_regions: Value,
    /// Mean time of a region, of the runs that had any.
    pub region_ns: Value,
    /// Shortest and longest region of all runs.
    pub region_range_ns: Option<(f64, f64)>,
    /// Time of all threads, by activity.
    pub spent_ns: [Value; ACTIVITIES],
    /// Number of times that each activity started, by activity.
    pub begun: [Value; ACTIVITIES],
    /// All of the time of all threads.
    pub elapsed_ns: Value,
    /// OpenMP Work: work and serial time.
    pub work_ns: Value,
    /// OpenMP Wait: the rest.
    pub wait_ns: Value,
    /// From the process's start to its end.
    pub wall_ns: Value,
    /// CPU time of the process, or of its OpenMP threads where no more is known.
    pub cpu_ns: Value,
    /// Time on a processor.
    pub running_ns: Value,
    /// Time ready without a processor.
    pub ready_ns: Value,
    /// Time blocked.
    pub blocked_ns: Value,
    /// Time of which nothing is known.
    pub unknown_ns: Value,
    /// Estimate of the time that watching has added to the threads' time.
    pub watching_ns: Value,
    /// Load imbalance, where there are barriers.
    pub imbalance: Option<Imbalance>,
    /// Efficiencies, where something ran.
    pub efficiency: Option<Efficiency>,
    /// Time that was charged by a guess.
    pub guessed_ns: Value,
    /// Work in tasks nested so deep that it may have been waits.
    pub too_deep_ns: Value,
    /// Threads created for nested regions, and destroyed with them.
    pub short_lived: Value,
    /// Regions by their place in the program.
    pub by_place: Vec<Region>,
    /// Empty when the runs had different numbers of threads.
    pub rows: Vec<Row>,
    /// Further figures, as facts for the rules.
    pub for_rules: Means,
}

/// If it isn't known for more than this part of the time how much of it was on a processor, there is no efficiency.
const UNKNOWN: f64 = 0.05;

/// Load imbalance: `(max - mean) / max` of the team's work, by instance of a region.
#[derive(Clone, Copy, Debug)]
pub struct Imbalance {
    /// Share between 0 and 1.
    pub share: Value,
    /// Sum of the differences to the largest share, over all members and instances.
    pub lost_ns: Value,
    /// The work that this is about.
    pub work_ns: Value,
    /// The largest shares, all instances.
    pub max_ns: Value,
    /// The mean shares, all instances.
    pub mean_ns: Value,
    /// Size of the largest team.
    pub threads: Value,
}

/// One thread, or one place in the order of threads over all runs.
#[derive(Debug)]
pub struct Row {
    /// Kind of the thread.
    pub kind: Kind,
    /// More than one: threads that used one slot in turn.
    pub turns: u32,
    /// Time by activity.
    pub spent_ns: [f64; ACTIVITIES],
    /// Time ready without a processor.
    pub ready_ns: f64,
}

impl Row {
    /// Its time in one activity.
    pub fn spent(&self, activity: Activity) -> f64 {
        self.spent_ns.get(activity as usize).copied().unwrap_or_default()
    }
}

impl Figures {
    /// Figures of a process over all runs. `runs` has it once for each run, at least once.
    pub fn of(runs: &[&Process]) -> Self {
        let over = |of: &dyn Fn(&Process) -> f64| Value::over(runs.iter().map(|process| of(process)));
        let sum = |of: fn(&Thread) -> u64| over(&|process| process.sum(of) as f64);
        let ranges = || runs.iter().filter_map(|process| process.region_range_ns());
        Self {
            threads: over(&|process| process.count(|_| true) as f64),
            regions: sum(|thread| thread.forks),
            open_regions: sum(|thread| thread.forks.saturating_sub(thread.joins)),
            region_ns: Value::over(runs.iter().filter_map(|process| {
                let joins = process.sum(|thread| thread.joins);
                (joins > 0).then(|| process.sum(|thread| thread.region_ns) as f64 / joins as f64)
            })),
            region_range_ns: ranges()
                .map(|(min, _)| min)
                .min()
                .zip(ranges().map(|(_, max)| max).max())
                .map(|(min, max)| (min as f64, max as f64)),
            spent_ns: Activity::ALL.map(|activity| over(&|process| process.spent_ns(activity) as f64)),
            begun: Activity::ALL.map(|activity| over(&|process| process.begun(activity) as f64)),
            elapsed_ns: over(&|process| process.elapsed_ns() as f64),
            work_ns: over(&|process| process.work_ns() as f64),
            wait_ns: over(&|process| process.elapsed_ns().saturating_sub(process.work_ns()) as f64),
            wall_ns: over(&|process| process.who.wall_ns as f64),
            cpu_ns: over(&|process| {
                process.cpu_ns.unwrap_or_else(|| process.sum(|thread| thread.passed.running_ns)) as f64
            }),
            running_ns: sum(|thread| thread.passed.running_ns),
            ready_ns: sum(|thread| thread.passed.ready_ns),
            blocked_ns: sum(|thread| thread.passed.blocked_ns),
            unknown_ns: sum(|thread| thread.passed.unknown_ns),
            imbalance: Imbalance::of(runs),
            // Of a process whose end was not seen, the last part may be most of the time.
            efficiency: Efficiency::mean(runs).filter(|_| {
                let unknown_ns = runs.iter().map(|process| process.sum(|thread| thread.passed.unknown_ns)).total();
                unknown_ns as f64 <= UNKNOWN * runs.iter().map(|process| process.elapsed_ns()).total() as f64
            }),
            watching_ns: sum(|thread| thread.watching_ns),
            guessed_ns: sum(|thread| thread.guessed_ns),
            too_deep_ns: sum(|thread| thread.too_deep_ns),
            short_lived: over(&|process| process.short_lived() as f64),
            by_place: regions::mean(&runs.iter().map(|process| process.regions.as_slice()).collect::<Vec<_>>()),
            rows: rows(runs),
            for_rules: Means::of(runs),
        }
    }

    /// Time of all threads in one activity.
    pub fn spent(&self, activity: Activity) -> Value {
        self.spent_ns.get(activity as usize).copied().unwrap_or_default()
    }

    /// Number of times that an activity began.
    pub fn begun(&self, activity: Activity) -> Value {
        self.begun.get(activity as usize).copied().unwrap_or_default()
    }
}

impl Imbalance {
    /// `None` unless every run had a region with a team of several.
    fn of(runs: &[&Process]) -> Option<Self> {
        let runs: Vec<Sums> = runs.iter().map(|process| whole(&process.regions)).collect();
        let shares = runs.iter().map(Sums::imbalance).collect::<Option<Vec<f64>>>()?;
        let over = |of: fn(&Sums) -> u64| Value::over(runs.iter().map(|sums| of(sums) as f64));
        Some(Self {
            share: Value::over(shares.into_iter()),
            lost_ns: over(|sums| sums.imbalance_ns),
            work_ns: over(|sums| sums.shares_ns),
            max_ns: over(|sums| sums.max_ns),
            mean_ns: over(|sums| sums.max_ns.saturating_sub(sums.gain_ns)),
            threads: over(|sums| sums.threads),
        })
    }
}

/// The mean of the threads of some rows: its `turns` is the number of these. `None` without rows.
pub(super) fn mean_row(rows: &[Row]) -> Option<Row> {
    let kind = rows.first()?.kind;
    let turns = rows.iter().fold(0u32, |sum, row| sum.saturating_add(row.turns.max(1)));
    let mean = |of: &dyn Fn(&Row) -> f64| rows.iter().map(of).sum::<f64>() / f64::from(turns);
    let spent_ns = Activity::ALL.map(|activity| mean(&|row| row.spent(activity)));
    Some(Row { kind, turns, spent_ns, ready_ns: mean(&|row| row.ready_ns) })
}

fn rows(runs: &[&Process]) -> Vec<Row> {
    let Some((first, rest)) = runs.split_first() else { return Vec::new() };
    if rest.iter().any(|process| process.threads.len() != first.threads.len()) {
        return Vec::new();
    }
    let row = |(place, thread): (usize, &Thread)| {
        let same = || runs.iter().filter_map(move |process| process.threads.get(place));
        let mean = |of: &dyn Fn(&Thread) -> u64| {
            Value::over(same().map(of).map(|ns| ns as f64).collect::<Vec<_>>().into_iter()).mean
        };
        Row {
            kind: thread.kind,
            turns: thread.turns,
            spent_ns: Activity::ALL.map(|activity| mean(&|thread| thread.spent(activity))),
            ready_ns: mean(&|thread| thread.passed.ready_ns),
        }
    };
    first.threads.iter().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_rows_is_that_of_their_threads_also_of_those_in_turn() {
        let row = |turns, ns| Row { kind: Kind::Own, turns, spent_ns: [ns; ACTIVITIES], ready_ns: 2.0 * ns };
        let mean = mean_row(&[row(1, 40.0), row(3, 80.0), row(0, 30.0)]).unwrap();
        assert_eq!((mean.turns, mean.spent(Activity::Work), mean.ready_ns), (5, 30.0, 60.0));
        assert!(mean_row(&[]).is_none());
    }

    #[test]
    fn a_value_is_the_mean_and_the_deviation_of_the_sample() {
        let value = Value::over([2.0, 4.0, 6.0].into_iter());
        assert_eq!((value.mean, value.deviation), (4.0, 2.0));
        assert_eq!(Value::over([5.0].into_iter()), Value { mean: 5.0, deviation: 0.0 });
        assert_eq!(Value::over(std::iter::empty()), Value::default());
        assert_eq!([0.5, 2.0, 1.0 / 3.0, 100.5].map(mean_count), ["0.50", "2", "0.33", "100"]);
    }
}

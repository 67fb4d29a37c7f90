//! Times, speed-ups and efficiencies over the numbers of threads.
//!
//! The efficiency is a product, as in the model of the POP project (<https://pop-coe.eu/node/69>). Parallel efficiency is the part of the
//! threads' wall time in which they run code of the program. Computation scaling is the time for which they run it with the fewest threads,
//! relative to this number of threads. For the parallel efficiency, the number of threads is the requested one.

use advice::{Finding, Place};

use crate::figures::{Part, Run};
use crate::grown::Grown;

/// Part of the wall time below which a row is omitted.
const SHOWN: f64 = 0.01;
/// A larger number of threads has to save at least this part of the wall time.
const GAIN: f64 = 0.05;

/// All runs with one number of threads.
#[derive(Debug)]
pub(crate) struct Point {
    pub(crate) threads: u32,
    /// Wall times of the runs, shortest first.
    pub(crate) walls_ns: Vec<f64>,
    /// Median of the wall times. All other figures belong to that run.
    pub(crate) wall_ns: f64,
    pub(crate) speedup: f64,
    pub(crate) efficiency: f64,
    /// `None` if no OpenMP was seen.
    pub(crate) parallel: Option<f64>,
    pub(crate) computation: Option<f64>,
    /// The part of the threads' time during which they lacked a processor.
    pub(crate) without_processor: f64,
    /// The largest team.
    pub(crate) team: u64,
    /// For each place of regions, the largest team; in ascending order.
    teams: Vec<u64>,
    pub(crate) regions: Vec<Part>,
    pub(crate) findings: Vec<Finding>,
    /// Time for which all threads together ran the program's own code.
    running_ns: f64,
}

/// Place, its wall time for each number of threads, and its speed-up with the last one.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) place: Option<Place>,
    pub(crate) walls_ns: Vec<f64>,
    pub(crate) speedup: f64,
}

/// The measurement as a whole.
#[derive(Debug)]
pub struct Scaling {
    pub(crate) points: Vec<Point>,
    /// Code whose time differs between the first point and [that with samples](Self::to_sample), as far as samples were taken.
    pub grown: Vec<Grown>,
}

/// Finding about threads that sleep in their work.
pub(crate) const ASLEEP: &str = "asleep";
/// Part of the threads' time without a processor from which on a run does not show what more threads gain.
const LACKING: f64 = 0.1;
/// Computation scaling below which the threads have noticeably more to run in total.
pub(crate) const SCALES: f64 = 0.85;

impl Scaling {
    /// Computes the scaling from runs by number of threads. Each number needs at least one run.
    pub fn of(runs: &[(u32, Vec<Run>)]) -> Self {
        let mut points: Vec<Point> = runs.iter().map(|(threads, runs)| Point::of(*threads, runs)).collect();
        let useful = |ns: f64| (ns > 0.0).then_some(ns);
        let first = points.first().map(|first| {
            // Without regions it may run other code: its time is then not comparable.
            let running_ns = useful(first.running_ns).filter(|_| first.team > 0);
            (f64::from(first.threads), first.wall_ns, running_ns)
        });
        for point in &mut points {
            let Some((threads, wall_ns, running_ns)) = first else { continue };
            let share = f64::from(point.threads) / threads;
            point.speedup = wall_ns / point.wall_ns.max(1.0);
            point.efficiency = point.speedup / share;
            point.parallel =
                useful(point.running_ns).map(|ns| ns / (point.wall_ns.max(1.0) * f64::from(point.threads)));
            point.computation = useful(point.running_ns).and_then(|ns| Some(running_ns? / ns));
        }
        Self { points, grown: Vec::new() }
    }

    /// True if threads sleep in their work with the largest number of threads.
    pub(crate) fn sleeps(&self) -> bool {
        let last = self.points.last().filter(|_| self.points.len() > 1);
        last.is_some_and(|last| last.findings.iter().any(|finding| finding.id == ASLEEP))
    }

    /// The numbers of threads that need samples: the smallest one, and the one with which the program's code runs longest in total, if that is
    /// much longer, or the largest if threads sleep there.
    pub fn to_sample(&self) -> Option<(u32, u32)> {
        let (first, sampled) = (self.points.first()?, self.sampled()?);
        self.fixed_team().is_none().then_some((first.threads, sampled.threads))
    }

    /// Point with the most threads if these sleep in their work; otherwise the one at which the program's code runs longest in total, if
    /// that is much longer than with the fewest threads.
    pub(crate) fn sampled(&self) -> Option<&Point> {
        if self.sleeps() {
            return self.points.last();
        }
        let points = self.points.iter().filter_map(|point| Some((point.computation?, point)));
        let (computation, worst) = points.min_by(|(one, _), (other, _)| one.total_cmp(other))?;
        (computation < SCALES).then_some(worst)
    }

    /// True if threads lacked processors at all points that are not faster than the best one and have more threads: these may be slow for
    /// that reason alone.
    pub(crate) fn lacks_processors(&self, best: &Point) -> bool {
        let mut more = self.points.iter().filter(|point| point.threads > best.threads).peekable();
        more.peek().is_some() && more.all(|point| point.without_processor >= LACKING)
    }

    /// The largest team, if all teams are the same for each number of threads: `OMP_NUM_THREADS` changes none of them.
    pub(crate) fn fixed_team(&self) -> Option<u64> {
        let (first, rest) = self.points.split_first()?;
        let is_fixed = first.team > 0 && !rest.is_empty() && rest.iter().all(|point| point.teams == first.teams);
        is_fixed.then_some(first.team)
    }

    /// True if a run had a parallel region.
    pub fn has_regions(&self) -> bool {
        self.points.iter().any(|point| point.team > 0)
    }

    /// Point with the fewest threads that the next ones don't beat by much, and by more than the runs differ.
    pub(crate) fn best(&self) -> Option<&Point> {
        let mut best = self.points.first()?;
        for point in &self.points {
            if point.wall_ns < best.wall_ns * (1.0 - GAIN) && do_not_overlap(&point.walls_ns, &best.walls_ns) {
                best = point;
            }
        }
        Some(best)
    }

    /// The fastest point by the medians, if it may be faster than the best one by chance only: the runs differ too much.
    pub(crate) fn may_be_best(&self) -> Option<&Point> {
        let best = self.best()?;
        let fastest = self.points.iter().min_by(|one, other| one.wall_ns.total_cmp(&other.wall_ns))?;
        (fastest.wall_ns < best.wall_ns * (1.0 - GAIN)).then_some(fastest)
    }

    /// Places by wall time with the most threads, without those that never matter.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let mut places: Vec<Option<Place>> =
            self.points.iter().flat_map(|point| &point.regions).map(|part| part.place.clone()).collect();
        places.sort_by(|one, other| one.as_ref().map(order).cmp(&other.as_ref().map(order)));
        places.dedup();
        let wall = |point: &Point, place: &Option<Place>| {
            point.regions.iter().filter(|part| part.place == *place).map(|part| part.wall_ns).sum::<f64>()
        };
        let matters = |row: &Row| {
            let parts = row.walls_ns.iter().zip(&self.points);
            parts.into_iter().any(|(ns, point)| *ns >= SHOWN * point.wall_ns)
        };
        let row = |place: Option<Place>| {
            let walls_ns: Vec<f64> = self.points.iter().map(|point| wall(point, &place)).collect();
            let (first, last) = (walls_ns.first().copied(), walls_ns.last().copied());
            let speedup = first.unwrap_or_default() / last.unwrap_or_default().max(1.0);
            Row { place, walls_ns, speedup }
        };
        let mut rows: Vec<Row> = places.into_iter().map(row).filter(matters).collect();
        let last = |row: &Row| row.walls_ns.last().copied().unwrap_or_default();
        rows.sort_by(|one, other| last(other).total_cmp(&last(one)));
        rows
    }

    /// Part of the wall time that is outside of regions with the fewest threads. By Amdahl's law its inverse limits the speed-up.
    pub(crate) fn serial_part(&self) -> Option<f64> {
        let first = self.points.first()?;
        let serial = first.regions.iter().find(|part| part.place.is_none())?;
        Some(serial.wall_ns / first.wall_ns.max(1.0))
    }
}

impl Point {
    fn of(threads: u32, runs: &[Run]) -> Self {
        let mut point = Self::with_times(threads, runs.iter().map(|run| run.wall_ns).collect());
        // Times of different runs don't add up.
        let Some(median) = runs.iter().find(|run| run.wall_ns == point.wall_ns) else { return point };
        let Some(subject) = &median.subject else { return point };
        point.running_ns = subject.running_ns;
        point.regions.clone_from(&subject.regions);
        let inside_ns: f64 = point.regions.iter().map(|part| part.wall_ns).sum();
        point.regions.push(Part { place: None, wall_ns: (subject.wall_ns - inside_ns).max(0.0) });
        point.without_processor = subject.without_processor;
        point.team = subject.teams.last().copied().unwrap_or_default();
        point.teams.clone_from(&subject.teams);
        point.findings.clone_from(&subject.findings);
        point
    }

    /// Creates a point without figures of OpenMP.
    fn with_times(threads: u32, mut walls_ns: Vec<f64>) -> Self {
        walls_ns.sort_by(f64::total_cmp);
        Self {
            threads,
            wall_ns: median(&walls_ns),
            walls_ns,
            speedup: 1.0,
            efficiency: 1.0,
            parallel: None,
            computation: None,
            without_processor: 0.0,
            team: 0,
            teams: Vec::new(),
            regions: Vec::new(),
            findings: Vec::new(),
            running_ns: 0.0,
        }
    }
}

/// Order of places with equal times: those with a line come first, then those with a function.
fn order(place: &Place) -> impl Ord {
    let Place { name, function, file, line } = place;
    (line.is_none(), function.is_none(), function, file, line, name)
}

/// True if all runs of one side are faster than the median of the other, and vice versa.
fn do_not_overlap(faster: &[f64], slower: &[f64]) -> bool {
    let (longest, shortest) = (faster.last().copied(), slower.first().copied());
    longest.unwrap_or_default() < median(slower) && median(faster) < shortest.unwrap_or_default()
}

/// Median of sorted numbers; for an even count, the smaller of the two in the middle.
fn median(sorted: &[f64]) -> f64 {
    sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaling(walls: &[(u32, f64)]) -> Scaling {
        let point = |(threads, wall_ns): &(u32, f64)| Point::with_times(*threads, vec![*wall_ns]);
        Scaling { points: walls.iter().map(point).collect(), grown: Vec::new() }
    }

    #[test]
    fn more_threads_must_save_a_part_of_the_time() {
        let best = |walls: &[(u32, f64)]| scaling(walls).best().map(|best| best.threads);
        assert_eq!(best(&[(1, 100.0), (2, 51.0), (4, 49.0), (8, 60.0)]), Some(2));
        assert_eq!(best(&[(1, 100.0), (2, 110.0), (4, 60.0)]), Some(4));
        assert_eq!(best(&[]), None);
    }

    #[test]
    fn runs_that_differ_by_more_than_the_numbers_of_threads_decide_nothing() {
        let best = |one: &[f64], two: &[f64]| {
            let points = vec![Point::with_times(1, one.to_vec()), Point::with_times(2, two.to_vec())];
            Scaling { points, grown: Vec::new() }.best().map(|best| best.threads)
        };
        assert_eq!(best(&[100.0, 101.0, 130.0], &[60.0, 70.0, 90.0]), Some(2));
        assert_eq!(best(&[80.0, 101.0, 130.0], &[60.0, 81.0, 90.0]), Some(1));
        assert_eq!(best(&[100.0, 101.0, 130.0], &[60.0, 70.0, 300.0]), Some(1));
    }

    #[test]
    fn the_median_is_one_of_the_numbers() {
        assert_eq!((median(&[1.0, 2.0, 9.0]), median(&[1.0, 3.0]), median(&[])), (2.0, 1.0, 0.0));
    }
}

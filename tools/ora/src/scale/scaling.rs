//! Times, speed-ups and efficiencies over the numbers of threads.
//!
//! The efficiency is a product, as in the model of the POP project (<https://pop-coe.eu/node/69>): parallel efficiency is
//! the part of the threads' wall time in which they run code of the program; computation scaling says how much less they have to run with
//! the fewest threads. For the parallel efficiency the number of threads is the one asked for.

use advice::Finding;
use stat_layout::stat::layout::Activity;

use crate::places::Place;
use crate::stat::snapshot::Process;
use crate::stat::{Report, Run, facts};

/// Parts of the wall time below which a row is left out.
const SHOWN: f64 = 0.01;
/// A further count of threads has to save at least this part of the wall time.
const GAIN: f64 = 0.05;

/// All runs with one number of threads.
#[derive(Debug)]
pub(super) struct Point {
    pub(super) threads: u32,
    /// The wall times of the runs, the shortest one first.
    pub(super) walls_ns: Vec<f64>,
    /// Their median. All other figures are of that run.
    pub(super) wall_ns: f64,
    pub(super) speedup: f64,
    pub(super) efficiency: f64,
    /// `None`: no OpenMP was seen.
    pub(super) parallel: Option<f64>,
    pub(super) computation: Option<f64>,
    /// The largest team.
    pub(super) team: u64,
    pub(super) regions: Vec<Part>,
    pub(super) findings: Vec<Finding>,
    /// Time in which the program ran code of its own, of all threads.
    running_ns: f64,
}

/// The time in the regions of one place. `None`: outside of regions.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) place: Option<Place>,
    pub(super) wall_ns: f64,
}

/// A place, its wall time for each number of threads, and the speed-up of the last one.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) place: Option<Place>,
    pub(super) walls_ns: Vec<f64>,
    pub(super) speedup: f64,
}

/// The measurement as a whole.
#[derive(Debug)]
pub(super) struct Scaling {
    pub(super) points: Vec<Point>,
}

impl Scaling {
    /// Of runs, by number of threads. Each number has at least one.
    pub(super) fn of(runs: &[(u32, Vec<Run>)]) -> Self {
        let mut points: Vec<Point> = runs.iter().map(|(threads, runs)| Point::of(*threads, runs)).collect();
        let first = points.first().map(|first| (f64::from(first.threads), first.wall_ns, first.running_ns));
        for point in &mut points {
            let Some((threads, wall_ns, running_ns)) = first else { continue };
            let share = f64::from(point.threads) / threads;
            point.speedup = wall_ns / point.wall_ns.max(1.0);
            point.efficiency = point.speedup / share;
            let useful = |ns: f64| (ns > 0.0).then_some(ns);
            point.parallel =
                useful(point.running_ns).map(|ns| ns / (point.wall_ns.max(1.0) * f64::from(point.threads)));
            point.computation = useful(point.running_ns).map(|ns| running_ns / ns);
        }
        Self { points }
    }

    /// The point with the least threads that the next ones don't beat by much.
    pub(super) fn best(&self) -> Option<&Point> {
        let mut best = self.points.first()?;
        for point in &self.points {
            if point.wall_ns < best.wall_ns * (1.0 - GAIN) {
                best = point;
            }
        }
        Some(best)
    }

    /// Places by wall time with the most threads, without those that never matter.
    pub(super) fn rows(&self) -> Vec<Row> {
        let mut places: Vec<Option<Place>> =
            self.points.iter().flat_map(|point| &point.regions).map(|part| part.place.clone()).collect();
        places.sort();
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

    /// The part of the wall time outside of regions with the fewest threads. By Amdahl's law its inverse bounds the speed-up.
    pub(super) fn serial_part(&self) -> Option<f64> {
        let first = self.points.first()?;
        let serial = first.regions.iter().find(|part| part.place.is_none())?;
        Some(serial.wall_ns / first.wall_ns.max(1.0))
    }
}

impl Point {
    fn of(threads: u32, runs: &[Run]) -> Self {
        let mut point = Self::with_times(threads, runs.iter().map(|run| run.wall_ns as f64).collect());
        // Times of different runs don't add up.
        let Some(median) = runs.iter().find(|run| run.wall_ns as f64 == point.wall_ns) else { return point };
        let report = Report::of(std::slice::from_ref(median));
        let Some(subject) = report.subject.filter(|subject| subject.process.used_openmp()) else { return point };
        point.running_ns = running_ns(subject.process);
        let outer = subject.figures.by_place.iter().filter(|region| region.sums.nested == 0);
        let of_region = |region: &crate::stat::Region| Part {
            place: Some(region.place.clone()),
            wall_ns: region.sums.total_ns as f64,
        };
        point.regions = outer.map(of_region).collect();
        let inside_ns: f64 = point.regions.iter().map(|part| part.wall_ns).sum();
        point.regions.push(Part { place: None, wall_ns: (subject.figures.wall_ns.mean - inside_ns).max(0.0) });
        point.team = subject.figures.by_place.iter().map(|region| region.sums.threads).max().unwrap_or_default();
        point.findings = advice::findings(&facts::of(subject.process, &subject.figures));
        point
    }

    /// A point without figures of OpenMP.
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
            team: 0,
            regions: Vec::new(),
            findings: Vec::new(),
            running_ns: 0.0,
        }
    }
}

/// Time on processors in work and serial code.
fn running_ns(process: &Process) -> f64 {
    process.sum(|thread| thread.ran(Activity::Work) + thread.ran(Activity::Serial)) as f64
}

/// Of sorted numbers; of an even number of them the smaller one in the middle.
fn median(sorted: &[f64]) -> f64 {
    sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaling(walls: &[(u32, f64)]) -> Scaling {
        let point = |(threads, wall_ns): &(u32, f64)| Point::with_times(*threads, vec![*wall_ns]);
        Scaling { points: walls.iter().map(point).collect() }
    }

    #[test]
    fn more_threads_must_save_a_part_of_the_time() {
        let best = |walls: &[(u32, f64)]| scaling(walls).best().map(|best| best.threads);
        assert_eq!(best(&[(1, 100.0), (2, 51.0), (4, 49.0), (8, 60.0)]), Some(2));
        assert_eq!(best(&[(1, 100.0), (2, 110.0), (4, 60.0)]), Some(4));
        assert_eq!(best(&[]), None);
    }

    #[test]
    fn the_median_is_one_of_the_numbers() {
        assert_eq!((median(&[1.0, 2.0, 9.0]), median(&[1.0, 3.0]), median(&[])), (2.0, 1.0, 0.0));
    }
}

//! Ranks that differ from the others, by the median and the median absolute deviation (MAD): a few of them don't hide
//! themselves, as they would in a mean.

use super::{Job, Rank};

/// Number of deviations from which a rank is reported as different.
const MIN_DEVIATIONS: f64 = 3.5;
/// The standard deviation of a normal distribution, by its MAD.
const DEVIATION: f64 = 1.4826;
/// Minimum difference that is reported, as a part of the wall time.
const MIN_SHARE: f64 = 0.05;

/// Figure by which ranks are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Time outside MPI; all time if that in MPI is not known.
    Outside,
    /// Mean OpenMP Wait of its threads.
    Wait,
    /// Mean time of its threads ready without a processor.
    NoProcessor,
}

impl Figure {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Outside, Self::Wait, Self::NoProcessor];

    /// Key in JSON.
    pub fn key(self) -> &'static str {
        match self {
            Self::Outside => "outside_mpi_ns",
            Self::Wait => "openmp_wait_ns",
            Self::NoProcessor => "no_processor_ns",
        }
    }

    fn of(self, rank: &Rank) -> Option<u64> {
        let mean = |ns: u64| ns / rank.threads.max(1);
        match self {
            Self::Outside => rank.outside_mpi_ns().or(Some(rank.wall_ns)),
            Self::Wait => Some(mean(rank.wait_ns)),
            Self::NoProcessor => rank.ready_ns.map(mean),
        }
    }
}

/// A figure in which a rank differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Index in [`Job::ranks`].
    pub rank: usize,
    /// The figure.
    pub figure: Figure,
    /// Its value.
    pub ns: u64,
    /// Median of all ranks.
    pub median_ns: u64,
}

impl Difference {
    fn size(&self) -> u64 {
        self.ns.abs_diff(self.median_ns)
    }
}

impl Job {
    /// The differences, the largest one first.
    pub fn differences(&self) -> Vec<Difference> {
        let mut found: Vec<Difference> = Figure::ALL.into_iter().flat_map(|figure| self.differing_in(figure)).collect();
        found.sort_by_key(|one| std::cmp::Reverse(one.size()));
        found
    }

    fn differing_in(&self, figure: Figure) -> Vec<Difference> {
        let values: Vec<(usize, u64)> =
            self.ranks.iter().enumerate().filter_map(|(place, rank)| Some((place, figure.of(rank)?))).collect();
        let median_ns = median(values.iter().map(|(_, ns)| *ns).collect(), values.len());
        let deviation_ns = median(values.iter().map(|(_, ns)| ns.abs_diff(median_ns)).collect(), values.len());
        let least_ns = (MIN_DEVIATIONS * DEVIATION * deviation_ns as f64).max(MIN_SHARE * self.wall_ns() as f64);
        let all = values.into_iter().map(|(rank, ns)| Difference { rank, figure, ns, median_ns });
        all.filter(|one| one.size() as f64 > least_ns).collect()
    }
}

/// The middle one of `count` values, of which all but these are 0; for an even number, the mean of the two in the middle; 0
/// for none.
pub(super) fn median(mut values: Vec<u64>, count: usize) -> u64 {
    values.sort_unstable();
    let zeros = count - values.len().min(count);
    let at = |place: usize| place.checked_sub(zeros).and_then(|place| values.get(place)).copied().unwrap_or_default();
    let upper = count / 2;
    if count % 2 == 1 { at(upper) } else { at(upper.saturating_sub(1)).midpoint(at(upper)) }
}

//! The regions by their place in the program: sums of the collector's rows.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;

use stat_layout::stat::regions::RegionRow;
use symbols::{Place, Resolver};
use terminal::printable::Foreign;
use untrusted::figure;

/// The regions of one place. Calls for the same body are one place, also where the compiler has copied the call.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// The place.
    pub place: Place,
    /// The address of the body, where the code shows it.
    body: Option<u64>,
    /// The file of the call, and the address that it returns to.
    pub call: Option<(String, u64)>,
    /// The path of the file that contains the call.
    pub file: Option<Foreign>,
    /// The file of the OpenMP runtime that executes them, if that was seen.
    pub runtime: Option<Foreign>,
    /// Sums of the rows of the place; means over the runs, in whole numbers.
    pub sums: Sums,
    /// Means over the runs, exactly: not every run may execute the region.
    pub per_run: PerRun,
}

/// Numbers of the regions of one place in a run, and their time. A mean of some runs need not be a whole number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PerRun {
    /// Regions that were begun.
    pub count: f64,
    /// Regions that had not ended.
    pub not_ended: f64,
    ended: f64,
    total_ns: f64,
}

/// Counts and times of the regions of one place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Regions that were begun.
    pub count: u64,
    /// Regions that were joined. The times cover only these.
    pub ended: u64,
    /// Time from fork to join.
    pub total_ns: u64,
    /// The longest time of a region.
    pub longest_ns: u64,
    /// Size of the largest team.
    pub threads: u64,
    /// Work of the members.
    pub work_ns: u64,
    /// Waits of the members.
    pub wait_ns: u64,
    /// The waits at barriers: imbalance, waits for members without a processor, and the cost of the barriers
    /// themselves.
    pub barrier_ns: u64,
    /// By instance: the sum of (max - own running time) over the members, as far as they wait for the longest one.
    pub imbalance_ns: u64,
    /// Waits at barriers for members that were ready without a processor.
    pub no_processor_ns: u64,
    /// By instance: (max - mean) of the running time.
    pub gain_ns: u64,
    /// The gain of regions without barriers inside, with the same shares.
    pub phases_ns: u64,
    /// By instance: the sum of the members' running time.
    pub shares_ns: u64,
    /// By instance: the largest running time of a member.
    pub max_ns: u64,
    /// Number of them that were begun inside another region.
    pub nested: u64,
    /// Regions that were too deep inside others to have times.
    pub too_deep: u64,
    /// Explicit tasks that the members have begun.
    pub tasks: u64,
    /// Shares of loops that the members were given.
    pub chunks: u64,
    /// Regions that one thread executed.
    pub alone_ended: u64,
    /// Time of these.
    pub alone_ns: u64,
    /// Waits at barriers that are longer than a barrier takes by itself, and that the members' work does not explain.
    pub(super) late_ns: u64,
}

/// Identity of a region's place, by which rows are merged.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// The body, in this file.
    Body(Option<String>, u64),
    /// The place, where no body is known.
    Place(Place),
}

impl Region {
    #[cfg(test)]
    pub(super) fn at(place: Place, sums: Sums) -> Self {
        let per_run = PerRun::of(sums, 1);
        Self { place, body: None, call: None, file: None, runtime: None, sums, per_run }
    }

    /// The path of the file that contains its body, and the body's address there.
    pub fn body(&self) -> Option<(&str, u64)> {
        self.file.as_ref().map(Foreign::raw).zip(self.body)
    }

    /// Identity of its place.
    pub fn key(&self) -> Key {
        match self.body {
            Some(body) => Key::Body(self.call.as_ref().map(|(object, _)| object.clone()), body),
            None => Key::Place(self.place.clone()),
        }
    }
}

impl PerRun {
    /// The means over `runs` runs with these sums.
    fn of(sums: Sums, runs: u64) -> Self {
        let mean = |sum: u64| sum as f64 / runs as f64;
        Self {
            count: mean(sums.count),
            not_ended: mean(sums.not_ended()),
            ended: mean(sums.ended),
            total_ns: mean(sums.total_ns),
        }
    }

    /// Sum of both.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            not_ended: self.not_ended + other.not_ended,
            ended: self.ended + other.ended,
            total_ns: self.total_ns + other.total_ns,
        }
    }

    /// Mean time of a region, of all runs.
    pub fn mean_ns(&self) -> f64 {
        if self.ended > 0.0 { self.total_ns / self.ended } else { 0.0 }
    }
}

impl Sums {
    fn read(row: &RegionRow) -> Self {
        let all_alone = row.threads.load(Relaxed) <= 1;
        let (alone_ended, alone_ns) =
            if all_alone { (&row.ended, &row.total_ns) } else { (&row.alone_ended, &row.alone_ns) };
        Self {
            alone_ended: figure::read(alone_ended),
            alone_ns: figure::read(alone_ns),
            count: figure::read(&row.count),
            ended: figure::read(&row.ended),
            total_ns: figure::read(&row.total_ns),
            longest_ns: figure::read(&row.longest_ns),
            threads: figure::read(&row.threads),
            work_ns: figure::read(&row.work_ns),
            wait_ns: figure::read(&row.wait_ns),
            barrier_ns: figure::read(&row.barrier_ns),
            imbalance_ns: figure::read(&row.imbalance_ns),
            no_processor_ns: figure::read(&row.no_processor_ns),
            gain_ns: figure::read(&row.gain_ns),
            phases_ns: figure::read(&row.phases_ns),
            shares_ns: figure::read(&row.shares_ns),
            max_ns: figure::read(&row.max_ns),
            nested: figure::read(&row.nested),
            too_deep: figure::read(&row.too_deep),
            tasks: figure::read(&row.tasks),
            chunks: figure::read(&row.chunks),
            late_ns: figure::read(&row.late_ns),
        }
    }

    /// Sum of both.
    pub fn and(self, other: Self) -> Self {
        Self {
            longest_ns: self.longest_ns.max(other.longest_ns),
            threads: self.threads.max(other.threads),
            ..self.each(other, figure::sum)
        }
    }

    /// The sums since an earlier snapshot. The extremes are kept.
    pub(super) fn since(self, earlier: Self) -> Self {
        self.each(earlier, u64::saturating_sub)
    }

    /// The mean over `runs` runs, of which this is the sum.
    fn over(self, runs: u64) -> Self {
        Self { longest_ns: self.longest_ns, threads: self.threads, ..self.each(self, |sum, _| (sum + runs / 2) / runs) }
    }

    fn each(self, other: Self, of: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            count: of(self.count, other.count),
            ended: of(self.ended, other.ended),
            total_ns: of(self.total_ns, other.total_ns),
            work_ns: of(self.work_ns, other.work_ns),
            wait_ns: of(self.wait_ns, other.wait_ns),
            barrier_ns: of(self.barrier_ns, other.barrier_ns),
            imbalance_ns: of(self.imbalance_ns, other.imbalance_ns),
            no_processor_ns: of(self.no_processor_ns, other.no_processor_ns),
            gain_ns: of(self.gain_ns, other.gain_ns),
            phases_ns: of(self.phases_ns, other.phases_ns),
            shares_ns: of(self.shares_ns, other.shares_ns),
            max_ns: of(self.max_ns, other.max_ns),
            nested: of(self.nested, other.nested),
            too_deep: of(self.too_deep, other.too_deep),
            tasks: of(self.tasks, other.tasks),
            chunks: of(self.chunks, other.chunks),
            alone_ended: of(self.alone_ended, other.alone_ended),
            alone_ns: of(self.alone_ns, other.alone_ns),
            late_ns: of(self.late_ns, other.late_ns),
            ..self
        }
    }

    /// Number of regions that had not ended, as far as ends are counted.
    pub fn not_ended(&self) -> u64 {
        self.count.saturating_sub(self.ended.saturating_add(self.too_deep))
    }

    /// Mean time of a region.
    pub fn mean_ns(&self) -> f64 {
        self.total_ns as f64 / self.ended.max(1) as f64
    }

    /// Cost of the barriers themselves: the wait with no member missing, and the time to wake threads up.
    pub fn barrier_cost_ns(&self) -> u64 {
        self.barrier_ns.saturating_sub(figure::sum(self.imbalance_ns, self.no_processor_ns))
    }

    /// `(max - mean) / max` of the members' running time, by instance: 0 is even. `None` without a team of several.
    pub fn imbalance(&self) -> Option<f64> {
        let whole = figure::sum(self.imbalance_ns, self.shares_ns);
        (whole > 0).then(|| self.imbalance_ns as f64 / whole as f64)
    }
}

/// Regions of one process, which has these rows, those with the most to gain first.
pub(super) fn read(rows: &[&RegionRow], resolver: &mut Resolver) -> Vec<Region> {
    let rows = rows.iter().filter(|row| row.count.load(Relaxed) > 0);
    let regions = rows.map(|row| {
        let resolved = resolver.resolve(row.place());
        let body = resolved.has_body.then_some(resolved.address);
        let file = |address| resolver.file(address).map(|path| path.to_owned().into());
        let (runtime, file) = (file(row.runtime.load(Relaxed)), file(row.place()));
        let (call, sums) = (resolver.listed(row.place()), Sums::read(row));
        Region { place: resolved.place, body, call, file, runtime, sums, per_run: PerRun::of(sums, 1) }
    });
    let regions = regions.collect::<Vec<_>>();
    merged(regions.into_iter())
}

/// Charges late members to missing processors. A member that begins or wakes up late may not have had a processor.
/// That explains at most as much as all threads were ready for, with each of them delaying its whole team.
pub(super) fn explain_late(regions: &mut [Region], ready_ns: u64) {
    let all = whole(regions);
    let left_ns = ready_ns.saturating_mul(all.threads).saturating_sub(all.no_processor_ns);
    let part = if all.late_ns > 0 { (left_ns as f64 / all.late_ns as f64).min(1.0) } else { 0.0 };
    for Region { sums, .. } in regions {
        let late_ns = rounded(std::mem::take(&mut sums.late_ns) as f64 * part);
        sums.no_processor_ns = figure::sum(sums.no_processor_ns, late_ns);
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a whole number")]
fn rounded(ns: f64) -> u64 {
    ns as u64
}

/// The means over the regions of some runs of one process.
pub(super) fn mean(runs: &[&[Region]]) -> Vec<Region> {
    let mut all = merged(runs.iter().flat_map(|regions| regions.iter().cloned()));
    let runs = runs.len().max(1) as u64;
    for region in &mut all {
        region.per_run = PerRun::of(region.sums, runs);
        region.sums = region.sums.over(runs);
    }
    all
}

/// Sum over all regions.
pub fn whole(regions: &[Region]) -> Sums {
    regions.iter().fold(Sums::default(), |sums, region| sums.and(region.sums))
}

fn merged(regions: impl Iterator<Item = Region>) -> Vec<Region> {
    let mut found: BTreeMap<Key, Region> = BTreeMap::new();
    for region in regions {
        let key = region.key();
        match found.get_mut(&key) {
            Some(same) => {
                same.sums = same.sums.and(region.sums);
                same.call = same.call.take().min(region.call);
                same.runtime = same.runtime.take().or(region.runtime);
            }
            None => _ = found.insert(key, region),
        }
    }
    let mut all: Vec<Region> = found.into_values().collect();
    all.sort_by_key(|region| std::cmp::Reverse((region.sums.gain_ns, region.sums.total_ns)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(line: u32, body: Option<u64>, sums: Sums) -> Region {
        let place = Place::Line { function: "f".to_owned(), file: "f.c".to_owned(), line };
        Region { body, call: Some(("f".to_owned(), 16)), ..Region::at(place, sums) }
    }

    #[test]
    fn calls_for_one_body_are_one_region_and_two_bodies_on_a_line_are_two() {
        let sums = Sums { count: 2, threads: 3, longest_ns: 5, gain_ns: 1, ..Sums::default() };
        let more = Sums { count: 4, threads: 2, longest_ns: 9, gain_ns: 7, ..Sums::default() };
        let all = merged([region(1, Some(8), sums), region(1, Some(8), more), region(1, Some(9), sums)].into_iter());
        let both = Sums { count: 6, threads: 3, longest_ns: 9, gain_ns: 8, ..Sums::default() };
        assert_eq!(all.iter().map(|region| region.sums).collect::<Vec<_>>(), [both, sums]);
        assert_eq!(whole(&all).count, 8);
    }

    #[test]
    fn means_over_runs_keep_the_extremes() {
        let sums = Sums { count: 5, total_ns: 10, threads: 3, longest_ns: 5, ..Sums::default() };
        let mean = sums.and(sums).over(2);
        assert_eq!(mean, sums);
        assert_eq!(Sums::default().imbalance(), None);
        assert_eq!(Sums { imbalance_ns: 1, shares_ns: 3, ..sums }.imbalance(), Some(0.25));
    }

    #[test]
    fn a_region_that_not_every_run_executes_keeps_its_mean_time() {
        let once = Sums { count: 1, ended: 1, total_ns: 60, longest_ns: 60, ..Sums::default() };
        let (every, some) = (region(1, Some(8), once), region(2, Some(9), once));
        for runs in [2, 3] {
            let mut all = vec![vec![every.clone(), some.clone()]];
            all.resize(runs, vec![every.clone()]);
            let found = mean(&all.iter().map(Vec::as_slice).collect::<Vec<_>>());
            let figures = |body| found.iter().find(|one| one.body == Some(body)).map(|one| one.per_run);
            let seen = figures(9).unwrap();
            assert_eq!((seen.count, seen.not_ended, seen.mean_ns()), (1.0 / runs as f64, 0.0, 60.0));
            assert_eq!(figures(8).map(|it| (it.count, it.mean_ns())), Some((1.0, 60.0)));
        }
    }

    #[test]
    fn late_threads_had_no_processor_as_far_as_threads_were_ready() {
        let sums = Sums { threads: 2, barrier_ns: 100, imbalance_ns: 10, no_processor_ns: 20, ..Sums::default() };
        for (ready_ns, no_processor_ns) in [(0, 20), (10, 20), (20, 40), (1000, 70)] {
            let mut regions = [region(1, None, Sums { late_ns: 50, ..sums })];
            explain_late(&mut regions, ready_ns);
            let [found] = regions.map(|region| region.sums);
            assert_eq!((found.no_processor_ns, found.barrier_cost_ns()), (no_processor_ns, 90 - no_processor_ns));
        }
    }
}

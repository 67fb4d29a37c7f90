//! Imbalance, defined once for all commands: (max - mean) / max of the time that a team's threads run in a region, by
//! instance of the region, summed up. Waits at barriers are for peers that run, for peers that are ready without a
//! processor, or the barrier's own cost.
//!
//! Samples show whole instances only where these are long. Short instances are joined, in their order, until threads
//! have run for long enough. Work that is uneven in each of them, but not over all, shows only in the waits. These
//! count as imbalance as far as peers without a processor, and the cost of barriers, can't explain them.

use rustc_hash::FxHashMap;
use untrusted::figure::{self, Total};

use super::Amount;
use crate::profile::{OUTSIDE, Point, Profile, ThreadFacts, busy_off_processor_ns, is_busy, ready, whole};
use crate::state::State;

/// Number of sampling periods that threads must have run for: one more or less matters little then.
const MIN_PERIODS: u64 = 16;
/// Sampling rate if the file has none: the default of `ora profile`.
const RATE: u32 = 100;

/// Distribution of a region's work over its threads, and causes of their waits at its barriers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Imbalance {
    /// (max - mean) / max of the threads' running time.
    pub share: f64,
    /// The threads' running time.
    pub ran_ns: u64,
    /// Waits at barriers for peers that run.
    pub wait_ns: u64,
    /// Waits at barriers for peers that are ready without a processor.
    pub no_processor_ns: u64,
    /// Waits at barriers after all have arrived: the barrier's own cost.
    pub cost_ns: u64,
    /// Wall-clock time that even shares would save.
    pub gain_ns: u64,
    /// Largest number of threads of an instance with samples.
    pub team: usize,
    /// Maximum number of threads of an instance that run for a fair part of the busiest thread's time.
    pub busy: usize,
    /// Number of instances with samples.
    pub instances: u64,
    /// True if the waits were measured from start to end, or seen by so many samples that chance is excluded.
    pub certain: bool,
}

/// Minimum number of samples of waits that were not measured: four of their standard deviations.
const CERTAIN: u64 = 16;
/// A thread with less than one part in this number of the busiest one's time doesn't have a noteworthy share of the work.
const FAIR: u64 = 10;

/// Upper bound of a barrier's own cost for each thread: the time to wake it up.
const BARRIER_NS: u64 = 30_000;

/// A thread in one or more instances of a region.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    /// Wall-clock time for which it doesn't wait, in nanoseconds.
    busy_ns: u64,
    /// CPU time of [`Share::busy_ns`].
    cpu_ns: u64,
    /// Wall-clock time at barriers.
    wait_ns: u64,
    samples: u64,
}

impl Share {
    fn add(&mut self, point: &Point) {
        self.samples = figure::sum(self.samples, u64::from(!point.is_part));
        if is_barrier(point.state) {
            self.wait_ns = figure::sum(self.wait_ns, point.wall_ns);
        } else if is_busy(point.state) {
            self.busy_ns = figure::sum(self.busy_ns, point.wall_ns);
            self.cpu_ns = figure::sum(self.cpu_ns, point.cpu_ns.min(point.wall_ns));
        }
    }
}

pub(crate) fn is_barrier(state: State) -> bool {
    matches!(state, State::IMPLICIT_BARRIER | State::EXPLICIT_BARRIER)
}

/// A region of the program's text, process and instance.
type Instance = (u32, u32, u64);

/// Imbalance of each construct.
pub(super) fn imbalances(profile: &Profile) -> FxHashMap<u32, Imbalance> {
    let ready = ready(profile);
    let mut seen: Vec<(Instance, u32, &Point)> = Vec::new();
    let mut waits: FxHashMap<u32, (Amount, u64)> = FxHashMap::default();
    for point in profile.samples.iter().filter(|point| point.nest != OUTSIDE) {
        let Some(construct) = profile.constructs(point.nest).next() else { continue };
        let process = profile.threads.get(point.thread as usize).map_or(0, |thread| thread.process);
        seen.push(((construct, process, point.region), point.thread, point));
        if is_barrier(point.state) {
            let (all, measured_ns) = waits.entry(construct).or_default();
            *all += point;
            *measured_ns = figure::sum(
                *measured_ns,
                if point.moment == profile_format::Moment::WaitEnd { point.wall_ns } else { 0 },
            );
        }
    }
    seen.sort_unstable_by_key(|(instance, thread, _)| (*instance, *thread));
    let instances = || seen.chunk_by(|(one, ..), (other, ..)| one == other);
    let mut found: FxHashMap<u32, Found> = FxHashMap::default();
    // Number of instances for each instance that has samples.
    let mut each: FxHashMap<u32, u64> = FxHashMap::default();
    let processes = instances().filter_map(|points| Some(points.first()?.0.1));
    processes.for_each(|process| *each.entry(process).or_default() += 1);
    for (process, seen) in &mut each {
        let begun = profile.processes.get(*process as usize).map_or(0, |process| process.last_region);
        *seen = begun / (*seen).max(1);
    }
    let mut window = Window::default();
    for points in instances() {
        let Some(((construct, process, _), ..)) = points.first() else { continue };
        if window.of != Some((*construct, *process)) {
            window.close(&ready, &mut found);
            let (of, period_ns) = (Some((*construct, *process)), period_ns(profile, *process));
            window = Window { of, period_ns, each: each.get(process).copied().unwrap_or(1), ..Window::default() };
        }
        window.add(points);
        if window.is_full() {
            window.close(&ready, &mut found);
        }
    }
    window.close(&ready, &mut found);
    let late_ns: u64 = found.values().map(|found| found.late_ns).total();
    // A thread that gets a processor late where it waits makes its team wait longer.
    let team = found.values().map(|found| found.sum.team).max().unwrap_or(1) as u64;
    let part = if late_ns > 0 { ready_in_waits_ns(profile, &ready) as f64 * team as f64 / late_ns as f64 } else { 0.0 };
    let finish = |(construct, Found { mut sum, late_ns, late_gain_ns }): (u32, Found)| {
        let no_processor = whole_of(late_ns, part);
        sum.no_processor_ns = sum.no_processor_ns.saturating_add(no_processor);
        sum.wait_ns = sum.wait_ns.saturating_add(late_ns - no_processor);
        sum.gain_ns = sum.gain_ns.saturating_add(late_gain_ns - whole_of(late_gain_ns, part));
        let whole = sum.wait_ns.saturating_add(sum.ran_ns);
        sum.share = if whole > 0 { sum.wait_ns as f64 / whole as f64 } else { 0.0 };
        let (waits, measured_ns) = waits.get(&construct).copied().unwrap_or_default();
        sum.certain = measured_ns.saturating_mul(2) >= waits.total_ns() || waits.samples >= CERTAIN;
        (construct, sum)
    };
    found.into_iter().map(finish).collect()
}

/// Sums of one construct.
#[derive(Default)]
struct Found {
    sum: Imbalance,
    /// Waits that the threads' work doesn't explain, and the time that even shares would save if they were imbalance.
    late_ns: u64,
    late_gain_ns: u64,
}

/// Time for which threads were ready without a processor while they waited.
fn ready_in_waits_ns(profile: &Profile, ready: &[f64]) -> u64 {
    let off_ns = busy_off_processor_ns(profile);
    let in_work = off_ns.iter().zip(ready).map(|(off_ns, part)| whole(*off_ns as f64 * part));
    let rest = profile.threads.iter().zip(in_work);
    rest.map(|(thread, in_work)| thread.ready_ns.unwrap_or_default().saturating_sub(in_work)).total()
}

fn whole_of(ns: u64, part: f64) -> u64 {
    whole(ns as f64 * part.min(1.0)).min(ns)
}

fn period_ns(profile: &Profile, process: u32) -> u64 {
    let rate = profile.processes.get(process as usize).and_then(|process| process.facts.rate);
    1_000_000_000 / u64::from(rate.unwrap_or(RATE).max(1))
}

/// Time that those of the threads that take part in OpenMP were ready without a processor, in all that they did. `None`: not known.
pub(crate) fn without_processor_ns<'p>(threads: impl Iterator<Item = &'p ThreadFacts>) -> Option<u64> {
    let inside: Vec<_> = threads.filter(|thread| !thread.outside).map(|thread| thread.ready_ns).collect();
    // Threads whose end was not seen have none.
    let known = inside.iter().flatten();
    (known.clone().count() * 2 > inside.len()).then(|| known.copied().total())
}

/// Consecutive instances of a region that together are long enough.
#[derive(Default)]
struct Window {
    /// Number of the construct and of the process.
    of: Option<(u32, u32)>,
    period_ns: u64,
    threads: FxHashMap<u32, Share>,
    /// Sums of all threads.
    all: Share,
    instances: u64,
    /// Number of instances for each instance that has samples.
    each: u64,
    /// Largest number of threads of one instance.
    team: usize,
}

impl Window {
    /// Adds the samples of an instance, ordered by thread.
    fn add(&mut self, points: &[(Instance, u32, &Point)]) {
        self.instances += 1;
        self.team = self.team.max(points.chunk_by(|(_, one, _), (_, other, _)| one == other).count());
        for (_, thread, point) in points {
            self.threads.entry(*thread).or_default().add(point);
            self.all.add(point);
        }
    }

    fn is_full(&self) -> bool {
        figure::sum(self.all.busy_ns, self.all.wait_ns) >= MIN_PERIODS * self.period_ns * self.threads.len() as u64
    }

    /// Adds the window's sums to its construct, and starts a new window.
    fn close(&mut self, ready: &[f64], found: &mut FxHashMap<u32, Found>) {
        let Some((construct, _)) = self.of else { return };
        let threads = std::mem::take(&mut self.threads);
        let (instances, samples) = (std::mem::take(&mut self.instances), std::mem::take(&mut self.all).samples);
        let team_seen = std::mem::take(&mut self.team);
        // If each one has several samples, none is missing.
        let barriers = if samples > 2 * instances { instances } else { instances.saturating_mul(self.each.max(1)) };
        let team = threads.len() as u64;
        let (mut wait_ns, mut no_processor_ns, mut ran_ns, mut longest_ns) = (0_u64, 0_u64, 0_u64, 0_u64);
        let (mut ran, mut waits) = (Vec::new(), Vec::new());
        for (thread, share) in &threads {
            let part = ready.get(*thread as usize).copied().unwrap_or(1.0);
            let off = whole(share.busy_ns.saturating_sub(share.cpu_ns) as f64 * part);
            let own = share.busy_ns.saturating_sub(off);
            wait_ns = wait_ns.saturating_add(share.wait_ns);
            no_processor_ns = no_processor_ns.saturating_add(off);
            ran_ns = ran_ns.saturating_add(own);
            longest_ns = longest_ns.max(own);
            ran.push(own);
            waits.push(share.wait_ns);
        }
        // A thread that runs for less time waits for the others as far as it had a processor. Each may have a sample more or less
        // than is due to it.
        let uneven: u64 = ran.iter().zip(&waits).map(|(own, wait_ns)| (longest_ns - own).min(*wait_ns)).total();
        let lasting = uneven.saturating_sub(if instances > 1 { team * self.period_ns } else { 0 });
        // A thread without a processor makes all others wait.
        let others = no_processor_ns.saturating_mul(team.saturating_sub(1)).min(wait_ns - lasting);
        let rest = wait_ns - lasting - others;
        let cost = if instances > 1 { barriers.saturating_mul(BARRIER_NS * team).min(rest) } else { 0 };
        let Found { sum, late_ns, late_gain_ns } = found.entry(construct).or_default();
        *late_ns = late_ns.saturating_add(rest - cost);
        *late_gain_ns = late_gain_ns.saturating_add((rest - cost) / team.max(1));
        sum.cost_ns = sum.cost_ns.saturating_add(cost);
        sum.wait_ns = sum.wait_ns.saturating_add(lasting);
        sum.no_processor_ns = sum.no_processor_ns.saturating_add(others);
        sum.gain_ns = sum.gain_ns.saturating_add(lasting / team.max(1));
        sum.team = sum.team.max(team_seen);
        sum.busy = sum.busy.max(ran.iter().filter(|own| **own > 0 && own.saturating_mul(FAIR) >= longest_ns).count());
        sum.instances = figure::sum(sum.instances, instances);
        sum.ran_ns = sum.ran_ns.saturating_add(ran_ns);
    }
}

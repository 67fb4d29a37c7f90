//! One observation of the figures: those of the whole time, and those of the interval since the last observation.

use stat_analysis::stat::snapshot::Process;
use stat_analysis::stat::{Resolvers, Run};
use stat_layout::clock::monotonic_ns;

use super::source::Source;

/// Figures of one process.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) interval: Process,
    pub(super) total: Process,
}

impl Pair {
    /// Figures of the whole time, or those of the interval.
    pub(super) fn of(&self, total: bool) -> &Process {
        if total { &self.total } else { &self.interval }
    }
}

/// Observation of all processes that are counted together.
#[derive(Clone, Debug, Default)]
pub(super) struct Sample {
    /// Time since the start.
    pub(super) at_ns: u64,
    /// Time since the last observation.
    pub(super) interval_ns: u64,
    /// The process that the user requested comes first.
    pub(super) processes: Vec<Pair>,
}

/// Takes the samples.
#[derive(Debug)]
pub(super) struct Sampler {
    resolvers: Resolvers,
    has_regions: bool,
    pid: Option<u32>,
    begun_ns: u64,
    /// Figures from before the start, which are subtracted.
    base: Vec<Process>,
    /// The last observation, without the base.
    before: Vec<Process>,
    before_ns: u64,
}

impl Sampler {
    /// Creates a sampler before the first observation.
    pub(super) fn new(source: &dyn Source) -> Self {
        let so_far = source.so_far();
        let mut sampler = Self {
            resolvers: Resolvers::new(&source.instrumented()),
            has_regions: false,
            pid: source.pid(),
            begun_ns: so_far.start_ns,
            base: Vec::new(),
            before: Vec::new(),
            before_ns: so_far.start_ns,
        };
        if source.is_borrowed() {
            let run = source.read(&so_far, &mut sampler.resolvers);
            let processes: Vec<Process> = all(&run).cloned().collect();
            sampler.before_ns = so_far.end_ns;
            if source.has_begun_earlier() {
                sampler.base = processes;
                sampler.before = sampler.base.iter().map(|process| process.since(process)).collect();
            } else {
                sampler.before = processes;
            }
        }
        sampler
    }

    /// Observes the figures so far.
    pub(super) fn look(&mut self, source: &dyn Source) -> Sample {
        if !self.has_regions && source.area().regions.rows().next().is_some() {
            // A program reports the constructs that OPARI has instrumented at its first region at the latest.
            self.resolvers = Resolvers::new(&source.instrumented());
            self.has_regions = true;
        }
        let so_far = source.so_far();
        let run = source.read(&so_far, &mut self.resolvers);
        self.take(&run, so_far.end_ns)
    }

    /// Makes the last observation, of the final figures.
    pub(super) fn finish(&mut self, run: &Run) -> Sample {
        self.take(run, monotonic_ns())
    }

    fn take(&mut self, run: &Run, at_ns: u64) -> Sample {
        let since = |process: &Process, earlier: &[Process]| {
            let before = earlier.iter().find(|before| before.slot == process.slot);
            before.map_or_else(|| process.clone(), |before| process.since(before))
        };
        let mut totals: Vec<Process> = all(run).map(|process| since(process, &self.base)).collect();
        totals.sort_by_key(|process| (self.pid != Some(process.who.pid), !process.used_openmp()));
        let pair = |total: &Process| Pair { interval: since(total, &self.before), total: total.clone() };
        let sample = Sample {
            at_ns: at_ns.saturating_sub(self.begun_ns),
            interval_ns: at_ns.saturating_sub(self.before_ns),
            processes: totals.iter().map(pair).collect(),
        };
        (self.before, self.before_ns) = (totals, at_ns);
        sample
    }
}

fn all(run: &Run) -> impl Iterator<Item = &Process> {
    run.main.iter().chain(&run.others)
}

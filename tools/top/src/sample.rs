//! One look at the figures: those of all time, and those of the interval since the last look.

use stat_analysis::stat::snapshot::Process;
use stat_analysis::stat::{Resolvers, Run};
use stat_layout::clock::monotonic_ns;

use super::source::Source;

/// The figures of one process.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) interval: Process,
    pub(super) total: Process,
}

impl Pair {
    /// The figures of all time, or those of the interval.
    pub(super) fn of(&self, total: bool) -> &Process {
        if total { &self.total } else { &self.interval }
    }
}

/// A look at all processes that are counted together.
#[derive(Clone, Debug, Default)]
pub(super) struct Sample {
    /// Time since the begin.
    pub(super) at_ns: u64,
    /// Time since the last look.
    pub(super) interval_ns: u64,
    /// That which the user asked for is the first one.
    pub(super) processes: Vec<Pair>,
}

/// Takes the samples.
#[derive(Debug)]
pub(super) struct Sampler {
    resolvers: Resolvers,
    has_regions: bool,
    pid: Option<u32>,
    begun_ns: u64,
    /// Figures before the begin, which count for nothing.
    base: Vec<Process>,
    /// The last look, without the base.
    before: Vec<Process>,
    before_ns: u64,
}

impl Sampler {
    /// No look yet.
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

    /// A look at what there is so far.
    pub(super) fn look(&mut self, source: &dyn Source) -> Sample {
        if !self.has_regions && source.area().regions.rows().next().is_some() {
            // A program says at its first region at the latest what OPARI has instrumented.
            self.resolvers = Resolvers::new(&source.instrumented());
            self.has_regions = true;
        }
        let so_far = source.so_far();
        let run = source.read(&so_far, &mut self.resolvers);
        self.take(&run, so_far.end_ns)
    }

    /// The last look, at the final figures.
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

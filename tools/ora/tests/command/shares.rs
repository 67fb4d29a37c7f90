//! `ora profile`: samples are distributed as the work is. The program itself has measured the distribution of its work.
//!
//! A few seconds of CPU time are enough for 10,000 samples if perf events are permitted. Without them, and in short runs, there are fewer,
//! and the bounds for chance are wider.

use std::collections::BTreeSet;
use std::ops::Range;

use profile_format::{Moment, Sample};

use crate::harness::{Folder, errors, ora, run, text};
use crate::profile_read::{Seen, seen};

const SIGMAS: f64 = 4.0;
const RATE: &str = "5000";

/// Run of `programs/shares.c`.
struct Split {
    process: Seen,
    /// Code of each function, and its CPU time.
    functions: Vec<(Range<u64>, f64)>,
    /// CPU time of each thread.
    threads: Vec<f64>,
}

impl Split {
    fn of(how: &str) -> Self {
        let long = compat_tests::suite::whole_matrix();
        let folder = Folder::new();
        let (program, to) = (folder.compile("shares", "shares", &["-O2", "-fopenmp"]), folder.file("profile"));
        let seconds = if long { "3" } else { "0.5" };
        let words = ["profile", "-F", RATE, "-o"];
        let output = run(ora(&words).arg(&to).arg("--").arg(&program).args([how, seconds]));
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        let process = seen(&to).remove(0);
        let said = text(&output);
        let lines: Vec<Vec<&str>> = said.lines().map(|line| line.split(' ').collect()).collect();
        let address = |word: &str| u64::from_str_radix(&word[2..], 16).unwrap();
        let functions =
            lines[..3].iter().map(|line| (address(line[0])..address(line[1]), line[2].parse().unwrap())).collect();
        let threads = lines[3].iter().map(|time| time.parse().unwrap()).collect();
        let split = Self { process, functions, threads };
        if split.process.info("timer") == "perf" {
            let enough = if long { 10_000 } else { 1500 };
            let count = split.ticks().count();
            assert!(count >= enough, "{count}: {}", errors(&output));
        }
        split
    }

    fn ticks(&self) -> impl Iterator<Item = &Sample> {
        self.process.samples().filter(|sample| sample.moment == Moment::Tick)
    }

    /// Samples in one of the functions.
    fn within(&self, function: usize) -> Vec<&Sample> {
        self.ticks().filter(|sample| self.functions[function].0.contains(&self.process.leaf(sample))).collect()
    }

    fn functions_are_as_measured(&self) {
        let counts: Vec<_> = (0..3).map(|function| self.within(function).len() as f64).collect();
        let times: Vec<_> = self.functions.iter().map(|(_, time)| *time).collect();
        as_measured(&counts, &times);
        assert!(counts.iter().sum::<f64>() > 0.85 * self.ticks().count() as f64, "{counts:?} {}", self.ticks().count());
    }

    /// Number of regions that enclose a sample.
    fn level(&self, sample: &Sample) -> usize {
        let around = |id: &u64| self.process.regions.get(id).map(|region| region.parent).filter(|parent| *parent != 0);
        std::iter::successors(Some(sample.region).filter(|region| *region != 0), around).count()
    }
}

fn as_measured(counts: &[f64], times: &[f64]) {
    let (all, time): (f64, f64) = (counts.iter().sum(), times.iter().sum());
    for (count, took) in counts.iter().zip(times) {
        let (share, truth) = (count / all, took / time);
        let sigma = (truth * (1.0 - truth) / all).sqrt();
        assert!(
            (share - truth).abs() <= SIGMAS * sigma,
            "{share} of {all} samples, {truth} of the time: {counts:?} {times:?}"
        );
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn functions_and_threads_have_the_samples_that_their_work_is_worth() {
    let split = Split::of("threads");
    split.functions_are_as_measured();
    let of = |thread: u32| split.ticks().filter(|sample| sample.thread == thread).count() as f64;
    // A timer rarely hits a thread that was just put on a shared processor.
    if split.process.info("timer") == "perf" {
        as_measured(&[of(0), of(1)], &split.threads);
    }
    // As intended by the program, with some tolerance.
    let times: Vec<f64> = split.functions.iter().map(|(_, time)| *time).collect();
    assert!((0.6..0.8).contains(&(times[0] / (times[0] + times[1]))), "{times:?}");
}

#[test]
#[ignore = "slow: --all runs it"]
fn teams_within_a_team_have_the_samples_that_their_work_is_worth() {
    let split = Split::of("nested");
    split.functions_are_as_measured();
    // Their regions are nested in the same one, and neither belongs to the other team.
    let regions = |function| -> BTreeSet<u64> { split.within(function).iter().map(|sample| sample.region).collect() };
    assert!(regions(0).is_disjoint(&regions(1)));
    let around: BTreeSet<_> =
        regions(0).union(&regions(1)).map(|region| split.process.regions[region].parent).collect();
    assert_eq!(around.len(), 1);
    assert!((0..2).all(|function| split.within(function).iter().all(|sample| split.level(sample) == 2)));
}

#[test]
fn levels_of_a_recursion_have_the_samples_that_their_work_is_worth() {
    let split = Split::of("recursion");
    split.functions_are_as_measured();
    for function in 0..3 {
        let samples = split.within(function);
        let right = samples.iter().filter(|sample| split.level(sample) == function + 1).count();
        assert_eq!(right, samples.len(), "in {} regions", function + 1);
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn tasks_have_the_samples_that_their_work_is_worth() {
    let split = Split::of("tasks");
    split.functions_are_as_measured();
    // In their region, on both threads.
    for thread in 0..2 {
        assert!(split.within(0).iter().any(|sample| sample.thread == thread));
    }
    assert!((0..2).all(|function| split.within(function).iter().all(|sample| split.level(sample) == 1)));
}

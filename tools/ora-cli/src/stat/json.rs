//! The same figures for programs: one JSON object, described in `stat-json.md`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::slice;

use anyhow::Result;
use ora_collectors::stat::layout::Activity;
use report::printable::Foreign;
use serde::Serialize;

use super::figures::{Figures, Value};
use super::measured::{Kind, Process, Run, Thread};
use super::passed::{Passed, Source};
use super::regions::Region;
use super::runtimes::{self, Use};
use crate::ending::Ending;
use crate::places::Place;

/// Goes up when a key changes its meaning or goes away; new keys may come without.
const VERSION: u32 = 2;

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    version: u32,
    ora_version: &'static str,
    command: Vec<String>,
    runs: Vec<OneRun<'a>>,
    /// Over all runs, of their first processes.
    summary: Option<Summary>,
}

#[derive(Serialize)]
struct OneRun<'a> {
    exit_code: Option<u8>,
    signal: Option<i32>,
    wall_ns: u64,
    collector_started: bool,
    processes: Vec<OneProcess<'a>>,
    processes_without_openmp: usize,
    programs_unwatched: u32,
    processes_left_out: usize,
    threads_left_out: usize,
    regions_left_out: u64,
}

#[derive(Serialize)]
struct OneProcess<'a> {
    pid: u32,
    parent_pid: u32,
    command: &'a str,
    origin: &'static str,
    end: &'static str,
    runtimes: Vec<&'static str>,
    runtime_path: Option<&'a str>,
    session_error_code: Option<u32>,
    runtimes_used: Vec<OneRuntime<'a>>,
    unsupported_events: &'a [u32],
    wall_ns: u64,
    regions: Vec<OneRegion<'a>>,
    regions_total: Regions,
    surroundings: Surroundings<'a>,
    time_ns: Activities<u64>,
    #[serde(flatten)]
    passed: HowPassed,
    time_source: &'static str,
    cpu_ns: Option<u64>,
    waits: Waits<u64>,
    openmp_work_ns: u64,
    openmp_wait_ns: u64,
    idle_guessed_ns: u64,
    watching_ns: u64,
    load_imbalance: Option<LoadImbalance>,
    short_lived_threads: u64,
    threads: Vec<OneThread<'a>>,
}

#[derive(Serialize)]
struct OneRuntime<'a> {
    path: Option<&'a str>,
    regions: u64,
    region_ns: u64,
    workers: u64,
    idle_ns: u64,
}

#[derive(Serialize)]
struct Surroundings<'a> {
    processors_allowed: Option<u32>,
    quota: Option<f64>,
    environment: BTreeMap<&'a str, &'a str>,
}

/// Parts that add up to the time.
#[derive(Serialize)]
struct HowPassed {
    running_ns: u64,
    ready_ns: u64,
    blocked_ns: u64,
    unknown_ns: u64,
    running_by_activity_ns: Activities<u64>,
}

#[derive(Serialize)]
struct Regions {
    count: u64,
    not_ended: u64,
    total_ns: u64,
    mean_ns: Option<f64>,
    min_ns: Option<u64>,
    max_ns: Option<u64>,
}

#[derive(Serialize)]
struct OneRegion<'a> {
    function: Option<Cow<'a, str>>,
    file: Option<&'a str>,
    line: Option<u32>,
    object: Option<&'a str>,
    address: Option<u64>,
    count: u64,
    not_ended: u64,
    total_ns: u64,
    mean_ns: Option<f64>,
    longest_ns: u64,
    threads: u64,
    work_ns: u64,
    wait_ns: u64,
    barrier_ns: u64,
    imbalance: Option<f64>,
    imbalance_ns: u64,
    no_processor_ns: u64,
    barrier_cost_ns: u64,
    gain_ns: u64,
    nested: u64,
    tasks: u64,
    chunks: u64,
    runtime: Option<&'a str>,
}

#[derive(Serialize)]
struct LoadImbalance {
    formula: &'static str,
    value: f64,
    imbalance_ns: f64,
    work_ns: f64,
    max_work_ns: f64,
    mean_work_ns: f64,
    threads: f64,
}

#[derive(Serialize)]
struct OneThread<'a> {
    tid: u32,
    kind: &'static str,
    threads_in_turn: u32,
    regions_served: u64,
    runtime: Option<&'a str>,
    time_ns: Activities<u64>,
    #[serde(flatten)]
    passed: HowPassed,
    waits: Waits<u64>,
}

#[derive(Serialize)]
struct Activities<T> {
    work: T,
    serial: T,
    implicit_barrier: T,
    explicit_barrier: T,
    lock: T,
    critical: T,
    ordered: T,
    atomic: T,
    idle: T,
    taskwait: T,
}

#[derive(Serialize)]
struct Waits<T> {
    implicit_barrier: T,
    explicit_barrier: T,
    lock: T,
    critical: T,
    ordered: T,
    atomic: T,
    taskwait: T,
}

#[derive(Serialize)]
struct Summary {
    runs: usize,
    wall_ns: Spread,
    regions: Spread,
    region_mean_ns: Spread,
    time_ns: Activities<Spread>,
    cpu_ns: Spread,
    running_ns: Spread,
    ready_ns: Spread,
    blocked_ns: Spread,
    waits: Waits<Spread>,
    openmp_work_ns: Spread,
    openmp_wait_ns: Spread,
    load_imbalance: Option<Spread>,
}

#[derive(Serialize)]
struct Spread {
    mean: f64,
    standard_deviation: f64,
}

/// The whole object, with a line end behind it.
///
/// # Errors
/// None is known: there is nothing in it that JSON can't say.
pub(super) fn document(command: &[OsString], runs: &[Run]) -> Result<String> {
    let document = Document {
        schema: "ora-stat",
        version: VERSION,
        ora_version: env!("CARGO_PKG_VERSION"),
        command: command.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        runs: runs.iter().map(one_run).collect(),
        summary: summary(runs),
    };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn one_run(run: &Run) -> OneRun<'_> {
    let (exit_code, signal) = match run.ending {
        Ending::Code(code) => (Some(code), None),
        Ending::Signal(signal) => (None, Some(signal)),
    };
    OneRun {
        exit_code,
        signal,
        wall_ns: run.wall_ns,
        collector_started: run.main.is_some(),
        processes: run.main.iter().chain(&run.others).map(one_process).collect(),
        processes_without_openmp: run.without_openmp,
        programs_unwatched: run.unwatched,
        processes_left_out: run.processes_left_out,
        threads_left_out: run.threads_left_out,
        regions_left_out: run.regions_left_out,
    }
}

fn one_process(process: &Process) -> OneProcess<'_> {
    let figures = Figures::of(&[process]);
    let joins = process.sum(|thread| thread.joins);
    let total_ns = process.sum(|thread| thread.region_ns);
    let range = process.region_range_ns();

    OneProcess {
        pid: process.who.pid,
        parent_pid: process.who.parent,
        command: process.who.command.raw(),
        origin: process.who.origin_word(),
        end: process.who.end_word(),
        runtimes: process.who.runtime_words(),
        runtime_path: Some(process.who.runtime_path.raw()).filter(|path| !path.is_empty()),
        session_error_code: process.who.session,
        runtimes_used: runtimes::of(process).into_iter().map(one_runtime).collect(),
        unsupported_events: &process.who.refused,
        wall_ns: process.who.wall_ns,
        regions: process.regions.iter().map(one_region).collect(),
        regions_total: Regions {
            count: process.sum(|thread| thread.forks),
            not_ended: process.sum(|thread| thread.forks.saturating_sub(thread.joins)),
            total_ns,
            mean_ns: (joins > 0).then(|| total_ns as f64 / joins as f64),
            min_ns: range.map(|(min, _)| min),
            max_ns: range.map(|(_, max)| max),
        },
        surroundings: Surroundings {
            processors_allowed: process.processors_allowed,
            quota: process.quota,
            environment: process.settings.iter().map(|(name, value)| (name.raw(), value.raw())).collect(),
        },
        time_ns: activities(|activity| process.spent_ns(activity)),
        passed: passed(&process.threads),
        time_source: match process.source() {
            Source::Schedstat => "schedstat",
            Source::None | Source::CpuClock => "cpu_clock",
        },
        cpu_ns: process.cpu_ns,
        waits: waits(|activity| process.begun(activity)),
        openmp_work_ns: process.work_ns(),
        openmp_wait_ns: process.elapsed_ns() - process.work_ns(),
        idle_guessed_ns: process.sum(|thread| thread.guessed_ns),
        watching_ns: process.sum(|thread| thread.watching_ns),
        load_imbalance: figures.imbalance.map(|imbalance| LoadImbalance {
            formula: "imbalance_ns / (imbalance_ns + work_ns)",
            value: imbalance.share.mean,
            imbalance_ns: imbalance.lost_ns.mean,
            work_ns: imbalance.work_ns.mean,
            max_work_ns: imbalance.max_ns.mean,
            mean_work_ns: imbalance.mean_ns.mean,
            threads: imbalance.threads.mean,
        }),
        short_lived_threads: process.short_lived(),
        threads: process.threads.iter().map(one_thread).collect(),
    }
}

fn one_runtime(one: Use<'_>) -> OneRuntime<'_> {
    let Use { path, regions, region_ns, workers, idle_ns } = one;
    OneRuntime { path: path.map(Foreign::raw), regions, region_ns, workers, idle_ns }
}

fn one_region(region: &Region) -> OneRegion<'_> {
    let sums = &region.sums;
    let (file, line) = match &region.place {
        Place::Line { file, line, .. } => (Some(file.as_str()), Some(*line)),
        _ => (None, None),
    };
    let function = match &region.place {
        Place::Line { function, .. } | Place::Symbol { function, .. } => Some(Cow::Borrowed(function.as_str())),
        Place::Offset { .. } => Some(Cow::Owned(region.place.name())),
        _ => None,
    };
    OneRegion {
        function,
        file,
        line,
        object: region.call.as_ref().map(|(object, _)| object.as_str()),
        address: region.call.as_ref().map(|(_, address)| *address),
        count: sums.count,
        not_ended: sums.count.saturating_sub(sums.ended),
        total_ns: sums.total_ns,
        mean_ns: (sums.ended > 0).then(|| sums.mean_ns()),
        longest_ns: sums.longest_ns,
        threads: sums.threads,
        work_ns: sums.work_ns,
        wait_ns: sums.wait_ns,
        barrier_ns: sums.barrier_ns,
        imbalance: sums.imbalance(),
        imbalance_ns: sums.imbalance_ns,
        no_processor_ns: sums.no_processor_ns,
        barrier_cost_ns: sums.barrier_cost_ns(),
        gain_ns: sums.gain_ns,
        nested: sums.nested,
        tasks: sums.tasks,
        chunks: sums.chunks,
        runtime: region.runtime.as_ref().map(Foreign::raw),
    }
}

fn one_thread(thread: &Thread) -> OneThread<'_> {
    OneThread {
        tid: thread.tid,
        kind: match thread.kind {
            Kind::Initial => "initial",
            Kind::Worker => "worker",
            Kind::Own => "own",
        },
        threads_in_turn: thread.turns,
        regions_served: thread.served,
        runtime: thread.runtime.as_ref().map(Foreign::raw),
        time_ns: activities(|activity| thread.spent(activity)),
        passed: passed(slice::from_ref(thread)),
        waits: waits(|activity| thread.begun.get(activity as usize).copied().unwrap_or_default()),
    }
}

fn passed(threads: &[Thread]) -> HowPassed {
    let sum = |of: &dyn Fn(&Passed) -> u64| threads.iter().map(|thread| of(&thread.passed)).sum();
    HowPassed {
        running_ns: sum(&|passed| passed.running_ns),
        ready_ns: sum(&|passed| passed.ready_ns),
        blocked_ns: sum(&|passed| passed.blocked_ns),
        unknown_ns: sum(&|passed| passed.unknown_ns),
        running_by_activity_ns: activities(|activity| {
            sum(&|passed| passed.running_by_activity_ns.get(activity as usize).copied().unwrap_or_default())
        }),
    }
}

fn summary(runs: &[Run]) -> Option<Summary> {
    let processes: Vec<&Process> = runs.iter().filter_map(|run| run.main.as_ref()).collect();
    if processes.is_empty() {
        return None;
    }
    let figures = Figures::of(&processes);
    Some(Summary {
        runs: runs.len(),
        wall_ns: spread(Value::over(runs.iter().map(|run| run.wall_ns as f64))),
        regions: spread(figures.regions),
        region_mean_ns: spread(figures.region_ns),
        time_ns: activities(|activity| spread(figures.spent(activity))),
        cpu_ns: spread(figures.cpu_ns),
        running_ns: spread(figures.running_ns),
        ready_ns: spread(figures.ready_ns),
        blocked_ns: spread(figures.blocked_ns),
        waits: waits(|activity| spread(figures.begun(activity))),
        openmp_work_ns: spread(figures.work_ns),
        openmp_wait_ns: spread(figures.wait_ns),
        load_imbalance: figures.imbalance.map(|imbalance| spread(imbalance.share)),
    })
}

fn spread(value: Value) -> Spread {
    Spread { mean: value.mean, standard_deviation: value.deviation }
}

fn activities<T>(of: impl Fn(Activity) -> T) -> Activities<T> {
    Activities {
        work: of(Activity::Work),
        serial: of(Activity::Serial),
        implicit_barrier: of(Activity::ImplicitBarrier),
        explicit_barrier: of(Activity::ExplicitBarrier),
        lock: of(Activity::Lock),
        critical: of(Activity::Critical),
        ordered: of(Activity::Ordered),
        atomic: of(Activity::Atomic),
        idle: of(Activity::Idle),
        taskwait: of(Activity::TaskWait),
    }
}

fn waits<T>(of: impl Fn(Activity) -> T) -> Waits<T> {
    Waits {
        implicit_barrier: of(Activity::ImplicitBarrier),
        explicit_barrier: of(Activity::ExplicitBarrier),
        lock: of(Activity::Lock),
        critical: of(Activity::Critical),
        ordered: of(Activity::Ordered),
        atomic: of(Activity::Atomic),
        taskwait: of(Activity::TaskWait),
    }
}

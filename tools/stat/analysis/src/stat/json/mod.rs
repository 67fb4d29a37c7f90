//! The same figures for programs: one JSON object, described in `stat-json.md`.

mod activities;
mod region;
mod summary;
mod thread;

use std::collections::BTreeMap;
use std::ffi::OsString;

use activities::{Activities, Waits, activities, waits};
use advice::Finding;
use anyhow::Result;
use json_document::{Document, Versioned, words};
use profile_analysis::job::json::OneJob;
use region::{OneRegion, one_region};
use serde::Serialize;
use summary::{Summary, summary};
use terminal::printable::Foreign;
use thread::{HowPassed, OneThread, one_thread, passed};

use super::efficiency::Efficiency;
use super::facts;
use super::figures::Figures;
use super::runtimes::{self, Use};
use super::snapshot::{Process, Run};
use super::time_split::Source;

/// Measurement of OpenMP's states.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Body<'a> {
    /// The program and its arguments, as given.
    command: Vec<String>,
    /// One object for each run, in order.
    runs: Vec<OneRun<'a>>,
    /// Figures over all runs, of the process that `ora` started. `null` if the collector never started.
    summary: Option<Summary>,
}

impl Versioned for Body<'_> {
    const SCHEMA: &'static str = "ora-stat";
    const VERSION: u32 = 2;
}

/// A run.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneRun<'a> {
    /// Exit code of the program; `null`: a signal ended it.
    exit_code: Option<u8>,
    /// The signal that ended it.
    signal: Option<i32>,
    /// Time from its start to its end, as `ora` saw it.
    wall_ns: u64,
    /// False: the collector never ran in the program, and `processes` doesn't begin with it.
    collector_started: bool,
    /// The ranks of a launcher (`mpirun`, `srun`); `null`: the program is no launcher, or less than two ranks
    /// were seen.
    #[cfg_attr(test, schemars(with = "Option<schemas::Job>"))]
    job: Option<OneJob<'a>>,
    /// First the process that `ora` started, as the program that it was last; then those that used OpenMP:
    /// earlier programs of the first process, forked and executed children.
    processes: Vec<OneProcess<'a>>,
    /// Number of further processes that were met.
    processes_without_openmp: usize,
    /// Number of programs that were executed and can't be watched: in another root or container without ora's
    /// files, with a cleaned environment, for another C library or machine, static.
    programs_unwatched: u32,
    /// Number of processes that found no room in the shared memory.
    processes_left_out: usize,
    /// Number of threads that found no room there.
    threads_left_out: usize,
    /// Number of executions of parallel regions that are not in `regions`, because the table was full.
    regions_left_out: u64,
    /// Number of times that a thread's share of a region is missing in `regions`: more than 128 were open at a time.
    shares_left_out: u64,
    /// Number of regions that are counted in `regions` and have no times there: they were more than 8 inside of each other.
    regions_too_deep: u64,
    /// Number of loaded objects that found no room: places in them have no names.
    objects_left_out: usize,
}

/// A process.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneProcess<'a> {
    /// Its number.
    pid: u32,
    /// Number of its parent.
    parent_pid: u32,
    /// Its command line, cut off at 1024 bytes.
    command: &'a str,
    /// `"started"` by `ora`, `"forked"` by a counted process, or `"executed"`.
    origin: &'static str,
    /// `"exited"`; `"replaced"`: it executed another program; `"silent"`: no exit was seen (a signal, a system call);
    /// `"running"` still.
    end: &'static str,
    /// The OpenMP runtimes found in it: `"libgomp"`, `"libomp"`, `"libiomp5"`, `"own"`: one that reports
    /// itself (`ora_embed.h`).
    runtimes: Vec<&'static str>,
    /// The file of the first.
    runtime_path: Option<&'a str>,
    /// The answer to the request START (0: OK); `null`: `libora.so` was not there.
    session_error_code: Option<u32>,
    /// Runtimes that were seen at work, by file.
    runtimes_used: Vec<OneRuntime<'a>>,
    /// Numbers of events that the library can't raise here.
    unsupported_events: &'a [u32],
    /// Its time; of a silent child, up to its last event.
    wall_ns: u64,
    /// Efficiencies, each between 0 and 1. `null` if it ran no region.
    efficiency: Option<OneEfficiency>,
    /// Findings, the most important one first.
    #[cfg_attr(test, schemars(with = "Vec<schemas::Finding>"))]
    findings: Vec<Finding>,
    /// One object for each place in the program that forks parallel regions; the one with the most to gain
    /// first.
    regions: Vec<OneRegion<'a>>,
    /// All regions. (In version 1 this was `regions`.)
    regions_total: Regions,
    /// Settings around it.
    surroundings: Surroundings<'a>,
    /// The time of all threads, in parts that have no overlap.
    time_ns: Activities<u64>,
    #[serde(flatten)]
    passed: HowPassed,
    /// Origin of `ready_ns` beside the threads' CPU clocks. `"schedstat"`: the kernel's count for each thread
    /// (of threads that live for less than 0.1 s an estimate by the number of their context switches).
    /// `"cpu_clock"`: that estimate only, since `/proc/self/task/TID/schedstat` can't be read, or no thread
    /// lived long enough.
    time_source: &'static str,
    /// CPU time of all threads of the process, also of those without OpenMP: as the system says at its end, if
    /// `ora` started it and it started no other; else up to its exit handlers; `null` where these were not
    /// seen.
    cpu_ns: Option<u64>,
    /// Numbers of waits that began.
    waits: Waits<u64>,
    /// `work` + `serial`.
    openmp_work_ns: u64,
    /// All the other parts.
    openmp_wait_ns: u64,
    /// The part of `idle` that may have been wait in a region's last barrier: a worker's next event came only
    /// after a thousand later regions.
    idle_guessed_ns: u64,
    /// The part of `work` that may have been waits: in tasks nested more than 63 deep they are not distinguished.
    work_too_deep_ns: u64,
    /// The time that watching has added to that of all threads, about: their events, each as dear as some of
    /// its kind were that were measured, and the way to them through the library, which for regions of several
    /// threads is taken to be as long. It is part of `time_ns`, most of it of `work`.
    watching_ns: u64,
    /// Imbalance of all regions with a team of several. `null` without such a region. (In version 1: of each
    /// thread's work in all regions.)
    load_imbalance: Option<LoadImbalance>,
    /// Number of threads that the runtime made for nested regions and that ended with them; 0 where it keeps
    /// them.
    short_lived_threads: u64,
    /// One object for each thread, in the order that the threads came into being.
    threads: Vec<OneThread<'a>>,
}

/// A runtime.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneRuntime<'a> {
    /// Its file; `null`: not seen.
    path: Option<&'a str>,
    /// Number of regions that it began.
    regions: u64,
    /// Time in them.
    region_ns: u64,
    /// Number of workers of its pool.
    workers: u64,
    /// Time for which these were idle.
    idle_ns: u64,
}

/// Surroundings.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Surroundings<'a> {
    /// Number of processors that its OpenMP threads were permitted to run on (affinity, binding).
    processors_allowed: Option<u32>,
    /// Number of processors that control groups grant to `ora` itself; `null`: no bound.
    quota: Option<f64>,
    /// The variables `OMP_*`, `GOMP_*` and `KMP_*` when its first OpenMP event came.
    environment: BTreeMap<&'a str, &'a str>,
}

/// Efficiencies.
///
/// As in the model of the [POP project](https://pop-coe.eu/node/69).
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneEfficiency {
    /// The product of `load_balance`, `serialisation` and `transfer`.
    parallel: f64,
    /// The threads' mean useful time / that of the thread with the most.
    load_balance: f64,
    /// That thread's useful time / the critical path.
    serialisation: f64,
    /// The critical path / wall time.
    transfer: f64,
}

/// All regions.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Regions {
    /// Number of parallel regions begun.
    count: u64,
    /// Those that had not ended when the process did.
    not_ended: u64,
    /// Time of the others.
    total_ns: u64,
    /// Its mean.
    mean_ns: Option<f64>,
    /// The shortest one.
    min_ns: Option<u64>,
    /// The longest one.
    max_ns: Option<u64>,
}

/// Load imbalance.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LoadImbalance {
    /// The formula of `value`, in words.
    formula: &'static str,
    /// From 0 (even) to 1.
    value: f64,
    /// Waits for peers that run for longer, as in `regions`.
    imbalance_ns: f64,
    /// The threads' running time, here with the regions inside of a region.
    work_ns: f64,
    /// The largest share of each instance, summed.
    max_work_ns: f64,
    /// The mean share of each instance, summed. The difference to the largest is what even shares would save.
    mean_work_ns: f64,
    /// Size of the largest team.
    threads: f64,
}

/// The whole object, followed by a line end.
///
/// # Errors
/// None is known: it contains nothing that JSON can't represent.
pub fn document(command: &[OsString], runs: &[Run]) -> Result<String> {
    let body = Body { command: words(command), runs: runs.iter().map(one_run).collect(), summary: summary(runs) };
    Ok(Document::of(body).text()?)
}

fn one_run(run: &Run) -> OneRun<'_> {
    let (exit_code, signal) = run.exit.code_and_signal();
    OneRun {
        exit_code,
        signal,
        wall_ns: run.wall_ns,
        collector_started: run.main.is_some(),
        job: run.job.as_ref().map(OneJob::of),
        processes: run.main.iter().chain(&run.others).map(one_process).collect(),
        processes_without_openmp: run.without_openmp,
        programs_unwatched: run.unwatched,
        processes_left_out: run.processes_left_out,
        threads_left_out: run.threads_left_out,
        regions_left_out: run.regions_left_out,
        shares_left_out: run.shares_left_out,
        regions_too_deep: run.regions_too_deep,
        objects_left_out: run.objects_left_out,
    }
}

/// The object of one process.
pub fn process(process: &Process) -> impl Serialize {
    one_process(process)
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
        efficiency: figures.efficiency.map(one_efficiency),
        findings: advice::findings(&facts::of(process, &figures)),
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
        openmp_wait_ns: process.elapsed_ns().saturating_sub(process.work_ns()),
        idle_guessed_ns: process.sum(|thread| thread.guessed_ns),
        work_too_deep_ns: process.sum(|thread| thread.too_deep_ns),
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

fn one_efficiency(Efficiency { parallel, load_balance, serialisation, transfer }: Efficiency) -> OneEfficiency {
    OneEfficiency { parallel, load_balance, serialisation, transfer }
}

fn one_runtime(one: Use<'_>) -> OneRuntime<'_> {
    let Use { path, regions, region_ns, workers, idle_ns } = one;
    OneRuntime { path: path.map(Foreign::raw), regions, region_ns, workers, idle_ns }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_and_page_are_current() {
        schemas::assert_current::<Body<'_>>("stat-json.md");
    }
}

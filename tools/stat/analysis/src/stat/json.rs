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

#[derive(Serialize)]
struct Body<'a> {
    command: Vec<String>,
    runs: Vec<OneRun<'a>>,
    /// Over all runs, of their first processes.
    summary: Option<Summary>,
}

impl Versioned for Body<'_> {
    const SCHEMA: &'static str = "ora-stat";
    const VERSION: u32 = 2;
}

#[derive(Serialize)]
struct OneRun<'a> {
    exit_code: Option<u8>,
    signal: Option<i32>,
    wall_ns: u64,
    collector_started: bool,
    job: Option<OneJob<'a>>,
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
    efficiency: Option<OneEfficiency>,
    findings: Vec<Finding>,
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

#[derive(Serialize)]
struct OneEfficiency {
    parallel: f64,
    load_balance: f64,
    serialisation: f64,
    transfer: f64,
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
struct LoadImbalance {
    formula: &'static str,
    value: f64,
    imbalance_ns: f64,
    work_ns: f64,
    max_work_ns: f64,
    mean_work_ns: f64,
    threads: f64,
}

/// The whole object, with a line end behind it.
///
/// # Errors
/// None is known: there is nothing in it that JSON can't say.
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

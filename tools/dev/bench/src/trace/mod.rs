//! `bench trace`: the cost of an event, and of `ora trace` for programs made of tasks; whether it keeps up with a high rate of events; and
//! the time and memory for the browser page of a large trace.

mod event_cost;

use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde::Serialize;

use crate::answer::Answer;
use crate::consumption;
use crate::kernels::{self, KERNELS};
use crate::options::Options;
use crate::programs::{OPENMP, Programs, output, undisturbed};
use crate::runner::{self, Subject};
use crate::samples::Samples;
use crate::table::{Page, Table, cell, percent};

use event_cost::{EventCost, Said};

/// Events per second, and number of seconds.
const RATE: (u64, u64) = (5_000_000, 10);
const QUICK_RATE: (u64, u64) = (300_000, 1);
/// Events of the trace from which the page is generated.
const PAGE_EVENTS: u64 = 10_000_000;

/// A way to run a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum Way {
    Bare,
    Again,
    Traced,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bare => "bare",
            Self::Again => "bare again",
            Self::Traced => "ora trace",
        })
    }
}

const WAYS: [Way; 3] = [Way::Bare, Way::Again, Way::Traced];

/// A steady rate of events.
#[derive(Debug, Serialize)]
struct Rate {
    events: u64,
    seconds: f64,
    recorded: u64,
    lost: u64,
}

/// The page of a trace.
#[derive(Debug, Serialize)]
struct PageCost {
    events: u64,
    events_bytes: u64,
    seconds: f64,
    cpu_seconds: f64,
    memory_mib: f64,
    page_bytes: u64,
}

#[derive(Serialize)]
struct Report {
    rounds: u32,
    event: EventCost,
    rate: Rate,
    page: PageCost,
    /// Seconds of each kernel.
    wall: Samples<Way>,
    /// Seconds of CPU time.
    processor: Samples<Way>,
    tasks: Samples<Way>,
}

/// # Errors
/// If a program fails.
pub(crate) fn measure(programs: &Programs, options: &Options) -> Result<Answer> {
    let rounds = options.rounds(11, 2);
    let events = programs.compile("events", "events", OPENMP)?;
    let event = event_cost(programs, &events, rounds)?;
    let rate = rate(programs, &events, if options.quick { QUICK_RATE } else { RATE })?;
    let page = page_cost(programs, &events, if options.quick { PAGE_EVENTS / 100 } else { PAGE_EVENTS })?;
    let samples = kernels(programs, options, rounds)?;
    let part = |name: &str| samples.part(&format!("{name} "));
    let report =
        Report { rounds, event, rate, page, wall: part("wall"), processor: part("processor"), tasks: part("tasks") };
    Answer::new(programs, &report, tables(&report))
}

/// Command that traces a program; its trace replaces an earlier one in the folder.
fn traced(programs: &Programs, folder: &Path, program: &Path) -> Result<Command> {
    drop(std::fs::remove_dir_all(folder));
    let mut command = Command::new(programs.ora()?);
    command.arg("trace").arg("-o").arg(folder).arg("--").arg(program);
    Ok(command)
}

/// Traces this many events at a rate; returns the numbers of recorded and of lost events.
fn record(programs: &Programs, program: &Path, folder: &Path, rate: u64, seconds: f64) -> Result<Rate> {
    let mut command = traced(programs, folder, program)?;
    undisturbed(&mut command);
    let text = output(command.args([rate.to_string(), seconds.to_string()]))?;
    let said = Said::of(&text)?;
    let mut report = Command::new(programs.ora()?);
    let json: serde_json::Value = serde_json::from_str(&output(report.args(["report", "--json"]).arg(folder))?)?;
    let count = |key: &str| json.pointer(&format!("/processes/0/{key}")).and_then(serde_json::Value::as_u64);
    let (recorded, lost) = (count("events").context("no events")?, count("lost_events").context("no count")?);
    Ok(Rate { events: said.events, seconds: said.seconds, recorded, lost })
}

fn event_cost(programs: &Programs, program: &Path, rounds: u32) -> Result<EventCost> {
    let folder = programs.file("trace-event");
    let bare = || {
        let mut command = Command::new(program);
        undisturbed(&mut command);
        command
    };
    let found = EventCost::measure(rounds, bare, || {
        let mut command = traced(programs, &folder, program)?;
        undisturbed(&mut command);
        Ok(command)
    });
    drop(std::fs::remove_dir_all(&folder));
    found
}

fn rate(programs: &Programs, program: &Path, (rate, seconds): (u64, u64)) -> Result<Rate> {
    let folder = programs.file("trace-rate");
    let found = record(programs, program, &folder, rate, seconds as f64);
    drop(std::fs::remove_dir_all(&folder));
    found
}

fn page_cost(programs: &Programs, program: &Path, events: u64) -> Result<PageCost> {
    let (folder, page) = (programs.file("trace-page"), programs.file("trace-page.html"));
    // Records as many events as the other measurement does in part of its time.
    let recorded = record(programs, program, &folder, RATE.0, events as f64 / RATE.0 as f64)?.recorded;
    let process = std::fs::read_dir(&folder)?.next().context("no process")??.path();
    let events_bytes = process.join("events").metadata()?.len();
    let mut report = Command::new(programs.ora()?);
    undisturbed(&mut report);
    report.arg("report").arg("--html").arg(&page).arg(&folder).stdout(Stdio::null());
    let (seconds, cpu_seconds, memory_mib) = consumption::of(&mut report)?;
    let page_bytes = page.metadata()?.len();
    std::fs::remove_dir_all(&folder)?;
    Ok(PageCost { events: recorded, events_bytes, seconds, cpu_seconds, memory_mib, page_bytes })
}

/// Runs the kernels with tied tasks on two threads.
fn kernels(programs: &Programs, options: &Options, rounds: u32) -> Result<Samples<Way>> {
    let folder = programs.file("trace-kernel");
    let chosen = KERNELS.iter().filter(|it| options.kernels.is_empty() || options.kernels.iter().any(|k| k == it.name));
    let mut built = Vec::new();
    for kernel in chosen {
        let source = format!("kernels/{}", kernel.name);
        let program = programs.compile(&source, &format!("{}-traced", kernel.name), OPENMP)?;
        built.push((kernel.name, program, if options.quick { kernel.small } else { kernel.middle }));
    }
    let subjects: Vec<_> = built
        .iter()
        .map(|(name, program, size)| {
            let folder = &folder;
            Subject {
                name: (*name).to_owned(),
                ways: WAYS.to_vec(),
                command: Box::new(move |way, _| {
                    let mut command = match way {
                        Way::Traced => traced(programs, folder, program)?,
                        Way::Bare | Way::Again => Command::new(program),
                    };
                    undisturbed(&mut command);
                    // On a machine with other users, times of spinning threads have no meaning.
                    command.args([size.to_string(), 2.to_string()]).env("OMP_WAIT_POLICY", "passive");
                    Ok(command)
                }),
                values: Box::new(move |reading| {
                    let found = kernels::outcome(&reading.text)?;
                    let value = |kind: &str, value: f64| (format!("{kind} {name}"), value);
                    Ok(vec![
                        value("wall", found.wall),
                        value("processor", found.processor),
                        value("tasks", found.tasks),
                    ])
                }),
            }
        })
        .collect();
    let samples = runner::together(rounds, &subjects);
    drop(std::fs::remove_dir_all(&folder));
    samples
}

fn tables(report: &Report) -> Page {
    let mut page = Page::default();
    page.line(&report.event.line());
    let Rate { events, seconds, recorded, lost } = &report.rate;
    let per_second = *events as f64 / seconds / 1e6;
    page.line(&format!("{per_second:.2} million events a second for {seconds:.1} s: {recorded} recorded, {lost} lost"));
    let PageCost { events, events_bytes, seconds, cpu_seconds, memory_mib, page_bytes } = &report.page;
    page.line(&format!(
        "ora report --html of {events} events ({} MiB): {seconds:.1} s, {cpu_seconds:.1} s of CPU time, {memory_mib:.0} MiB of memory, \
         a page of {} kB",
        events_bytes >> 20,
        page_bytes / 1000,
    ));
    let heads = ["tasks", "us a task", "best wall %", "median wall %", "best CPU %", "median CPU %", "noise: CPU %"];
    let title = format!("programs made of tasks under `ora trace`, two threads, {} rounds", report.rounds);
    let mut table = Table::new(&title, "kernel", heads);
    for row in report.wall.rows() {
        let best =
            |samples: &Samples<Way>| Some(percent(samples.best(row, Way::Traced)?, samples.best(row, Way::Bare)?));
        let median = |samples: &Samples<Way>, way| samples.paired(row, way, Way::Bare, percent);
        let tasks = report.tasks.median(row, Way::Bare);
        let length = report.processor.best(row, Way::Bare).zip(tasks).map(|(seconds, tasks)| seconds * 1e6 / tasks);
        table.row(
            row,
            [
                cell(tasks),
                cell(length),
                cell(best(&report.wall)),
                cell(median(&report.wall, Way::Traced)),
                cell(best(&report.processor)),
                cell(median(&report.processor, Way::Traced)),
                cell(median(&report.processor, Way::Again)),
            ],
        );
    }
    page.table(&table);
    page
}

//! `bench tasks`: many tiny tasks, the artificial benchmark of the OPARI task paper of 2010 (section 8.1), and the
//! memory of tasks.

use std::process::Command;

use anyhow::Result;
use serde::Serialize;

use crate::answer::Answer;
use crate::mode::Mode;
use crate::options::Options;
use crate::programs::{OPENMP, Programs};
use crate::runner::{self, Counted, Counting, Subject};
use crate::samples::Samples;
use crate::table::{Page, Table, cell, number, percent};
use crate::verdict::Verdict;

/// Levels that are compared. The last one needs the command `ora`.
const MODES: [Mode; 6] = [Mode::Bare, Mode::Again, Mode::Off, Mode::Tracking, Mode::TaskEvents, Mode::Profiled];
/// Levels whose instructions and memory are measured.
const COUNTED: [Mode; 4] = [Mode::Bare, Mode::Off, Mode::Tracking, Mode::TaskEvents];
/// Number of tasks of the shorter run under callgrind.
const COUNT: u32 = 20_000;
/// Overhead of the paper's instrumentation, in percent, on four threads.
pub(crate) const PAPER: f64 = 32.3;
/// Allowed overhead of each level, in percent.
const GOALS: [(Mode, f64); 2] = [(Mode::Tracking, 10.0), (Mode::TaskEvents, 25.0)];

/// All results. Rows are sizes of the team; in rows with taskwaits, all tasks are queued.
#[derive(Serialize)]
struct Report {
    rounds: u32,
    tasks: u32,
    threads: Vec<u32>,
    /// Nanoseconds of a thread for each of its tasks.
    times: Samples,
    /// Instructions of a task, one thread.
    instructions: Samples,
    /// Bytes of heap for each queued task, and bytes by which the process grows per million tasks.
    queued: Samples,
    growth: Samples,
}

pub(crate) fn measure(programs: &Programs, options: &Options) -> Result<Answer> {
    let program = programs.compile("increments", "increments", OPENMP)?;
    let ora = programs.ora().ok();
    if ora.is_none() {
        eprintln!("SKIPPED: `ora tasks`: there is no such command beside {}", programs.library.display());
    }
    let modes: Vec<Mode> = MODES.into_iter().filter(|mode| *mode != Mode::Profiled || ora.is_some()).collect();
    let command = |mode: Mode, words: &[String]| -> Result<Command> {
        let mut command = match (mode, &ora) {
            (Mode::Profiled, Some(ora)) => {
                let mut command = Command::new(ora);
                command.args(["tasks", "-o"]).arg(programs.file("profile")).arg("--").arg(&program);
                command
            }
            _ => Command::new(&program),
        };
        programs.watch(command.args(words), mode);
        Ok(as_users_run_it(command))
    };
    let subject = |row: String, ways: &[Mode], words: Vec<String>| Subject {
        name: row.clone(),
        ways: ways.to_vec(),
        command: Box::new(move |mode, _| command(mode, &words)),
        values: Box::new(move |reading| Ok(vec![(row.clone(), runner::number(&reading.text)?)])),
    };
    let (rounds, tasks, threads) = (options.rounds(9, 2), options.tasks(), options.threads());
    let teams =
        team_rows(&threads).map(|(row, _, words)| subject(row, &modes, [words, vec![tasks.to_string()]].concat()));
    let times = runner::together(rounds, &teams.collect::<Vec<_>>())?;
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let queued = subject("2".to_owned(), &COUNTED, words(&["queued", "2"]));
    let growth = subject("2".to_owned(), &COUNTED, words(&["growth", "2", &(tasks * 2).to_string()]));
    let (queued, growth) = (runner::together(1, &[queued])?, runner::together(1, &[growth])?);
    let counted = Counted {
        row: "1".to_owned(),
        ways: COUNTED.to_vec(),
        counting: Counting::Twice(COUNT),
        within: Some("measured"),
        command: Box::new(|mode, count| command(mode, &words(&["1", &count.to_string()]))),
    };
    let instructions = if options.counts() { runner::instructions(&[counted])? } else { Samples::default() };
    let report = Report { rounds, tasks, threads, times, instructions, queued, growth };
    Answer::new(programs, &report, page(&report))
}

/// Restores the defaults that users have: waiting threads spin for a while.
pub(crate) fn as_users_run_it(mut command: Command) -> Command {
    command.env_remove("OMP_WAIT_POLICY");
    command
}

/// Rows by size of the team, with undeferred tasks and with queued ones: name in the samples, title, and arguments.
pub(crate) fn team_rows(threads: &[u32]) -> impl Iterator<Item = (String, String, Vec<String>)> + use<'_> {
    threads.iter().flat_map(|n| {
        let title = format!("{n} thread{}", if *n == 1 { "" } else { "s" });
        [
            (n.to_string(), title.clone(), vec![n.to_string()]),
            (format!("{n} queued"), format!("{title}, queued"), vec!["waited".to_owned(), n.to_string()]),
        ]
    })
}

fn page(report: &Report) -> Page {
    let mut page = Page::default();
    let Report { rounds, tasks, times, .. } = report;
    page.line(&format!("{rounds} rounds over all modes; {tasks} tasks per thread"));
    let rows: Vec<_> = team_rows(&report.threads).map(|(row, title, _)| (row, title)).collect();
    let one = |row: &str| vec![(row.to_owned(), "each".to_owned())];
    over_bare(&mut page, "Each task of a thread: best of all rounds, in ns (over bare)", &rows, &|row, mode| {
        times.best(row, mode)
    });
    over_bare(&mut page, "Each task of a thread: median of the rounds, in ns (over bare)", &rows, &|row, mode| {
        times.median(row, mode)
    });
    if report.instructions.rows().next().is_some() {
        over_bare(&mut page, "Instructions of a task, 1 thread (over bare)", &one("1"), &|row, mode| {
            report.instructions.best(row, mode)
        });
    }
    over_bare(&mut page, "Bytes of the heap for a queued task (over bare)", &one("2"), &|row, mode| {
        report.queued.best(row, mode)
    });
    let mut growth = Table::new("Bytes that the process grows by per million tasks that have run", "", COUNTED);
    growth.row("", COUNTED.map(|mode| cell(report.growth.best("2", mode))));
    page.table(&growth);
    page.table(&goals(report, &rows));
    page.line(&format!(
        "The paper's instrumentation cost {PAPER} %: 189 ns a task became 250, on four threads. libgomp runs a task at"
    ));
    page.line("once, in a few ns, where 64 for each thread are queued. \"queued\": a taskwait after every 32nd, so that all are.");
    page
}

fn over_bare(page: &mut Page, heading: &str, rows: &[(String, String)], value: &dyn Fn(&str, Mode) -> Option<f64>) {
    let mut table = Table::new(heading, "", MODES);
    for (row, name) in rows {
        let bare = value(row, Mode::Bare);
        let cells = MODES.map(|mode| match (value(row, mode), bare) {
            (Some(value), Some(bare)) if mode != Mode::Bare => {
                format!("{} ({:+.1} %)", number(value), percent(value, bare))
            }
            (value, _) => cell(value),
        });
        table.row(name, cells);
    }
    page.table(&table);
}

fn goals(report: &Report, rows: &[(String, String)]) -> Table {
    let mut table = Table::new("Goals, in percent over bare", "", ["allowed", "best", "median", ""]);
    for (mode, allowed) in GOALS {
        for (row, name) in rows {
            let best = report.times.best(row, mode).zip(report.times.best(row, Mode::Bare));
            let median = report.times.paired(row, mode, Mode::Bare, percent);
            let Some(((a, b), median)) = best.zip(median) else { continue };
            let best = percent(a, b);
            let verdict = Verdict::of(best <= allowed, median <= allowed);
            let cells = [format!("{allowed:.0}"), format!("{best:+.1}"), format!("{median:+.1}"), verdict.to_string()];
            table.row(&format!("{mode}, {name}"), cells);
        }
    }
    table
}

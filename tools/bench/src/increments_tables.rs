//! The tables of the tiny tasks.
#![expect(clippy::print_stdout, reason = "a command talks on stdout")]

use anyhow::Result;

use crate::increments::{MODES, Report};
use crate::rows::Mode;
use crate::samples::Samples;
use crate::tables::{line, number, title};

/// What the paper's instrumentation cost, in percent, on four threads.
const PAPER: f64 = 32.3;
/// What each level may cost, in percent.
const GOALS: [(Mode, f64); 2] = [(Mode::Tracking, 10.0), (Mode::TaskEvents, 25.0)];

/// Prints tables, or JSON.
pub(crate) fn print(report: &Report, json: bool) -> Result<()> {
    if json {
        println!("{}", serde_json::to_string_pretty(report)?);
        return Ok(());
    }
    let mut text = String::new();
    let out = &mut text;
    line(out, &format!("library: {}", report.library.display()));
    let (rounds, tasks, processors) = (report.rounds, report.tasks, report.processors);
    line(out, &format!("{rounds} rounds over all modes; {tasks} tasks per thread; {processors} processors"));
    let times = &report.times;
    let names = |n: &u32| {
        let threads = format!("{n} thread{}", if *n == 1 { "" } else { "s" });
        [(n.to_string(), threads.clone()), (format!("{n} queued"), format!("{threads}, queued"))]
    };
    let rows: Vec<_> = report.threads.iter().flat_map(names).collect();
    table(out, "Each task of a thread: best of all rounds, in ns (over bare)", &rows, |row, mode| {
        times.best(row, mode)
    });
    table(out, "Each task of a thread: median of the rounds, in ns (over bare)", &rows, |row, mode| {
        times.median(row, mode)
    });
    let counted = |samples: &'static str| vec![(samples.to_owned(), String::new())];
    let only = |samples: &'_ Samples, row: &str, mode| samples.best(row, mode);
    if report.instructions.best("1", Mode::Bare).is_some() {
        table(out, "Instructions of a task, 1 thread (over bare)", &counted("1"), |row, mode| {
            only(&report.instructions, row, mode)
        });
    }
    table(out, "Bytes of the heap for a queued task (over bare)", &counted("2"), |row, mode| {
        only(&report.queued, row, mode)
    });
    title(out, "Bytes that the process grows by per million tasks that have run");
    for mode in MODES {
        if let Some(bytes) = report.growth.best("2", mode) {
            line(out, &format!("{:14} {bytes:>10.0}", mode.to_string()));
        }
    }
    goals(out, report, &rows);
    print!("{text}");
    Ok(())
}

fn table(out: &mut String, heading: &str, rows: &[(String, String)], value: impl Fn(&str, Mode) -> Option<f64>) {
    title(out, heading);
    line(out, &MODES.iter().fold(format!("{:18}", ""), |head, mode| format!("{head} {:>17}", mode.to_string())));
    for (row, name) in rows {
        let bare = value(row, Mode::Bare);
        let cells = MODES.iter().map(|mode| match (value(row, *mode), bare) {
            (Some(value), Some(bare)) if *mode != Mode::Bare => {
                format!(" {:>17}", format!("{} ({:+.1} %)", number(value), (value / bare - 1.0) * 100.0))
            }
            (Some(value), _) => format!(" {:>17}", number(value)),
            (None, _) => format!(" {:>17}", "-"),
        });
        line(out, &format!("{name:18}{}", cells.collect::<String>()));
    }
}

fn goals(out: &mut String, report: &Report, rows: &[(String, String)]) {
    title(out, "Goals, in percent over bare");
    line(out, &format!("{:30} {:>8} {:>9} {:>9}", "", "allowed", "best", "median"));
    for (mode, allowed) in GOALS {
        for (row, name) in rows {
            let percent = |a: f64, b: f64| (a / b - 1.0) * 100.0;
            let (Some(a), Some(b)) = (report.times.best(row, mode), report.times.best(row, Mode::Bare)) else {
                continue;
            };
            let best = percent(a, b);
            let Some(median) = report.times.paired(row, mode, Mode::Bare, percent) else { continue };
            let verdict = match (best <= allowed, median <= allowed) {
                (true, true) => "met",
                (false, false) => "MISSED",
                _ => "near",
            };
            let what = format!("{mode}, {name}");
            line(out, &format!("{what:30} {allowed:>8.0} {best:>+9.1} {median:>+9.1}  {verdict}"));
        }
    }
    line(
        out,
        &format!(
            "The paper's instrumentation cost {PAPER} %: 189 ns a task became 250, on four threads. libgomp runs a task at"
        ),
    );
    line(
        out,
        "once, in a few ns, where 64 for each thread are queued. \"queued\": a taskwait after every 32nd, so that all are.",
    );
}

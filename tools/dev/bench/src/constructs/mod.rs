//! `bench constructs`: constructs at each level of watching, and the requests of a collector.

mod goals;
mod rows;

use std::process::Command;

use anyhow::Result;
use serde::Serialize;

use crate::answer::Answer;
use crate::mode::Mode;
use crate::options::Options;
use crate::programs::{OPENMP, Programs, SHIFTS};
use crate::requests::{self, PLACES, REQUESTS};
use crate::runner::{self, Counted, Counting, Subject};
use crate::samples::Samples;
use crate::table::{Page, Table, cell, number};
use rows::CONSTRUCTS;

/// All results.
#[derive(Serialize)]
struct Report {
    rounds: u32,
    batches: u32,
    times: Samples,
    /// Events that the master raises for one of each construct.
    events: Samples,
    /// Instruction counts, if they were requested.
    instructions: Samples,
}

/// Repetitions of the shorter run under callgrind.
const COUNT: u32 = 2000;

pub(crate) fn measure(programs: &Programs, options: &Options) -> Result<Answer> {
    let (rounds, batches) = (options.rounds(25, 2), options.batches());
    let program = programs.compile("constructs", "constructs", OPENMP)?;
    let asking = programs.compile("requests", "requests", OPENMP)?;
    // Programs start with the heap at one of four positions.
    let command = |mode: Mode, words: &[&str], shift: u32| -> Result<Command> {
        let mut command = programs.command(&program, mode, words);
        command.env("BENCH_SHIFT", (shift % SHIFTS).to_string());
        Ok(command)
    };
    let subjects = [
        Subject {
            name: "constructs".to_owned(),
            ways: Mode::ALL.to_vec(),
            command: Box::new(|mode, round| command(mode, &["time", &batches.to_string()], round)),
            values: Box::new(|reading| runner::rows(&reading.text, "")),
        },
        Subject {
            name: "requests".to_owned(),
            ways: vec![Mode::Tracking],
            command: Box::new(|mode, _| Ok(programs.command(&asking, mode, ["time", &batches.to_string()]))),
            values: Box::new(|reading| runner::rows(&reading.text, "")),
        },
    ];
    let times = runner::together(rounds, &subjects)?;
    let counting = Subject {
        name: "events".to_owned(),
        ways: vec![Mode::All],
        command: Box::new(|mode, _| {
            let mut command = command(mode, &["count"], 0)?;
            command.env("BENCH_MODE", "count");
            Ok(command)
        }),
        values: Box::new(|reading| runner::rows(&reading.text, "")),
    };
    let events = runner::together(1, &[counting])?;
    let of_constructs = CONSTRUCTS.iter().flat_map(|construct| {
        (0..SHIFTS).map(move |shift| Counted {
            row: construct.name.to_owned(),
            ways: Mode::ALL.to_vec(),
            counting: Counting::Twice(COUNT),
            within: None,
            command: Box::new(move |mode, count| command(mode, &["run", construct.name, &count.to_string()], shift)),
        })
    });
    let of_requests = requests::rows().map(|row| Counted {
        row: row.clone(),
        ways: vec![Mode::Tracking],
        counting: Counting::Twice(COUNT),
        within: None,
        command: Box::new({
            let asking = &asking;
            move |mode, count| Ok(programs.command(asking, mode, ["run", &row, &count.to_string()]))
        }),
    });
    let counted: Vec<_> = of_constructs.chain(of_requests).filter(|_| options.instructions).collect();
    let instructions = runner::instructions(&counted)?;
    let report = Report { rounds, batches, times, events, instructions };
    Answer::new(programs, &report, page(&report))
}

fn page(report: &Report) -> Page {
    let mut page = Page::default();
    let Report { rounds, batches, times, instructions, .. } = report;
    page.line(&format!("{rounds} rounds over all modes, {batches} batches each"));
    constructs(&mut page, "Constructs: best time of all rounds, in ns (ratio to bare)", false, &|row, mode| {
        times.best(row, mode)
    });
    page.line("\"bare again\" is a second bare program in the same rounds: how far its ratio is from 1 is the noise.");
    constructs(&mut page, "Constructs: median of the rounds, in ns (ratio to bare)", false, &|row, mode| {
        times.median(row, mode)
    });
    request_tables(&mut page, report);
    if instructions.rows().next().is_some() {
        constructs(&mut page, "Constructs: instructions of all threads (ratio to bare)", true, &|row, mode| {
            instructions.best(row, mode)
        });
        page.line(
            "* Two threads that wait for one another: counted with both, under OMP_WAIT_POLICY=passive, up to their",
        );
        page.line("  futex calls. How often a thread has to wait differs from run to run, and so do these counts.");
    }
    page.table(&goals::table(report));
    page.line(
        "An event may cost 5 ns and its callback; \"all events\" may cost that for each event that the master raises:",
    );
    let events: Vec<String> = CONSTRUCTS
        .iter()
        .filter_map(|construct| {
            Some(format!("{} {:.2}", construct.title, report.events.best(construct.name, Mode::All)?))
        })
        .collect();
    page.line(&format!("{}.", events.join("; ")));
    page
}

fn constructs(page: &mut Page, heading: &str, marked: bool, value: &dyn Fn(&str, Mode) -> Option<f64>) {
    let mut table = Table::new(heading, "", Mode::ALL);
    for construct in CONSTRUCTS {
        let mark = if marked && construct.meets { " *" } else { "" };
        let bare = value(construct.name, Mode::Bare);
        let cells = Mode::ALL.map(|mode| match (value(construct.name, mode), bare) {
            (Some(ns), Some(bare)) if mode != Mode::Bare => format!("{} ({:.2})", number(ns), ns / bare),
            (value, _) => cell(value),
        });
        table.row(&format!("{}{mark}", construct.title), cells);
    }
    page.table(&table);
}

fn request_tables(page: &mut Page, report: &Report) {
    let mut table =
        Table::new("Requests on one thread while tracking, in ns", "", ["", "best", "median", "instructions"]);
    for (place, place_title) in PLACES {
        for (request, request_title) in REQUESTS {
            let row = format!("{request}_{place}");
            let figures = [
                report.times.best(&row, Mode::Tracking),
                report.times.median(&row, Mode::Tracking),
                report.instructions.best(&row, Mode::Tracking),
            ];
            table.row(request_title, std::iter::once(place_title.to_owned()).chain(figures.map(cell)));
        }
    }
    page.table(&table);
}

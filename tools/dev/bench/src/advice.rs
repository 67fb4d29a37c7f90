//! `bench advice`: what findings of `ora stat` say that a fix would save, beside what it does save.

use std::fmt;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::answer::Answer;
use crate::options::Options;
use crate::programs::{OPENMP, Programs, output, undisturbed};
use crate::runner::{self, Subject};
use crate::samples::Samples;
use crate::table::{Page, Table, cell, number};

/// Planted faults, and their twins without them.
const FAULTS: &str = "../../../ora/tests/command/programs/faults/main";
/// Wall time of a fault, about, in milliseconds.
const LENGTH: &str = "400";
/// A prediction is good within this part of what is saved.
const GOOD: f64 = 0.25;

/// A run of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    /// With the fault.
    Faulty,
    /// Its twin.
    Mended,
    /// With the fault, under `ora stat`.
    Watched,
}

const KINDS: [Kind; 3] = [Kind::Faulty, Kind::Mended, Kind::Watched];

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(match self {
            Self::Faulty => "with the fault",
            Self::Mended => "mended",
            Self::Watched => "predicted saving",
        })
    }
}

/// Milliseconds, by fault.
#[derive(Serialize)]
struct Report {
    rounds: u32,
    times: Samples<Kind>,
}

pub(crate) fn measure(programs: &Programs, options: &Options) -> Result<Answer> {
    let program = programs.compile(FAULTS, "faults", OPENMP)?;
    let ora = programs.ora()?;
    let figures = programs.file("advice.json");
    let names = output(&mut Command::new(&program))?;
    let subject = |name: &str| {
        let (name, row) = (name.to_owned(), name.to_owned());
        let (program, ora, figures, written) = (&program, &ora, figures.clone(), figures.clone());
        Subject {
            name: row.clone(),
            ways: KINDS.to_vec(),
            command: Box::new(move |kind: Kind, _| {
                let mut command = Command::new(if kind == Kind::Watched { ora } else { program });
                if kind == Kind::Watched {
                    command.args(["stat", "--json", "-o"]).arg(&figures).arg("--").arg(program);
                }
                undisturbed(command.args([&*name, if kind == Kind::Mended { "mended" } else { "faulty" }, LENGTH]));
                // One fault is that idle threads spin.
                if name != "spinning" || kind == Kind::Mended {
                    command.env_remove("OMP_WAIT_POLICY");
                }
                Ok(command)
            }),
            values: Box::new(move |reading| {
                let value = if reading.way == Kind::Watched {
                    predicted_ms(&fs::read_to_string(&written)?)?
                } else {
                    Some(runner::number(&reading.text)?)
                };
                Ok(value.map(|value| (row.clone(), value)).into_iter().collect())
            }),
        }
    };
    let rounds = options.rounds(9, 1);
    let times = runner::together(rounds, &names.lines().map(subject).collect::<Vec<_>>())?;
    let report = Report { rounds, times };
    Answer::new(programs, &report, page(&report))
}

/// The saving that the most important finding predicts. `None`: it predicts none.
fn predicted_ms(figures: &str) -> Result<Option<f64>> {
    let figures: serde_json::Value = serde_json::from_str(figures)?;
    let findings = figures.pointer("/runs/0/processes/0/findings").context("`ora stat --json` has no findings")?;
    Ok(findings.pointer("/0/saves_ns").and_then(serde_json::Value::as_f64).map(|ns| ns / 1e6))
}

fn page(report: &Report) -> Page {
    let mut page = Page::default();
    page.line(&format!("{} rounds; medians, in milliseconds", report.rounds));
    let head = ["with the fault", "mended", "saved", "predicted", "predicted / saved"];
    let mut table = Table::new("What mending a fault saves, and what `ora stat` predicts", "fault", head);
    let (mut good, mut all) = (0, 0);
    for name in report.times.rows() {
        let median = |kind| report.times.median(name, kind);
        let saved = median(Kind::Faulty).zip(median(Kind::Mended)).map(|(faulty, mended)| faulty - mended);
        let predicted = median(Kind::Watched);
        let part = predicted.zip(saved).map(|(predicted, saved)| predicted / saved);
        all += u32::from(part.is_some());
        good += u32::from(part.is_some_and(|part| (part - 1.0).abs() <= GOOD));
        let part = part.map_or_else(|| "-".to_owned(), |part| format!("{part:.2}"));
        let of = |kind| cell(median(kind));
        table.row(
            name,
            [of(Kind::Faulty), of(Kind::Mended), saved.map_or_else(String::new, number), cell(predicted), part],
        );
    }
    page.table(&table);
    page.line(&format!("{good} of {all} predictions are within {:.0} % of what is saved.", GOOD * 100.0));
    page
}

//! The tables.

use std::fmt::Write;

use crate::Report;
use crate::goals::{self, Unit};
use crate::rows::{CONSTRUCTS, Mode, PLACES, REQUESTS};
use crate::samples::Samples;

/// All tables, as text.
pub(crate) fn print(report: &Report) -> String {
    let mut text = String::new();
    let out = &mut text;
    line(out, &format!("library: {}", report.library.display()));
    line(
        out,
        &format!(
            "{} rounds over all modes, {} batches each; {} processors",
            report.rounds, report.batches, report.processors
        ),
    );
    let times = &report.times;
    constructs(out, "Constructs: best time of all rounds, in ns (ratio to bare)", false, |row, mode| {
        times.best(row, mode)
    });
    line(out, "\"bare again\" is a second bare program in the same rounds: how far its ratio is from 1 is the noise.");
    constructs(out, "Constructs: median of the rounds, in ns (ratio to bare)", false, |row, mode| {
        times.median(row, mode)
    });
    requests(out, times, report.instructions.as_ref());
    if let Some(instructions) = &report.instructions {
        constructs(out, "Constructs: instructions of all threads (ratio to bare)", true, |row, mode| {
            instructions.best(row, mode)
        });
        line(
            out,
            "* Two threads that wait for one another: counted with both, under OMP_WAIT_POLICY=passive, up to their",
        );
        line(out, "  futex calls. How often a thread has to wait differs from run to run, and so do these counts.");
    }
    goal_table(out, report);
    text
}

pub(crate) fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

pub(crate) fn title(out: &mut String, text: &str) {
    out.push('\n');
    line(out, text);
    line(out, &"-".repeat(text.chars().count()));
}

fn constructs(out: &mut String, heading: &str, marked: bool, value: impl Fn(&str, Mode) -> Option<f64>) {
    title(out, heading);
    let mut head = format!("{:34}", "");
    for mode in Mode::ALL {
        let _ = write!(head, " {:>15}", mode.to_string());
    }
    line(out, &head);
    for construct in CONSTRUCTS {
        let mark = if marked && construct.meets { " *" } else { "" };
        let mut row = format!("{:34}", format!("{}{mark}", construct.title));
        let bare = value(construct.name, Mode::Bare);
        for mode in Mode::ALL {
            let cell = match (value(construct.name, mode), bare) {
                (Some(ns), Some(bare)) if mode != Mode::Bare => format!("{} ({:.2})", number(ns), ns / bare),
                (Some(ns), _) => number(ns),
                (None, _) => "-".to_owned(),
            };
            let _ = write!(row, " {cell:>16}");
        }
        line(out, &row);
    }
}

fn requests(out: &mut String, times: &Samples, instructions: Option<&Samples>) {
    title(out, "Requests on one thread while tracking, in ns");
    line(out, &format!("{:32} {:24} {:>9} {:>9} {:>13}", "", "", "best", "median", "instructions"));
    for (place, place_title) in PLACES {
        for (request, request_title) in REQUESTS {
            let row = format!("{request}_{place}");
            let cell = |value: Option<f64>| value.map_or("-".to_owned(), number);
            line(
                out,
                &format!(
                    "{request_title:32} {place_title:24} {:>9} {:>9} {:>13}",
                    cell(times.best(&row, Mode::Tracking)),
                    cell(times.median(&row, Mode::Tracking)),
                    cell(instructions.and_then(|counts| counts.best(&row, Mode::Tracking))),
                ),
            );
        }
    }
}

fn goal_table(out: &mut String, report: &Report) {
    title(out, "Goals");
    line(out, &format!("{:62} {:>10} {:>10} {:>10}", "", "allowed", "best", "median"));
    for goal in goals::goals(report) {
        let cell = |value: f64| match goal.unit {
            Unit::Percent => format!("{value:+.1} %"),
            Unit::MoreNs => format!("{value:+.1} ns"),
            Unit::Ns => format!("{value:.1} ns"),
        };
        let verdict = match (goal.best <= goal.allowed, goal.median <= goal.allowed) {
            (true, true) => "met",
            (false, false) => "MISSED",
            _ => "near",
        };
        line(
            out,
            &format!(
                "{:62} {:>10} {:>10} {:>10}  {verdict}",
                goal.what,
                cell(goal.allowed),
                cell(goal.best),
                cell(goal.median)
            ),
        );
    }
    line(
        out,
        "An event may cost 5 ns and its callback; \"all events\" may cost that for each event that the master raises:",
    );
    let events: Vec<String> = CONSTRUCTS
        .iter()
        .filter_map(|construct| Some(format!("{} {:.2}", construct.title, report.events.get(construct.name)?)))
        .collect();
    line(out, &format!("{}.", events.join("; ")));
}

/// Three digits or so.
pub(crate) fn number(value: f64) -> String {
    if value.abs() < 100.0 { format!("{value:.1}") } else { format!("{value:.0}") }
}

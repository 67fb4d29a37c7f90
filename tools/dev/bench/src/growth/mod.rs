//! `bench growth`: how the cost of each command grows with the size of a program, in each dimension that it can be large in.

mod dimension;
mod used;

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde::Serialize;

use crate::answer::Answer;
use crate::options::Options;
use crate::programs::{Programs, undisturbed};
use crate::table::{Page, Table};
use dimension::Dimension;
use used::Used;

/// Commands that watch a program from its start.
const WATCHING: [&str; 6] = ["run", "stat", "tasks", "profile", "trace", "race"];
/// Commands that read the recordings of those: the name, the recorder, and the words.
const READING: [(&str, &str, &[&str]); 5] = [
    ("report, profile", "profile", &["report", "--no-pager"]),
    ("report --json, profile", "profile", &["report", "--json"]),
    ("report, trace", "trace", &["report", "--no-pager"]),
    ("report --json, trace", "trace", &["report", "--json"]),
    ("report --html, profile", "profile", &["report", "--html"]),
];
/// Maximum time of one run.
const LIMIT: Duration = Duration::from_secs(150);
/// Time in seconds after which no larger size is tried.
const MAX_SECONDS: f64 = 15.0;
/// Minimum CPU time that makes a slope meaningful, in seconds and as a part of the bare program's.
const LITTLE_SECONDS: f64 = 0.01;
const LITTLE_PART: f64 = 0.05;

/// One command on one dimension.
#[derive(Serialize)]
struct Cell {
    command: String,
    dimension: &'static str,
    points: Vec<Point>,
    /// Slope of log(CPU time added) over the last factor of ten.
    exponent: Option<f64>,
    /// Slope of log(CPU time) of the bare program over the last factor of ten.
    bare_exponent: Option<f64>,
    /// Reason why there is no figure, or none for larger sizes.
    note: Option<String>,
}

#[derive(Clone, Copy, Serialize)]
struct Point {
    size: u64,
    bare_seconds: f64,
    seconds: f64,
    mebibytes: f64,
    bare_mebibytes: f64,
}

/// Measures all cells. `--only` names commands, dimensions or both.
pub(crate) fn measure(programs: &Programs, options: &Options) -> Result<Answer> {
    let mut cells = Vec::new();
    let named = |name: &str| options.only.iter().any(|only| only == name);
    let by_dimension = dimension::ALL.iter().any(|dimension| named(dimension.name));
    let by_command = WATCHING.iter().any(|command| named(command));
    for dimension in dimension::ALL.iter().filter(|dimension| !by_dimension || named(dimension.name)) {
        for command in WATCHING.iter().filter(|command| !by_command || named(command)) {
            let begun = Instant::now();
            let made = cells_of(programs, options, *dimension, command)?;
            for cell in &made {
                eprintln!("{}: {} ({:.0} s)", dimension.name, cell.text(), begun.elapsed().as_secs_f64());
            }
            cells.extend(made);
        }
    }
    let page = page(&cells);
    Answer::new(programs, &cells, page)
}

/// Cells of a command that watches, and of those that read its recording.
fn cells_of(programs: &Programs, options: &Options, dimension: Dimension, name: &str) -> Result<Vec<Cell>> {
    let cell = |command: &str| Cell {
        command: command.to_owned(),
        dimension: dimension.name,
        points: Vec::new(),
        exponent: None,
        bare_exponent: None,
        note: None,
    };
    let (mut own, mut reading) = (cell(name), Vec::new());
    reading.extend(READING.iter().filter(|(_, recorder, _)| *recorder == name).map(|(title, ..)| cell(title)));
    let flags: &[&str] = if name == "race" { &["-fsanitize=thread"] } else { &[] };
    let sizes = if options.quick { dimension.sizes.get(..2).unwrap_or_default() } else { dimension.sizes };
    for size in sizes.iter().copied() {
        let program = dimension.prepare(programs, size, flags)?;
        let arguments = dimension.arguments(programs, size)?;
        let run = |command: &mut Command| {
            command.args(&arguments);
            dimension.set_up(command);
            used::of(command, LIMIT)
        };
        // `ora race` needs programs with ThreadSanitizer, which take their time without `ora race` as well.
        let folder = programs.file("growth-recording");
        let _ = fs::remove_dir_all(&folder).or_else(|_| fs::remove_file(&folder));
        let bare = run(&mut Command::new(&program));
        let watched = run(&mut watching(programs, name, &folder, &program)?);
        let (bare, watched) = match (bare, watched) {
            (Ok(Some(bare)), Ok(Some(watched))) => (bare, watched),
            (bare, watched) => {
                own.note = Some(format!("at {size}: bare {}, watched {}", said(&bare), said(&watched)));
                break;
            }
        };
        own.add(size, bare, watched);
        for (cell, (_, _, words)) in reading.iter_mut().zip(READING.iter().filter(|(_, recorder, _)| *recorder == name))
        {
            let mut report = Command::new(programs.ora()?);
            report.args(*words);
            if words.contains(&"--html") {
                report.arg(programs.file("growth.html"));
            }
            undisturbed(report.arg(&folder));
            match used::of(&mut report, LIMIT) {
                Ok(Some(used)) => cell.add(size, Used { cpu_seconds: 0.0, mebibytes: 0.0 }, used),
                other => cell.note = Some(format!("at {size}: {}", said(&other))),
            }
        }
        if watched.cpu_seconds > MAX_SECONDS && size != *sizes.last().unwrap_or(&0) {
            own.note = Some(format!("no size above {size}: {:.0} s", watched.cpu_seconds));
            break;
        }
    }
    let mut all = vec![own];
    all.append(&mut reading);
    all.iter_mut().for_each(Cell::fit);
    Ok(all)
}

/// The end of a run without a figure, in words.
fn said(result: &Result<Option<Used>>) -> String {
    match result {
        Ok(Some(_)) => "ran".to_owned(),
        Ok(None) => format!("took more than {} s", LIMIT.as_secs()),
        Err(error) => error.to_string(),
    }
}

fn watching(programs: &Programs, name: &str, folder: &Path, program: &Path) -> Result<Command> {
    let mut command = Command::new(programs.ora()?);
    command.arg(name);
    match name {
        "run" => command.arg("--collector").arg(&programs.collector),
        _ => command.arg("-o").arg(folder),
    };
    command.args([OsStr::new("--"), program.as_os_str()]).env("BENCH_MODE", "tracking");
    Ok(command)
}

impl Cell {
    fn add(&mut self, size: u64, bare: Used, watched: Used) {
        self.points.push(Point {
            size,
            bare_seconds: bare.cpu_seconds,
            seconds: watched.cpu_seconds,
            mebibytes: watched.mebibytes,
            bare_mebibytes: bare.mebibytes,
        });
    }

    /// Computes the slopes.
    fn fit(&mut self) {
        let [.., before, last] = self.points.as_slice() else { return };
        // The time that a command takes for the smallest size doesn't depend on the size.
        let fixed = self.points.first().map_or(0.0, |first| (first.seconds - first.bare_seconds).max(0.0));
        let fixed = if self.points.len() > 2 { fixed } else { 0.0 };
        let added = |point: &Point| point.seconds - point.bare_seconds - fixed;
        let clear = |point: &Point| added(point).max(0.0) > (LITTLE_PART * point.bare_seconds).max(LITTLE_SECONDS);
        let tenfold = (last.size as f64 / before.size as f64).log10();
        let slope = |from: f64, to: f64| (to / from).log10() / tenfold;
        self.exponent = (clear(before) && clear(last)).then(|| slope(added(before), added(last)));
        let is_long = before.bare_seconds > LITTLE_SECONDS;
        self.bare_exponent = is_long.then(|| slope(before.bare_seconds, last.bare_seconds));
    }

    fn cells(&self) -> [String; 7] {
        let exponent = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
        let last = self.points.last();
        let of = |value: fn(&Point) -> f64| last.map_or("n/a".to_owned(), |point| format!("{:.2}", value(point)));
        [
            last.map_or("n/a".to_owned(), |point| point.size.to_string()),
            of(|point| point.bare_seconds),
            of(|point| point.seconds),
            of(|point| point.bare_mebibytes),
            of(|point| point.mebibytes),
            exponent(self.bare_exponent),
            exponent(self.exponent),
        ]
    }

    fn text(&self) -> String {
        format!("{}: {} {}", self.command, self.cells().join("  "), self.note.as_deref().unwrap_or_default())
    }
}

fn page(cells: &[Cell]) -> Page {
    let mut page = Page::default();
    for dimension in dimension::ALL {
        let head = ["size", "bare s", "with s", "bare MiB", "with MiB", "bare slope", "slope"];
        let mut table = Table::new(&format!("{}: {}", dimension.name, dimension.unit), "command", head);
        let mut notes = Vec::new();
        for cell in cells.iter().filter(|cell| cell.dimension == dimension.name) {
            table.row(&cell.command, cell.cells());
            notes.extend(cell.note.as_ref().map(|note| format!("{}: {note}", cell.command)));
        }
        page.table(&table);
        notes.iter().for_each(|note| page.line(note));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_is_that_of_what_was_added_without_what_nothing_costs() {
        let used = |cpu_seconds| Used { cpu_seconds, mebibytes: 1.0 };
        let mut cell = Cell {
            command: String::new(),
            dimension: "threads",
            points: Vec::new(),
            exponent: None,
            bare_exponent: None,
            note: None,
        };
        for (size, bare, watched) in [(1, 0.001, 0.101), (10, 0.1, 0.2), (100, 1.0, 1.2), (1000, 10.0, 20.1)] {
            cell.add(size, used(bare), used(watched));
        }
        cell.fit();
        assert!(cell.exponent.is_some_and(|exponent| (exponent - 2.0).abs() < 0.01), "{:?}", cell.exponent);
        assert!(cell.bare_exponent.is_some_and(|exponent| (exponent - 1.0).abs() < 0.01));
    }
}

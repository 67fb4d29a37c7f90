//! `bench pomp`: the artificial benchmark of the OPARI task paper of 2010 (section 8.1), instrumented as in the paper. It compares each
//! task's time in the program with OPARI's calls to that in the plain program.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::{Serialize, Serializer};

use crate::answer::Answer;
use crate::mode::Mode;
use crate::options::Options;
use crate::programs::{OPENMP, Programs, output};
use crate::runner::{self, Subject};
use crate::samples::Samples;
use crate::table::{Page, Table, cell, percent};
use crate::tasks::{PAPER, as_users_run_it, team_rows};

/// Allowed overhead of the instrumentation, in percent.
const GOAL: f64 = 20.0;

/// Form of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    /// The program without instrumentation.
    Plain,
    /// Instrumented, with functions that do nothing.
    Empty,
    /// Instrumented, with libgomp as a shared library.
    Beside,
    /// Instrumented, with libgomp linked statically.
    Alone,
}

/// A form, and a level of watching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Way(Form, Mode);

const WAYS: [Way; 10] = [
    Way(Form::Plain, Mode::Bare),
    Way(Form::Plain, Mode::Tracking),
    Way(Form::Plain, Mode::TaskEvents),
    Way(Form::Empty, Mode::Bare),
    Way(Form::Beside, Mode::Off),
    Way(Form::Beside, Mode::Tracking),
    Way(Form::Beside, Mode::TaskEvents),
    Way(Form::Alone, Mode::Off),
    Way(Form::Alone, Mode::Tracking),
    Way(Form::Alone, Mode::TaskEvents),
];

/// Serializes the name used in the tables: JSON's keys are strings.
impl Serialize for Way {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = match self.0 {
            Form::Plain => "as it is",
            Form::Empty => "instrumented, empty calls",
            Form::Beside => "instrumented",
            Form::Alone => "instrumented, static libgomp",
        };
        f.pad(&format!("{form}: {}", self.1))
    }
}

/// All results: nanoseconds of a thread for each of its tasks, by the number of threads.
#[derive(Serialize)]
struct Report {
    rounds: u32,
    tasks: u32,
    threads: Vec<u32>,
    times: Samples<Way>,
}

pub(crate) fn measure(programs: &Programs, options: &Options) -> Result<Answer> {
    let plain = programs.compile("increments", "increments", OPENMP)?;
    let source = instrument(programs)?;
    let empty = link_to_nothing(programs, &source)?;
    let beside = link(programs, &source, Form::Beside)?;
    let alone = link(programs, &source, Form::Alone)?;
    let program = |form| match form {
        Form::Plain => &plain,
        Form::Empty => &empty,
        Form::Beside => &beside,
        Form::Alone => &alone,
    };
    let (rounds, tasks, threads) = (options.rounds(5, 2), options.tasks(), options.threads());
    let subjects: Vec<_> = team_rows(&threads)
        .map(|(_, title, words)| Subject {
            name: title.clone(),
            ways: WAYS.to_vec(),
            command: Box::new(move |Way(form, mode), _| {
                let words = words.iter().cloned().chain([tasks.to_string()]);
                Ok(as_users_run_it(programs.command(program(form), mode, words)))
            }),
            values: Box::new(move |reading| Ok(vec![(title.clone(), runner::number(&reading.text)?)])),
        })
        .collect();
    let times = runner::together(rounds, &subjects)?;
    drop(subjects);
    let report = Report { rounds, tasks, threads, times };
    Answer::new(programs, &report, page(&report))
}

/// Instruments the benchmark's source with OPARI.
fn instrument(programs: &Programs) -> Result<PathBuf> {
    let folder = programs.file("opari");
    fs::create_dir_all(&folder).with_context(|| format!("can't create {}", folder.display()))?;
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/increments.c");
    fs::copy(&source, folder.join("increments.c")).with_context(|| format!("can't copy {}", source.display()))?;
    output(Command::new("opari2").args(["increments.c", "instrumented.c"]).current_dir(&folder))?;
    Ok(folder.join("instrumented.c"))
}

/// Links the program with a library whose functions do nothing.
fn link_to_nothing(programs: &Programs, source: &Path) -> Result<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (library, result) = (programs.file("empty-calls.so"), programs.file("increments-empty"));
    let mut command = Command::new("gcc");
    command
        .args(["-std=gnu11", "-O2", "-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(here.join("programs/empty_calls.c"));
    output(&mut command)?;
    let mut command = Command::new("gcc");
    command.args(["-std=gnu11", "-O2", "-w", "-fopenmp", "-pthread", "-I"]).arg(here.join("../../../headers"));
    output(command.arg("-o").arg(&result).arg(source).arg(&library))?;
    Ok(result)
}

fn link(programs: &Programs, source: &Path, form: Form) -> Result<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let result = programs.file(if form == Form::Alone { "increments-alone" } else { "increments-beside" });
    let mut command = Command::new("gcc");
    command.args(["-std=gnu11", "-O2", "-w", "-fopenmp", "-pthread", "-I"]).arg(here.join("../../../headers"));
    command.arg("-o").arg(&result).arg(source);
    if form == Form::Alone {
        let archive = output(Command::new("gcc").arg("-print-file-name=libgomp.a"))?;
        command.args(["-Wl,--as-needed", archive.trim()]);
    } else {
        command.arg("-Wl,--no-as-needed");
    }
    command.arg(&programs.library);
    output(&mut command)?;
    Ok(result)
}

fn page(report: &Report) -> Page {
    let mut page = Page::default();
    let Report { rounds, tasks, times, .. } = report;
    page.line(&format!("{rounds} rounds over all ways; {tasks} tasks per thread"));
    let [bare, ..] = WAYS;
    let shown = |percent: Option<f64>| percent.map_or("-".to_owned(), |percent| format!("{percent:+.1} %"));
    for (_, row, _) in team_rows(&report.threads) {
        let title = format!("Each task, {row}: best and median of the rounds, in ns (over the program as it is)");
        let mut table = Table::new(&title, "", ["best", "over", "median", "over"]);
        for way in WAYS {
            let over = times.best(&row, way).zip(times.best(&row, bare)).map(|(a, b)| percent(a, b));
            let [best, median] = [times.best(&row, way), times.median(&row, way)].map(cell);
            let cells = [best, shown(over), median, shown(times.paired(&row, way, bare, percent))];
            table.row(&way.to_string(), cells);
        }
        page.table(&table);
    }
    page.line(&format!(
        "The paper's instrumentation cost {PAPER} %: 189 ns a task became 250, on four threads; the goal is {GOAL} %."
    ));
    page.line("\"empty calls\": OPARI's calls by themselves, with functions that do nothing: nobody's instrumentation costs less.");
    page.line("libgomp runs a task at once, in a few ns, where 64 for each thread are queued. \"queued\": a taskwait after every 32nd.");
    page
}

//! The artificial benchmark of the OPARI task paper of 2010 (section 8.1), instrumented as it was there: what each task costs
//! with OPARI's calls in the program, beside the program as it is.
#![expect(clippy::print_stdout, reason = "a command talks on stdout")]

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;

use crate::programs::{Programs, output, processors};
use crate::rows::Mode;
use crate::samples::Samples;
use crate::tables::{line, number, title};

/// What `bench pomp` can be told.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Sizes of the team.
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS", default_value = "1,2,4")]
    threads: Vec<u32>,
    /// How many tasks each thread creates.
    #[arg(long, default_value_t = 10_000_000, value_parser = clap::value_parser!(u32).range(1000..))]
    tasks: u32,
    /// How many times all programs run, one after the other.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Prints all that was measured as JSON instead of tables.
    #[arg(long)]
    json: bool,
    /// Another libora.so than that beside this program.
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
}

/// What the paper's instrumentation cost, and what ours may, in percent.
const PAPER: f64 = 32.3;
const GOAL: f64 = 20.0;

/// How the program is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum Form {
    /// As it is.
    Plain,
    /// Instrumented, with functions that do nothing.
    Empty,
    /// Instrumented, with a libgomp that is loaded.
    Beside,
    /// Instrumented, with a libgomp that is part of it.
    Alone,
}

/// A form, and how it is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
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

/// All that was measured: nanoseconds of a thread for each of its tasks, by the number of threads.
#[derive(Serialize)]
struct Report {
    library: PathBuf,
    processors: usize,
    rounds: u32,
    tasks: u32,
    threads: Vec<u32>,
    times: Samples<Way>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let programs = Programs::build(arguments.library.clone())?;
    let plain = programs.compile("increments", "increments", &["-fopenmp"])?;
    let source = instrument(&programs)?;
    let empty = link_to_nothing(&programs, &source)?;
    let beside = link(&programs, &source, Form::Beside)?;
    let alone = link(&programs, &source, Form::Alone)?;
    let mut times = Samples::default();
    for round in 0..arguments.rounds {
        eprint!("\rround {} of {}", round + 1, arguments.rounds);
        for threads in &arguments.threads {
            let mut ways = WAYS;
            ways.rotate_left(round as usize % WAYS.len());
            for way in ways {
                let program = match way.0 {
                    Form::Plain => &plain,
                    Form::Empty => &empty,
                    Form::Beside => &beside,
                    Form::Alone => &alone,
                };
                let (number, tasks) = (threads.to_string(), arguments.tasks.to_string());
                for words in [&[number.as_str(), &tasks][..], &["waited", &number, &tasks]] {
                    let mut command = Command::new(program);
                    command.args(words);
                    programs.watch(&mut command, way.1);
                    command.env_remove("OMP_WAIT_POLICY");
                    let text = output(&mut command)?;
                    let ns = text.trim().parse().with_context(|| format!("no number in `{text}`"))?;
                    times.add(&row(*threads, words.len() == 3), way, ns);
                }
            }
        }
    }
    eprintln!();
    let report = Report {
        library: programs.library,
        processors: processors(),
        rounds: arguments.rounds,
        tasks: arguments.tasks,
        threads: arguments.threads.clone(),
        times,
    };
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{}", table(&report));
    }
    Ok(())
}

/// The benchmark's source as OPARI writes it.
fn instrument(programs: &Programs) -> Result<PathBuf> {
    let folder = programs.file("opari");
    fs::create_dir_all(&folder).with_context(|| format!("can't create {}", folder.display()))?;
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/increments.c");
    fs::copy(&source, folder.join("increments.c")).with_context(|| format!("can't copy {}", source.display()))?;
    output(Command::new("opari2").args(["increments.c", "instrumented.c"]).current_dir(&folder))?;
    Ok(folder.join("instrumented.c"))
}

/// With a library whose functions do nothing.
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
    command.args(["-std=gnu11", "-O2", "-w", "-fopenmp", "-pthread", "-I"]).arg(here.join("../../headers"));
    output(command.arg("-o").arg(&result).arg(source).arg(&library))?;
    Ok(result)
}

fn link(programs: &Programs, source: &Path, form: Form) -> Result<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let result = programs.file(if form == Form::Alone { "increments-alone" } else { "increments-beside" });
    let mut command = Command::new("gcc");
    command.args(["-std=gnu11", "-O2", "-w", "-fopenmp", "-pthread", "-I"]).arg(here.join("../../headers"));
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

fn table(report: &Report) -> String {
    let mut text = String::new();
    let out = &mut text;
    line(out, &format!("library: {}", report.library.display()));
    let (rounds, tasks, processors) = (report.rounds, report.tasks, report.processors);
    line(out, &format!("{rounds} rounds over all ways; {tasks} tasks per thread; {processors} processors"));
    let [bare, ..] = WAYS;
    let percent = |a: f64, b: f64| (a / b - 1.0) * 100.0;
    for row in report.threads.iter().flat_map(|threads| [false, true].map(|queued| row(*threads, queued))) {
        title(out, &format!("Each task, {row}: best and median of the rounds, in ns (over the program as it is)"));
        for way in WAYS {
            let (best, median) = (report.times.best(&row, way), report.times.median(&row, way));
            let best_over = best.zip(report.times.best(&row, bare)).map_or(0.0, |(a, b)| percent(a, b));
            let over = report.times.paired(&row, way, bare, percent).unwrap_or(0.0);
            let (best, median) = (number(best.unwrap_or(0.0)), number(median.unwrap_or(0.0)));
            line(out, &format!("{:42} {best:>8} ({best_over:+.1} %) {median:>8} ({over:+.1} %)", way.to_string()));
        }
    }
    line(
        out,
        &format!(
            "The paper's instrumentation cost {PAPER} %: 189 ns a task became 250, on four threads; the goal is {GOAL} %."
        ),
    );
    line(
        out,
        "\"empty calls\": OPARI's calls by themselves, with functions that do nothing: nobody's instrumentation costs less.",
    );
    line(
        out,
        "libgomp runs a task at once, in a few ns, where 64 for each thread are queued. \"queued\": a taskwait after every 32nd.",
    );
    text
}

fn row(threads: u32, queued: bool) -> String {
    format!("{threads} thread{}{}", if threads == 1 { "" } else { "s" }, if queued { ", queued" } else { "" })
}

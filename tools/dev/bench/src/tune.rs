//! `bench tune`: what `ora tune` finds for the programs of a list, compared with the best of all combinations of the same variables.
//!
//! The smallest of many medians is below the true one by chance. So the times shown are from later runs: of the program as it is, as tuned,
//! and with the best combination.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use serde_json::Value;

use crate::answer::Answer;
use crate::options::Options;
use crate::programs::{Programs, processors};
use crate::samples::middle;
use crate::table::{Page, Table};

/// Values of a dimension: environment variables, or none for the program as it is.
type Values = &'static [&'static [(&'static str, &'static str)]];

/// More than `ora tune` tries on every program on two processors: all spin counts and bindings that a user might try. Chunks and schedules
/// depend on the program.
const DIMENSIONS: [Values; 3] = [
    &[&[], &[("OMP_NUM_THREADS", "1")]],
    &[
        &[],
        &[("OMP_WAIT_POLICY", "passive")],
        &[("OMP_WAIT_POLICY", "active")],
        &[("GOMP_SPINCOUNT", "1000")],
        &[("GOMP_SPINCOUNT", "10000")],
        &[("GOMP_SPINCOUNT", "100000")],
        &[("GOMP_SPINCOUNT", "1000000")],
    ],
    &[
        &[],
        &[("OMP_PROC_BIND", "close"), ("OMP_PLACES", "threads")],
        &[("OMP_PROC_BIND", "spread"), ("OMP_PLACES", "threads")],
    ],
];

type Environment = BTreeMap<String, String>;

/// A program of the list.
struct Program {
    name: String,
    words: Vec<String>,
}

#[derive(Serialize)]
struct Report {
    rounds: u32,
    programs: Vec<Row>,
}

/// Figures of a program; times are medians, in milliseconds.
#[derive(Serialize)]
struct Row {
    name: String,
    default_ms: f64,
    tuned_ms: f64,
    best_ms: f64,
    tuned: Environment,
    best: Environment,
    runs: u64,
    all_runs: u64,
}

/// Tunes each program of the list, then measures all combinations and the result, in turn.
///
/// # Errors
/// If there is no list, or one of its programs fails.
pub(crate) fn measure(programs: &Programs, options: &Options) -> Result<Answer> {
    let list = options.programs.as_deref().context("name a file with --programs: a name and a command on each line")?;
    let rounds = options.rounds(5, 1);
    let mut report = Report { rounds, programs: Vec::new() };
    for program in read(list)? {
        match row(programs, &program, rounds) {
            Ok(row) => {
                eprintln!("{}: {:.0} ms, tuned {:.0}, best {:.0}", row.name, row.default_ms, row.tuned_ms, row.best_ms);
                report.programs.push(row);
            }
            Err(error) => eprintln!("{} is left out: {error:#}", program.name),
        }
    }
    Answer::new(programs, &report, page(&report))
}

fn read(list: &Path) -> Result<Vec<Program>> {
    let text = fs::read_to_string(list).with_context(|| format!("cannot read {}", list.display()))?;
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let words = lines.map(|line| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    words
        .map(|mut words| {
            ensure!(words.len() > 1, "a line has a name and a command: {words:?}");
            Ok(Program { name: words.remove(0), words })
        })
        .collect()
}

fn row(programs: &Programs, program: &Program, rounds: u32) -> Result<Row> {
    let (figures, settings) = (programs.file("tune.json"), programs.file("found.tune"));
    let mut tune = Command::new(programs.ora()?);
    tune.args(["tune", "--json", "-o"]).arg(&figures).arg("--write").arg(&settings).arg("--").args(&program.words);
    let status = tune.env("OMP_NUM_THREADS", processors().to_string()).stdin(Stdio::null()).status()?;
    ensure!(status.success(), "ora tune fails on {}", program.name);
    let found: Value = serde_json::from_str(&fs::read_to_string(&figures)?)?;
    let tuned = environment(found.pointer("/best/environment"));
    let combinations = combinations();
    let medians = in_turns(programs, program, &combinations, rounds)?;
    let all = combinations.len() as u64 * u64::from(rounds);
    let best = combinations.iter().zip(medians).min_by(|(_, one), (_, other)| one.total_cmp(other));
    let best = best.map(|(environment, _)| environment.clone()).context("there is a combination")?;
    let compared = [Environment::new(), tuned.clone(), best.clone()];
    let medians = in_turns(programs, program, &compared, 2 * rounds)?;
    let [default_ms, tuned_ms, best_ms] = medians.try_into().ok().context("three were measured")?;
    let runs = found.get("runs").and_then(Value::as_u64).unwrap_or(0);
    Ok(Row { name: program.name.clone(), default_ms, tuned_ms, best_ms, tuned, best, runs, all_runs: all })
}

/// Median time with each environment, in milliseconds; each round runs the program once with each of them.
fn in_turns(programs: &Programs, program: &Program, environments: &[Environment], rounds: u32) -> Result<Vec<f64>> {
    let mut times = vec![Vec::new(); environments.len()];
    for _ in 0..rounds {
        for (environment, times) in environments.iter().zip(&mut times) {
            times.push(time_ms(programs, program, environment)?);
        }
    }
    Ok(times.into_iter().map(|times| middle(times).unwrap_or(f64::INFINITY)).collect())
}

fn environment(of: Option<&Value>) -> Environment {
    let variables = of.and_then(Value::as_object).into_iter().flatten();
    variables.map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned())).collect()
}

/// All combinations; the program as it is comes first.
fn combinations() -> Vec<Environment> {
    DIMENSIONS.iter().fold(vec![Environment::new()], |before, values| {
        let with = |environment: &Environment, value: &[(&str, &str)]| {
            let more = value.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            environment.clone().into_iter().chain(more).collect()
        };
        before.iter().flat_map(|environment| values.iter().map(|value| with(environment, value))).collect()
    })
}

fn time_ms(programs: &Programs, program: &Program, environment: &Environment) -> Result<f64> {
    let (name, arguments) = program.words.split_first().context("a command has a name")?;
    let mut command = Command::new(name);
    command.args(arguments).env("OMP_NUM_THREADS", processors().to_string()).envs(environment);
    if environment.contains_key("ORA_TUNE") {
        command.env("LD_PRELOAD", &programs.library);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let begin = Instant::now();
    let status = command.status().with_context(|| format!("cannot start {name}"))?;
    ensure!(status.success(), "{} fails with {environment:?}", program.name);
    Ok(begin.elapsed().as_secs_f64() * 1e3)
}

fn page(report: &Report) -> Page {
    let mut page = Page::default();
    page.line(&format!("{} rounds; medians", report.rounds));
    let head = ["as it is, ms", "tuned, ms", "saves %", "best of all, ms", "beyond it %", "runs", "of all"];
    let mut table = Table::new("`ora tune`, beside all combinations of its variables", "program", head);
    for row in &report.programs {
        let part = |of: f64, to: f64| format!("{:.1}", (of / to - 1.0) * 100.0);
        table.row(
            &row.name,
            [
                format!("{:.0}", row.default_ms),
                format!("{:.0}", row.tuned_ms),
                format!("{:.1}", (1.0 - row.tuned_ms / row.default_ms) * 100.0),
                format!("{:.0}", row.best_ms),
                part(row.tuned_ms, row.best_ms),
                row.runs.to_string(),
                row.all_runs.to_string(),
            ],
        );
    }
    page.table(&table);
    for row in &report.programs {
        let words = |environment: &Environment| {
            environment.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
        };
        page.line(&format!("{}: tuned: {}; best of all: {}", row.name, words(&row.tuned), words(&row.best)));
    }
    page
}

//! `bench profile`: cost of `ora profile`, compared with the bare program, `perf record -g` and gprofng.

mod programs;
mod tables;
mod ways;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::answer::Answer;
use crate::options::Options;
use crate::programs::Programs;
use crate::runner::{self, Reading, Subject, Values};
use crate::samples::Samples;
use ways::{Way, Ways};

/// Rows of each program: nanoseconds of its work; CPU time of all its threads for it; time of the whole command, including the profiler's
/// work before and after; and bytes that the profiler has written.
const ROWS: [&str; 4] = ["wall_ns", "cpu_ns", "whole_ns", "bytes"];

/// All results.
#[derive(Serialize)]
struct Report {
    rounds: u32,
    /// Reasons why a way or a program is missing.
    missing: BTreeMap<String, String>,
    /// Results by program.
    runs: BTreeMap<&'static str, Samples<Way>>,
}

pub(crate) fn measure(programs: &Programs, options: &Options) -> Result<Answer> {
    let rounds = options.rounds(11, 1);
    let mut missing = BTreeMap::new();
    let ways = Ways::find(programs, options.passive, &mut missing)?;
    let prepared = programs::prepare(programs, options, &mut missing)?;
    let subjects: Vec<_> = prepared
        .iter()
        .map(|program| Subject {
            name: program.name.to_owned(),
            ways: ways.list.clone(),
            command: Box::new(|way, _| ways.command(way, &program.program, &program.arguments)),
            values: Box::new(|reading| values(&ways, reading)),
        })
        .collect();
    let samples = runner::rounds(rounds, &subjects)?;
    let runs = prepared.iter().map(|program| program.name).zip(samples).collect();
    let report = Report { rounds, missing, runs };
    Answer::new(programs, &report, tables::page(&report))
}

fn values(ways: &Ways, reading: &Reading<Way>) -> Result<Values> {
    // A profiler may print something as well.
    let times = reading.text.lines().find_map(|line| {
        let (wall, cpu) = line.split_once(' ')?;
        Some((wall.parse().ok()?, cpu.parse().ok()?))
    });
    let (wall, cpu) = times.with_context(|| format!("the program told no times, but `{}`", reading.text.trim()))?;
    #[expect(clippy::cast_precision_loss, reason = "a file's size")]
    let bytes = size(&ways.output(reading.way)) as f64;
    let values = [wall, cpu, reading.elapsed.as_secs_f64() * 1e9, bytes];
    Ok(ROWS.iter().map(|row| (*row).to_owned()).zip(values).collect())
}

/// Size of a file, or of all files in a folder.
fn size(path: &Path) -> u64 {
    match std::fs::read_dir(path) {
        Ok(entries) => entries.flatten().map(|entry| size(&entry.path())).sum(),
        Err(_) => path.metadata().map_or(0, |data| data.len()),
    }
}

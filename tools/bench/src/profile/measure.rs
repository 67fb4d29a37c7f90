//! Round after round, all ways in each, so that what disturbs one disturbs all.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use serde::Serialize;

use super::subjects::{Prepared, Subject};
use super::ways::{Way, Ways};
use crate::programs::output;

/// One run of a program.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Run {
    /// Of its work.
    pub(super) wall_ns: f64,
    /// Of its work, of all its threads.
    pub(super) cpu_ns: f64,
    /// The whole command's, with what a profiler does before and after.
    pub(super) whole_ns: f64,
    /// What it has written.
    pub(super) bytes: u64,
}

pub(super) fn rounds(
    ways: &Ways,
    subjects: &[Prepared],
    rounds: u32,
) -> Result<BTreeMap<Subject, BTreeMap<Way, Vec<Run>>>> {
    let mut runs: BTreeMap<Subject, BTreeMap<Way, Vec<Run>>> = BTreeMap::new();
    for round in 0..rounds {
        for prepared in subjects {
            eprint!("\rround {} of {rounds}: {:12}", round + 1, prepared.subject.name());
            // Another one goes first each time.
            let mut order = ways.list.clone();
            order.rotate_left(round as usize % ways.list.len());
            for way in order {
                let run = once(ways, way, prepared)?;
                runs.entry(prepared.subject).or_default().entry(way).or_default().push(run);
            }
        }
    }
    eprintln!();
    Ok(runs)
}

fn once(ways: &Ways, way: Way, prepared: &Prepared) -> Result<Run> {
    let mut command = ways.command(way, &prepared.program, &prepared.arguments)?;
    ways.undisturbed(&mut command);
    let begun = Instant::now();
    let text = silent(&mut command)?;
    let whole_ns = begun.elapsed().as_secs_f64() * 1e9;
    // A profiler may talk, too.
    let times = text.lines().find_map(|line| {
        let (wall, cpu) = line.split_once(' ')?;
        Some((wall.parse().ok()?, cpu.parse().ok()?))
    });
    let (wall_ns, cpu_ns) = times.with_context(|| format!("the program told no times, but `{}`", text.trim()))?;
    Ok(Run { wall_ns, cpu_ns, whole_ns, bytes: size(&ways.output(way)) })
}

/// What profilers say is not for whoever reads the tables.
fn silent(command: &mut std::process::Command) -> Result<String> {
    let result = command.output()?;
    if result.status.success() {
        return Ok(String::from_utf8_lossy(&result.stdout).into_owned());
    }
    // Again, with its errors.
    output(command)
}

/// Of a file, or of all files in a folder.
fn size(path: &Path) -> u64 {
    match std::fs::read_dir(path) {
        Ok(entries) => entries.flatten().map(|entry| size(&entry.path())).sum(),
        Err(_) => path.metadata().map_or(0, |data| data.len()),
    }
}

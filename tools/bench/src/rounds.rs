//! Runs the programs round after round, all modes in each, so that what disturbs one disturbs all.

use std::collections::BTreeMap;

use anyhow::{Context, Result};

use crate::programs::{Program, Programs, SHIFTS, output};
use crate::rows::Mode;
use crate::samples::Samples;

/// Measures constructs in every mode, and requests while tracking.
pub(crate) fn measure(programs: &Programs, rounds: u32, batches: u32) -> Result<Samples> {
    let mut samples = Samples::default();
    let batches = batches.to_string();
    for round in 0..rounds {
        eprint!("\rround {} of {rounds}", round + 1);
        // Another mode goes first each time.
        let mut modes = Mode::ALL;
        modes.rotate_left(round as usize % Mode::ALL.len());
        for mode in modes {
            let text = output(&mut programs.command(Program::Constructs, mode, &["time", &batches], round % SHIFTS))?;
            for (row, value) in rows(&text)? {
                samples.add(&row, mode, value);
            }
        }
        let text = output(&mut programs.command(Program::Requests, Mode::Tracking, &["time", &batches], 0))?;
        for (row, value) in rows(&text)? {
            samples.add(&row, Mode::Tracking, value);
        }
    }
    eprintln!();
    Ok(samples)
}

/// How many events the master raises for one of each construct.
pub(crate) fn count_events(programs: &Programs) -> Result<BTreeMap<String, f64>> {
    rows(&output(&mut programs.counting())?)
}

/// Lines of a name and a number.
pub(crate) fn rows(text: &str) -> Result<BTreeMap<String, f64>> {
    text.lines()
        .map(|line| {
            let (name, value) = line.split_once(' ').with_context(|| format!("no value in `{line}`"))?;
            Ok((name.to_owned(), value.parse().with_context(|| format!("no number in `{line}`"))?))
        })
        .collect()
}

//! Instructions of one construct or request: a run of twice as many minus a run, under valgrind's callgrind.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::programs::{Program, Programs, SHIFTS, output};
use crate::rows::{CONSTRUCTS, Mode, PLACES, REQUESTS};
use crate::samples::Samples;

/// How often the shorter run does it.
const COUNT: u32 = 2000;

/// Counts for every construct in every mode, and for every request while tracking.
pub(crate) fn measure(programs: &Programs) -> Result<Samples> {
    let mut samples = Samples::default();
    for construct in CONSTRUCTS {
        eprint!("\rinstructions of {:20}", construct.name);
        for mode in Mode::ALL {
            for shift in 0..SHIFTS {
                samples.add(construct.name, mode, each(programs, Program::Constructs, construct.name, mode, shift)?);
            }
        }
    }
    for (request, _) in REQUESTS {
        for (place, _) in PLACES {
            let row = format!("{request}_{place}");
            eprint!("\rinstructions of {row:24}");
            samples.add(&row, Mode::Tracking, each(programs, Program::Requests, &row, Mode::Tracking, 0)?);
        }
    }
    eprintln!();
    Ok(samples)
}

fn each(programs: &Programs, program: Program, row: &str, mode: Mode, shift: u32) -> Result<f64> {
    let once = total(programs, program, row, mode, shift, COUNT)?;
    let twice = total(programs, program, row, mode, shift, 2 * COUNT)?;
    Ok((twice - once) / f64::from(COUNT))
}

/// Instructions of a whole run, all threads together.
fn total(programs: &Programs, program: Program, row: &str, mode: Mode, shift: u32, count: u32) -> Result<f64> {
    let count = count.to_string();
    run(programs, programs.path(program), &["run", row, &count], None, mode, &[("BENCH_SHIFT", &shift.to_string())])
}

/// Instructions inside of the function `measured` of a program.
pub(crate) fn measured(programs: &Programs, program: &Path, arguments: &[&str], mode: Mode) -> Result<f64> {
    run(programs, program, arguments, Some("measured"), mode, &[])
}

fn run(
    programs: &Programs,
    program: &Path,
    arguments: &[&str],
    within: Option<&str>,
    mode: Mode,
    environment: &[(&str, &str)],
) -> Result<f64> {
    counted(program, arguments, within, |command| {
        command.envs(environment.iter().copied());
        programs.watch(command, mode);
    })
}

/// Instructions of a run that `prepare` gives its variables; of the function `within` alone, where one is named.
pub(crate) fn counted(
    program: &Path,
    arguments: &[&str],
    within: Option<&str>,
    prepare: impl FnOnce(&mut Command),
) -> Result<f64> {
    let file = program.with_extension("callgrind");
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--quiet"]);
    command.arg(format!("--callgrind-out-file={}", file.display()));
    command.args(within.map(|function| format!("--toggle-collect={function}")));
    command.arg(program).args(arguments);
    prepare(&mut command);
    // Valgrind runs one thread at a time: one that spins would only be counted.
    command.env("OMP_WAIT_POLICY", "passive");
    output(&mut command)?;
    let text = fs::read_to_string(&file).with_context(|| format!("callgrind left no {}", file.display()))?;
    text.lines()
        .find_map(|line| line.strip_prefix("totals:").or_else(|| line.strip_prefix("summary:")))
        .and_then(|value| value.trim().parse().ok())
        .with_context(|| format!("no total in {}", file.display()))
}

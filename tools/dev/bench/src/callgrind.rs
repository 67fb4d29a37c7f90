//! Instruction counts by valgrind's callgrind.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::programs::output;

/// Instructions of a command's whole run, summed over all threads; with `within`, those of this function only.
pub(crate) fn total(command: &Command, within: Option<&str>) -> Result<f64> {
    let program = Path::new(command.get_program());
    let file = program.with_extension("callgrind");
    let mut counting = Command::new("valgrind");
    counting.args(["--tool=callgrind", "--quiet"]);
    counting.arg(format!("--callgrind-out-file={}", file.display()));
    counting.args(within.map(|function| format!("--toggle-collect={function}")));
    counting.arg(program).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => counting.env(name, value),
            None => counting.env_remove(name),
        };
    }
    // Valgrind runs one thread at a time: instructions of a spinning thread would be counted without any use.
    counting.env("OMP_WAIT_POLICY", "passive");
    output(&mut counting)?;
    let text = fs::read_to_string(&file).with_context(|| format!("callgrind left no {}", file.display()))?;
    text.lines()
        .find_map(|line| line.strip_prefix("totals:").or_else(|| line.strip_prefix("summary:")))
        .and_then(|value| value.trim().parse().ok())
        .with_context(|| format!("no total in {}", file.display()))
}

//! Facts of the cases, for the gate, in the form in which the rules read them: of a quiet machine and of one with two busy programs.

use std::fs;

use ::corpus::{Case, Command, Member};
use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};

use super::build::Built;
use super::findings;
use super::neighbours::Neighbours;
use crate::programs::Programs;

/// Number of runs, of which the quietest one is kept.
const RUNS: usize = 5;

/// Writes `facts.json` of a case whose findings come from facts.
pub(super) fn record(programs: &Programs, case: &Case, faulty: &Built, cured: &Built) -> Result<()> {
    if !matches!(case.command, Command::Stat | Command::Report | Command::Tasks) {
        return Ok(());
    }
    let mut members = Map::new();
    for (member, built) in [(Member::Program, faulty), (Member::Twin, cured)] {
        let run = || of_run(programs, case, member, built);
        let runs = (0..RUNS).map(|_| run()).collect::<Result<Vec<_>>>()?;
        let quiet = runs.into_iter().min_by(|one, other| ready(one).total_cmp(&ready(other)));
        let _busy = Neighbours::start(2);
        members.insert(member.stem().to_owned(), json!({ "idle": quiet, "busy": run()? }));
    }
    // A report with few samples has no findings, and therefore no facts.
    let has_facts = members.values().any(|of| of.pointer("/idle/0").is_some());
    ensure!(has_facts, "{} has no facts: build ora with `--features ora-advice/record`", case.name);
    // Paths of this machine are of no use to the rules.
    let here = format!("{}/", case.folder.display());
    let text = serde_json::to_string(&members)?.replace(&here, "");
    fs::write(case.folder.join("facts.json"), text + "\n").context("cannot write facts.json")
}

/// Facts of each process of a run.
fn of_run(programs: &Programs, case: &Case, member: Member, built: &Built) -> Result<Vec<Value>> {
    findings::of(programs, case, member, built)?;
    findings::facts(programs)?.iter().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// Part of their time for which threads were ready to run but had no processor.
fn ready(processes: &[Value]) -> f64 {
    let sum = |key: &str| {
        let each = processes.iter().filter_map(|facts| facts.pointer("/process")?.get(key)?.as_f64());
        each.sum::<f64>()
    };
    sum("ready_ns") / sum("all_ns").max(1.0)
}

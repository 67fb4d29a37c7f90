//! Runs the rules on recorded facts of the cases: checks which finding comes first, which place it names, and which cure.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop where it stands")]

use std::fs;

use advice::{Facts, Finding, tasks::Tasks};
use corpus::{Case, Verdict};
use serde_json::Value;

/// Findings of the rules about the processes of a run: ids and texts.
fn findings(processes: &Value) -> (Vec<&'static str>, Vec<String>) {
    let of = |process: &Value| -> (Vec<Finding>, f64) {
        if let Some(facts) = process.get("tasks") {
            let tasks: Tasks = serde_json::from_value(facts.clone()).unwrap();
            return (advice::tasks::findings(&tasks), tasks.wall_ns);
        }
        let facts: Facts = serde_json::from_value(process.get("process").unwrap().clone()).unwrap();
        (advice::findings(&facts), facts.wall_ns)
    };
    let found = processes
        .as_array()
        .unwrap()
        .iter()
        .map(of)
        .flat_map(|(found, wall_ns)| found.into_iter().map(move |finding| (finding.id, finding.text(wall_ns))));
    found.unzip()
}

/// Cases with recorded facts.
fn recorded() -> impl Iterator<Item = (Case, Value)> {
    corpus::all().unwrap().into_iter().filter_map(|case| {
        let text = fs::read_to_string(case.folder.join("facts.json")).ok()?;
        Some((case, serde_json::from_str(&text).unwrap()))
    })
}

const MACHINES: [&str; 2] = ["idle", "busy"];

#[test]
fn the_first_finding_names_the_cause_of_each_case_alone_and_beside_others() {
    let mut failed = Vec::new();
    for (case, facts) in recorded() {
        let is_right = MACHINES.map(|machine| {
            let (ids, texts) = findings(facts.pointer(&format!("/program/{machine}")).unwrap());
            // A finding which says that other programs use the processors may come first.
            let first = ids.iter().zip(&texts).find(|(_, text)| corpus::has_cure(text)).map(|(id, _)| *id);
            let is_rule = case.ids.is_empty() || first.is_some_and(|id| case.ids.iter().any(|right| right == id));
            let is_right = is_rule && case.judge(&texts) == Verdict::RightFirst;
            if !is_right && case.open.is_none() {
                failed.push(format!("{}, {machine}: {ids:?} {texts:#?}", case.name));
            }
            is_right
        });
        if is_right == [true, true] && case.open.is_some() {
            failed.push(format!("{} is right: remove `open` from its case.toml", case.name));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn no_cure_is_proposed_to_a_program_that_has_it() {
    let mut failed = Vec::new();
    for (case, facts) in recorded().filter(|(case, _)| !case.open_twin) {
        for machine in MACHINES {
            let (ids, texts) = findings(facts.pointer(&format!("/twin/{machine}")).unwrap());
            // If other programs run, waiting threads can spin too long in any program.
            let is_of_machine = |id: &str| machine == "busy" && id == "spinning";
            let cures = ids.iter().zip(&texts).filter(|(id, text)| corpus::has_cure(text) && !is_of_machine(id));
            for (_, text) in cures {
                failed.push(format!("{}, {machine}: {text}", case.name));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

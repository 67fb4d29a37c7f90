//! `ora report` on programs that know the truth about themselves: what it says of their time is what they have measured.

use std::path::Path;

use serde_json::Value;

use crate::harness::{Folder, errors, ora, run, text};

/// What a program has printed, and the report on it.
struct Run {
    said: Vec<f64>,
    report: Value,
}

impl Run {
    fn of(folder: &Folder, program: &Path, arguments: &[&str]) -> Self {
        let profile = folder.file("profile");
        let output = run(ora(&["profile", "-F", "1000", "-o"])
            .arg(&profile)
            .arg("--")
            .arg(program)
            .args(arguments)
            .env("OMP_DYNAMIC", "false"));
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        let said = text(&output).split_whitespace().map(|word| word.parse().unwrap()).collect();
        let report = run(ora(&["report", "--json"]).arg(&profile));
        Self { said, report: serde_json::from_str(&text(&report)).unwrap() }
    }

    /// Seconds of a state, by a clock (`total_ns`, `cpu_ns`).
    fn state(&self, state: &str, clock: &str) -> f64 {
        seconds(&self.report["states"][state][clock])
    }
}

fn seconds(ns: &Value) -> f64 {
    ns.as_f64().unwrap_or(0.0) / 1e9
}

/// Within bounds that chance and a busy machine don't reach.
fn about(found: f64, truth: f64, what: &str) {
    assert!(found > 0.75 * truth && found < 1.25 * truth, "{what}: {found} s, by the program {truth} s");
}

#[test]
fn free_locks_are_the_runtimes_time_and_no_work() {
    let folder = Folder::new();
    let found = Run::of(&folder, &folder.program("inside"), &[]);
    let [locked, worked] = found.said[..] else { panic!("{:?}", found.said) };
    about(found.state("runtime", "cpu_ns"), locked, "runtime");
    about(found.state("work", "cpu_ns"), worked, "work");
}

/// The region's share of imbalance, and what its program says it is.
fn imbalance(arguments: &[&str]) -> (f64, f64, Run) {
    let folder = Folder::new();
    let found = Run::of(&folder, &folder.program("uneven"), arguments);
    let [longest, mean] = found.said[..] else { panic!("{:?}", found.said) };
    let region = &found.report["regions"][0];
    let ns = |key: &str| region[key].as_u64().unwrap();
    let parts = ns("imbalance_ns") + ns("no_processor_ns") + ns("barrier_cost_ns");
    assert_eq!(parts, ns("barrier_ns"), "{region:#}");
    assert!(ns("work_ns") > 0 && ns("gain_ns") <= ns("imbalance_ns"), "{region:#}");
    (region["imbalance"].as_f64().unwrap(), (longest - mean) / longest, found)
}

#[test]
fn imbalance_is_that_of_running_time_always_the_same_or_by_turns() {
    for how in ["lasting", "round"] {
        let (found, truth, _) = imbalance(&[how, "2"]);
        assert!((found - truth).abs() < 0.1, "{how}: {found}, by the program {truth}");
    }
}

#[test]
fn threads_that_share_a_processor_are_told_first_and_are_no_imbalance() {
    let (found, truth, run) = imbalance(&["even", "3", "on one"]);
    assert!(truth < 0.02 && found < 0.1, "{found}, by the program {truth}");
    assert_eq!(run.report["advice"][0]["kind"], "processors", "{:#}", run.report["advice"]);
    let advice = run.report["advice"].to_string();
    assert!(!advice.contains("schedule") && !advice.contains("less to do"), "{advice}");
}

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

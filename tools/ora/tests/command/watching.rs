//! Cost of watching, as reported by `ora stat`, `ora tasks` and the program itself.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::{Folder, ora, run, text};

/// CPU time measured by the program, and the JSON object of its process.
fn watched(folder: &Folder, command: &str, program: &Path, kind: &str) -> (f64, Value) {
    let file = folder.file("out.json");
    let output = run(ora(&[command, "--json", "-o", file.to_str().unwrap(), "--"]).arg(program).arg(kind));
    let answer: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let run = answer.get("runs").map_or(&answer, |runs| &runs[0]);
    (text(&output).trim().parse().unwrap(), run["processes"][0].clone())
}

fn number(of: &Value) -> f64 {
    of.as_f64().unwrap_or_else(|| panic!("{of} is no number"))
}

/// Compares CPU times, so that other load doesn't matter; takes the minimum of a few alternating runs.
fn is_known(command: &str) {
    let folder = Folder::new();
    let program = folder.compile("watched", "watched", &["-O1", "-fopenmp"]);
    let (mut bare_ns, mut watched_ns, mut told_ns) = (f64::MAX, f64::MAX, f64::MAX);
    for _ in 0..5 {
        let bare = run(std::process::Command::new(&program).arg("tasks"));
        bare_ns = bare_ns.min(text(&bare).trim().parse().unwrap());
        let (ns, process) = watched(&folder, command, &program, "tasks");
        watched_ns = watched_ns.min(ns);
        told_ns = told_ns.min(number(&process["watching_ns"]));
    }
    let added_ns = watched_ns - bare_ns;
    assert!((0.25..4.0).contains(&(told_ns / added_ns)), "told {told_ns}, added {added_ns} to {bare_ns}");
    // The least of a few, as pages and caches are cold where other programs run.
    let shares = (0..3).map(|_| {
        let (ns, process) = watched(&folder, command, &program, "regions");
        number(&process["watching_ns"]) / ns
    });
    let share = shares.fold(f64::MAX, f64::min);
    assert!(share < 0.01, "{share}");
}

#[test]
#[ignore = "slow: --all runs it"]
fn what_stat_has_added_is_known() {
    is_known("stat");
}

#[test]
#[ignore = "slow: --all runs it"]
fn what_tasks_has_added_is_known() {
    is_known("tasks");
}

#[test]
fn the_head_says_what_watching_has_added() {
    let folder = Folder::new();
    let program = folder.compile("watched", "watched", &["-O1", "-fopenmp"]);
    let output = run(ora(&["stat", "--"]).arg(&program).arg("regions"));
    let table = crate::harness::errors(&output);
    assert!(table.contains("watching") && table.contains("added about"), "{table}");
}

/// For undeferred tasks, most events are replaced by counts. With an OMPT tool in the process all events are raised.
#[test]
#[ignore = "slow: --all runs it"]
fn tasks_without_events_are_counted_like_those_with_them() {
    let folder = Folder::new();
    let program = folder.compile("watched", "watched", &["-O1", "-fopenmp"]);
    let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../headers");
    let tool = folder.compile("tool5", "libtool5.so", &["-shared", "-fPIC", "-I", headers.to_str().unwrap()]);
    for libraries in ["", tool.to_str().unwrap()] {
        let process = |command: &str| {
            let file = folder.file("out.json");
            let mut ora = ora(&[command, "--json", "-o", file.to_str().unwrap(), "--"]);
            run(ora.arg(&program).arg("tasks").env("OMP_TOOL_LIBRARIES", libraries));
            let answer: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
            answer.get("runs").map_or(&answer, |runs| &runs[0])["processes"][0].clone()
        };
        let stat = process("stat");
        let counts = [&stat["regions"][0]["tasks"], &stat["waits"]["taskwait"]].map(number);
        assert_eq!(counts, [2e6; 2], "{libraries}");
        let tasks = process("tasks");
        let place = &tasks["constructs"][0];
        let counts = [&place["tasks"], &place["undeferred"], &place["started"], &place["suspension_ns"]["count"]];
        assert_eq!(counts.map(number), [2e6; 4], "{libraries}: {place}");
        assert_eq!(number(&tasks["tasks_executed"]), 2e6, "{libraries}");
    }
}

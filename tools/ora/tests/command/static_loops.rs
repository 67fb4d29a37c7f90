//! Loops that gcc distributes statically, and the barriers at their ends, identified by the table of call sites that the command passes on.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::harness::{Folder, errors, json, ora, run, text};

fn program(folder: &Folder, options: &[&str]) -> PathBuf {
    folder.compile("static_loops", "static_loops", &[&["-fopenmp"], options].concat())
}

/// Number of barriers at which `ora stat` has seen threads: implicit ones and explicit ones.
fn barriers(program: &Path) -> [u64; 2] {
    let document = json(&[], program, &[]);
    let waits = &document["runs"][0]["processes"][0]["waits"];
    ["implicit_barrier", "explicit_barrier"].map(|kind| waits[kind].as_u64().unwrap_or_else(|| panic!("{document:#}")))
}

#[test]
fn implicit_barriers_of_loops_and_singles_are_told_from_explicit_ones() {
    let folder = Folder::new();
    // Each thread ends 12 regions, 10 loops and 10 single constructs, and reaches 10 explicit barriers. The last loop of a region ends with
    // the region.
    assert_eq!(barriers(&program(&folder, &["-g", "-O0"])), [2 * (12 + 10 + 10), 2 * 10]);
    // Without line information nothing distinguishes them.
    assert_eq!(barriers(&program(&folder, &["-O0"])), [2 * 12, 2 * 30]);
}

/// Number of starts and ends of work-sharing constructs that a tool of OpenMP 5 gets.
fn work(program: &Path, setting: Option<&str>) -> u64 {
    let folder = Folder::new();
    let mut command = ora(&["validate", "--json", "-o"]);
    command.arg(folder.file("out.json")).arg("--").arg(program);
    let output = run(command.envs(setting.map(|setting| ("ORA_CALL_SITES", setting))));
    assert!(output.status.success(), "{}", errors(&output));
    let document: Value = serde_json::from_slice(&fs::read(folder.file("out.json")).unwrap()).unwrap();
    assert_eq!(document["good"], true, "{document:#}");
    let callbacks = document["processes"][0]["callbacks"].as_array().unwrap();
    callbacks.iter().find(|callback| callback["name"] == "work").unwrap()["events"].as_u64().unwrap()
}

#[test]
fn static_loops_are_reported_to_tools_and_shares_by_hand_are_not() {
    let folder = Folder::new();
    let all = program(&folder, &["-g", "-O0"]);
    // Single constructs, loops, and the loop that is a region, of two threads, each with a start and an end.
    assert_eq!(work(&all, None), 2 * 2 * (10 + 20 + 1));
    assert_eq!(work(&all, Some("none")), 2 * 2 * 10);
    // From -O1 on, the second loop of a function makes no call when it starts.
    assert_eq!(work(&program(&folder, &["-g", "-O2"]), None), 2 * 2 * (10 + 10 + 1));
    assert_eq!(work(&program(&folder, &["-O2"]), None), 2 * 2 * 10);
}

#[test]
fn waits_at_the_end_of_a_loop_are_named_by_the_loop() {
    let folder = Folder::new();
    let program = program(&folder, &["-g", "-O0"]);
    let trace = folder.file("trace");
    let traced = run(ora(&["trace", "-o"]).arg(&trace).arg("--").arg(&program));
    assert!(traced.status.success(), "{}", errors(&traced));
    let report = text(&run(ora(&["report", "--rows", "all"]).arg(&trace)));
    for said in ["implicit barrier, end of the loop at static_loops.c:13", "explicit barrier at static_loops.c:18"] {
        assert!(report.contains(said), "no {said:?} in {report}");
    }
}

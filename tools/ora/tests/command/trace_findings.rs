//! Findings of a trace: planted faults (`programs/faults`) are named, but their corrected twins are not.

use serde_json::Value;

use crate::harness::{Folder, errors, ora, run, text};
use crate::known_causes::on_an_idle_machine;

/// Number of attempts on a busy machine; on an idle one the first run succeeds.
const RUNS: usize = 20;

/// Fault, the finding that names it, and the function with the region, if a finding has one.
const FAULTS: [(&str, &str, Option<&str>); 7] = [
    ("triangular", "imbalance", Some("triangular")),
    ("lonely", "one_thread", Some("lonely")),
    ("one_creator", "one_creator", Some("one_creator")),
    ("alternating", "barriers", Some("alternating")),
    ("critical", "critical", None),
    ("held_long", "lock", None),
    ("mostly_serial", "serial", None),
];

#[test]
#[ignore = "slow: --all runs it"]
fn faults_are_found_in_traces_and_no_twin_is_accused() {
    let folder = Folder::new();
    let program = folder.compile("faults/main", "faults", &["-O2", "-g", "-fopenmp"]);
    for (fault, id, function) in FAULTS {
        let mut last = Value::Null;
        let mut some_run = |kind: &str, wanted: bool| {
            (0..RUNS).any(|_| {
                let folder = Folder::new();
                let trace = folder.file("trace");
                let threads = ("OMP_NUM_THREADS", "2");
                let mut watch = ora(&["trace", "-o"]);
                watch.arg(&trace).arg("--").arg(&program).args([fault, kind, "120"]).env(threads.0, threads.1);
                assert!(run(&mut watch).status.success());
                let report = run(ora(&["report", "--json"]).arg(&trace));
                let report: Value =
                    serde_json::from_str(&text(&report)).unwrap_or_else(|_| panic!("{}", errors(&report)));
                last = report["processes"][0]["findings"].clone();
                let is_it =
                    |one: &Value| one["id"] == id && function.is_none_or(|function| one["function"] == function);
                // If other programs run, time without a processor is the only cause that is reported. The step on an idle machine covers
                // the others.
                let is_busy = !on_an_idle_machine() && last.to_string().contains("busy_machine");
                last.as_array().unwrap().iter().any(is_it) == wanted || is_busy
            })
        };
        assert!(some_run("faulty", true), "{fault}: {last:#}");
        assert!(some_run("mended", false), "{fault}, mended: {last:#}");
    }
}

/// The text and the browser page contain the same sentences.
#[test]
fn a_finding_is_in_the_text_and_on_the_page() {
    let folder = Folder::new();
    let program = folder.compile("faults/main", "faults", &["-O2", "-g", "-fopenmp"]);
    let (trace, page) = (folder.file("trace"), folder.file("page.html"));
    let mut watch = ora(&["trace", "-o"]);
    watch.arg(&trace).arg("--").arg(&program).args(["mostly_serial", "faulty", "120"]).env("OMP_NUM_THREADS", "2");
    assert!(run(&mut watch).status.success());
    let report = text(&run(ora(&["report", "--rows", "3"]).arg(&trace)));
    let report = report.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = "spent in code outside of parallel regions: make that parallel as well";
    assert!(report.contains("Finding: ") && report.contains(words), "{report}");
    assert!(run(ora(&["report", "--html"]).arg(&page).arg(&trace)).status.success());
    let page = std::fs::read_to_string(&page).unwrap();
    assert!(words.split(": ").all(|part| page.contains(part)), "evidence and cure are apart: {page}");
}

//! Programs whose efficiencies are known (`programs/known_efficiency.c`), with two threads, and what `ora stat` makes of them.

use std::path::Path;

use compat_tests::suite::first;
use serde_json::Value;

use crate::harness::{Folder, ora, run};

/// A program, its load balance, and the product of that with its serialisation.
const KNOWN: [(&str, f64, f64); 10] = [
    ("balanced", 1.0, 1.0),
    // Each thread once.
    ("alternating", 1.0, 0.75),
    // One after the other.
    ("critical", 1.0, 0.5),
    ("serial", 0.75, 0.75),
    // Three threads, of which one works twice as long.
    ("nested", 2.0 / 3.0, 2.0 / 3.0),
    // Like one of those each.
    ("double", 0.75, 0.75),
    ("barriers", 1.0, 0.75),
    ("lock", 1.0, 0.5),
    ("ordered", 1.0, 0.5),
    // Which thread executes the tasks of a chain is the runtime's choice.
    ("chain", 0.5, 0.5),
];

/// Without the long run: one of each kind.
const OF_EACH_KIND: usize = 5;

/// Clocks, and the process's own begin and end.
const CLOSE: f64 = 0.01;
/// On a busy machine: on an idle one the first run counts.
const RUNS: usize = 20;

fn efficiency(program: &Path, kind: &str) -> [f64; 4] {
    let folder = Folder::new();
    let figures = folder.file("stat");
    let mut watch = ora(&["stat", "--json", "-o"]);
    watch.arg(&figures).arg("--").arg(program).args([kind, "200"]).env("OMP_NUM_THREADS", "2");
    assert!(run(&mut watch).status.success());
    let report: Value = serde_json::from_str(&std::fs::read_to_string(figures).unwrap()).unwrap();
    let found = &report["runs"][0]["processes"][0]["efficiency"];
    ["parallel", "load_balance", "serialisation", "transfer"].map(|key| found[key].as_f64().unwrap())
}

#[test]
#[ignore = "slow: --all runs it"]
fn known_programs_have_their_known_efficiencies() {
    let folder = Folder::new();
    let program = folder.compile("known_efficiency", "known_efficiency", &["-O1", "-fopenmp"]);
    for &(kind, balance, both) in first(&KNOWN, OF_EACH_KIND) {
        let mut last = [0.0; 4];
        let is_known = (0..RUNS).any(|_| {
            last = efficiency(&program, kind);
            let [parallel, load_balance, serialisation, transfer] = last;
            let product = load_balance * serialisation;
            assert!((parallel - product * transfer).abs() < CLOSE, "{kind}: {last:?}");
            let is_balance = kind == "chain" || (load_balance - balance).abs() < CLOSE;
            is_balance && (product - both).abs() < CLOSE
        });
        assert!(is_known, "{kind}: {last:?}");
    }
}

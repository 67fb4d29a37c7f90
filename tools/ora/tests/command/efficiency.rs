//! Programs whose efficiencies are known (`programs/known_efficiency.c`), with two threads, and the result of `ora stat`.

use std::path::Path;

use compat_tests::suite::first;
use serde_json::Value;

use crate::harness::{Folder, ora, run};

/// Program, its load balance, and the product of that with its serialisation.
const KNOWN: [(&str, f64, f64); 10] = [
    ("balanced", 1.0, 1.0),
    // Each thread works once.
    ("alternating", 1.0, 0.75),
    // One thread works after the other.
    ("critical", 1.0, 0.5),
    ("serial", 0.75, 0.75),
    // Three threads, one of which works twice as long.
    ("nested", 2.0 / 3.0, 2.0 / 3.0),
    // Like one of the above.
    ("double", 0.75, 0.75),
    ("barriers", 1.0, 0.75),
    ("lock", 1.0, 0.5),
    ("ordered", 1.0, 0.5),
    // The runtime chooses which thread executes the tasks of a chain.
    ("chain", 0.5, 0.5),
];

/// Number of programs without the long run: one of each kind.
const OF_EACH_KIND: usize = 5;

/// Tolerance for clocks, and for the start and end of the process.
const CLOSE: f64 = 0.01;
/// Number of attempts on a busy machine; on an idle one the first run succeeds.
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

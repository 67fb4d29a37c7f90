//! Planted faults (`programs/faults`), each with a corrected twin: the fault's rule reports the fault, and no rule reports the twin.

use std::path::Path;

use compat_tests::suite::one_of_each;
use serde_json::Value;

use crate::harness::{Folder, ora, run};
use crate::skips::skip;

/// Fault, the ids of the findings that name it, and the function with the region, if a finding has one.
type Fault = (&'static str, &'static [&'static str], Option<&'static str>);

const FAULTS: [Fault; 34] = [
    ("triangular", &["imbalance"], Some("triangular")),
    ("one_heavy", &["imbalance"], Some("one_heavy")),
    ("three_rows", &["imbalance"], Some("three_rows")),
    ("hot_block", &["imbalance"], Some("hot_block")),
    ("long_section", &["imbalance"], Some("long_section")),
    ("prepared", &["imbalance"], Some("prepared")),
    ("masked", &["imbalance"], Some("masked")),
    ("lonely", &["one_thread"], Some("lonely")),
    ("alternating", &["barriers"], Some("alternating")),
    ("large_chunks", &["imbalance"], Some("large_chunks")),
    ("critical", &["critical"], None),
    ("one_name", &["critical"], None),
    ("one_lock", &["lock"], None),
    ("one_nest_lock", &["lock"], None),
    ("held_long", &["lock"], None),
    ("ordered", &["ordered"], None),
    ("last_task", &["imbalance"], Some("last_task")),
    ("long_task", &["imbalance"], Some("long_task")),
    ("one_task", &["few_tasks"], Some("one_task")),
    ("small_tasks", &["small_tasks"], Some("small_tasks")),
    ("small_grains", &["small_tasks"], Some("small_grains")),
    ("one_creator", &["imbalance"], Some("one_creator")),
    ("small_leaves", &["small_tasks"], Some("small_leaves")),
    ("small_chunks", &["small_chunks"], Some("small_chunks")),
    ("pairs", &["small_chunks"], Some("pairs")),
    ("small_regions", &["small_regions"], None),
    ("many_small", &["small_regions"], None),
    ("between", &["serial"], None),
    ("mostly_serial", &["serial"], None),
    ("crowded", &["crowded"], None),
    ("two_teams", &["crowded"], None),
    ("nested", &["nested_teams"], None),
    ("team_sizes", &["team_sizes"], None),
    ("spinning", &["spinning"], None),
];

/// Number of attempts on a busy machine; on an idle one the first run succeeds.
const RUNS: usize = 20;

fn program(folder: &Folder) -> std::path::PathBuf {
    folder.compile("faults/main", "faults", &["-O2", "-g", "-fopenmp"])
}

/// Figures of the program's process under `ora stat`.
fn process(program: &Path, fault: &str, kind: &str, ms: &str) -> Value {
    let folder = Folder::new();
    let figures = folder.file("stat");
    let mut watch = ora(&["stat", "--json", "-o"]);
    watch.arg(&figures).arg("--").arg(program).args([fault, kind, ms]);
    if (fault, kind) == ("spinning", "faulty") {
        watch.env("OMP_WAIT_POLICY", "active");
    }
    assert!(run(&mut watch).status.success());
    let mut figures: Value = serde_json::from_str(&std::fs::read_to_string(figures).unwrap()).unwrap();
    figures["runs"][0]["processes"][0].take()
}

/// Findings about that process: id and function.
fn findings(program: &Path, fault: &str, kind: &str) -> Vec<(String, Option<String>)> {
    let process = process(program, fault, kind, "120");
    let found = process["findings"].as_array().unwrap();
    let text = |of: &Value| of.as_str().map(str::to_owned);
    found.iter().map(|one| (text(&one["id"]).unwrap(), text(&one["function"]))).collect()
}

#[test]
#[ignore = "slow: --all runs it"]
fn each_planted_fault_is_found_and_no_twin_is_accused() {
    let folder = Folder::new();
    let program = program(&folder);
    for (fault, ids, function) in one_of_each(&FAULTS, |(_, ids, _)| *ids) {
        let names = |found: &[(String, Option<String>)]| {
            found
                .iter()
                .any(|(id, place)| ids.contains(&id.as_str()) && (function.is_none() || place.as_deref() == function))
        };
        let mut last = Vec::new();
        let mut some_run = |kind, wanted: bool| {
            (0..RUNS).any(|_| {
                last = findings(&program, fault, kind);
                names(&last) == wanted
            })
        };
        assert!(some_run("faulty", true), "{fault}: {last:?}");
        assert!(some_run("mended", false), "{fault}, mended: {last:?}");
    }
}

/// Tasks at the leaves of a tree that cost more than they gain: `ora tasks` reports them, but not those of the corrected twin.
#[test]
fn small_tasks_of_a_tree_are_a_finding_of_the_tasks() {
    let folder = Folder::new();
    let program = program(&folder);
    let found = |kind: &str| {
        let figures = folder.file("tasks");
        let mut watch = ora(&["tasks", "--json", "-o"]);
        watch.arg(&figures).arg("--").arg(&program).args(["small_leaves", kind, "200"]).env("OMP_NUM_THREADS", "2");
        assert!(run(&mut watch).status.success());
        let report: Value = serde_json::from_str(&std::fs::read_to_string(&figures).unwrap()).unwrap();
        let found = report["processes"][0]["findings"].as_array().unwrap().clone();
        found.into_iter().map(|finding| (finding["id"].clone(), finding["function"].clone())).collect::<Vec<_>>()
    };
    assert!((0..RUNS).any(|_| found("faulty") == [("small_tasks".into(), "fib".into())]));
    assert!((0..RUNS).any(|_| found("mended").is_empty()));
}

/// Threads that move all the time. Their cost is not reported if other programs use the processors, so the test checks the count.
#[test]
#[ignore = "slow: --all runs it"]
fn moves_between_processors_are_counted() {
    let folder = Folder::new();
    let program = program(&folder);
    let moves = |kind: &str| {
        let process = process(&program, "moving", kind, "200");
        let threads = process["threads"].as_array().unwrap();
        threads.iter().map(|thread| thread["moves"].as_u64().unwrap()).sum::<u64>()
    };
    let (faulty, mended) = (moves("faulty"), moves("mended"));
    if !std::path::Path::new("/proc/self/sched").exists() {
        return skip("this kernel doesn't count moves between processors");
    }
    assert!(faulty > 100 && faulty > 4 * mended, "{faulty} moves, {mended} without the fault");
}

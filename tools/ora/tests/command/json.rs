//! The JSON object: its structure and its sums.

use crate::harness::{Folder, json};
use serde_json::Value;

const PARTS: [&str; 11] = [
    "work",
    "serial",
    "implicit_barrier",
    "explicit_barrier",
    "lock",
    "critical",
    "ordered",
    "atomic",
    "idle",
    "taskwait",
    "region_start",
];

fn ns(of: &Value) -> u64 {
    of.as_u64().unwrap_or_else(|| panic!("{of} is no time"))
}

#[test]
fn the_parts_add_up() {
    let folder = Folder::new();
    let object = json(&[], &folder.program("constructs"), &[]);
    assert_eq!((&object["schema"], &object["version"]), (&Value::from("ora-stat"), &Value::from(2)));
    let run = &object["runs"][0];
    assert_eq!((&run["exit_code"], &run["signal"]), (&Value::from(0), &Value::Null));
    let process = &run["processes"][0];
    let parts = |of: &Value| PARTS.iter().map(|part| ns(&of["time_ns"][part])).sum::<u64>();
    let whole = parts(process);
    assert_eq!(ns(&process["openmp_work_ns"]) + ns(&process["openmp_wait_ns"]), whole);
    let threads = process["threads"].as_array().unwrap();
    assert_eq!(threads.iter().map(parts).sum::<u64>(), whole);
    assert_eq!(threads.len(), 2);
    for thread in threads {
        assert!(parts(thread) <= ns(&run["wall_ns"]), "{thread}");
    }
    assert_eq!(process["unsupported_events"], Value::Array(Vec::new()));
    assert_eq!(process["runtimes"][0], "libgomp");
}

#[test]
fn several_runs_have_a_summary() {
    let folder = Folder::new();
    let object = json(&["-r", "2"], &folder.program("constructs"), &[]);
    assert_eq!((object["runs"].as_array().unwrap().len(), &object["summary"]["runs"]), (2, &Value::from(2)));
}

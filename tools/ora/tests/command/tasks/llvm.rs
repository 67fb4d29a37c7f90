//! `ora tasks` on LLVM's runtime, which reports less about a task's life than libgomp reveals.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;

use super::{json, lines_with, number, profile, tasks};
use crate::harness::{Folder, LIBOMP, errors};

/// Program compiled by clang for LLVM's runtime; `None` without clang.
fn by_clang(folder: &Folder, name: &str) -> Option<PathBuf> {
    folder.clang(name, "clang", &[&["-O1", "-g", "-fopenmp"], &LIBOMP[..]].concat())
}

#[test]
fn tasks_of_clangs_code_are_at_the_lines_that_create_them() {
    let folder = Folder::new();
    let Some(program) = by_clang(&folder, "fib") else { return };
    let process = profile(&program, &["10"]);
    assert_eq!([number(&process["tasks_created"]), number(&process["tasks_executed"])], [176, 176]);
    let constructs = process["constructs"].as_array().unwrap();
    let lines: BTreeSet<u64> = constructs.iter().map(|construct| number(&construct["place"]["line"])).collect();
    assert_eq!(lines, lines_with("fib.c", "omp task shared").into_iter().collect(), "{constructs:#?}");
}

/// Times that LLVM's runtime reports with a single event are unknown: neither text nor JSON contains one, and no advice is based on it.
#[test]
fn what_a_runtime_does_not_show_has_no_time() {
    let folder = Folder::new();
    let Some(program) = by_clang(&folder, "fib") else { return };
    let object = json(&["--json", "--tree"], &program, &["16"]);
    let process = &object["processes"][0];
    for key in ["creation_typical_ns", "cut_off"] {
        assert_eq!(process[key], Value::Null, "{key}");
    }
    assert_eq!(["creation_visible", "cleanup_visible"].map(|key| process[key].as_bool()), [Some(false); 2]);
    for construct in process["constructs"].as_array().unwrap() {
        for key in ["creation_ns", "cleanup_ns", "cost_ns", "too_small"] {
            assert_eq!(construct[key], Value::Null, "{key} of {construct}");
        }
        assert!(construct["execution_ns"]["mean"].is_f64(), "{construct}");
    }
    for key in ["threads", "levels"] {
        assert!(process[key].as_array().unwrap().iter().all(|row| row["creation_ns"] == Value::Null), "{process:#}");
    }
    let nodes = object["tree"]["tasks"].as_array().unwrap();
    assert!(nodes.iter().all(|node| node["creation_ns"] == Value::Null && node["exit_ns"] == Value::Null));
    let table = errors(&tasks(&[], &program, &["16"]));
    assert_eq!(table.matches("not visible on this runtime").count(), 4, "{table}");
    assert!(!table.contains("too small:") && !table.contains("cut-off ") && !table.contains("in one task"), "{table}");
}

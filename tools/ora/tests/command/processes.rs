//! Processes that the program starts.

use crate::harness::{Folder, errors, json, ora, run, stat, text};
use serde_json::Value;

fn processes(options: &[&str], how: &str) -> (Vec<(String, u64)>, Value) {
    let folder = Folder::new();
    let object = json(options, &folder.program("processes"), &[how]);
    let run = object["runs"][0].clone();
    let told = run["processes"].as_array().unwrap().iter();
    let told = told
        .map(|p| (p["origin"].as_str().unwrap().to_owned(), p["regions_total"]["count"].as_u64().unwrap()))
        .collect();
    (told, run["processes_without_openmp"].clone())
}

fn told(list: &[(&str, u64)]) -> Vec<(String, u64)> {
    list.iter().map(|(origin, regions)| ((*origin).to_owned(), *regions)).collect()
}

#[test]
fn a_forked_child_is_counted_on_its_own() {
    assert_eq!(processes(&[], "fork"), (told(&[("started", 1), ("forked", 2)]), 0.into()));
}

#[test]
fn executed_children_are_counted_and_those_without_openmp_only_as_a_number() {
    // These are the shell, its child with a region, and `/bin/true`.
    assert_eq!(processes(&[], "spawn"), (told(&[("started", 1), ("executed", 1)]), 2.into()));
}

#[test]
fn a_program_that_executes_another_one_is_shown_as_the_last() {
    let folder = Folder::new();
    let object = json(&[], &folder.program("processes"), &["exec"]);
    let processes = object["runs"][0]["processes"].as_array().unwrap().clone();
    let ends: Vec<_> = processes.iter().map(|p| p["end"].as_str().unwrap()).collect();
    assert_eq!(ends, ["exited", "replaced"]);
    assert_eq!(processes[0]["pid"], processes[1]["pid"]);
    assert!(processes[0]["command"].as_str().unwrap().ends_with(" none"));
}

#[test]
fn no_follow_leaves_children_out_but_not_what_the_first_process_executes() {
    assert_eq!(processes(&["--no-follow"], "fork"), (told(&[("started", 1)]), 0.into()));
    assert_eq!(processes(&["--no-follow"], "spawn"), (told(&[("started", 1)]), 0.into()));
    assert_eq!(processes(&["--no-follow"], "exec"), (told(&[("started", 1), ("started", 1)]), 0.into()));
}

#[test]
fn children_stand_below_the_table() {
    let folder = Folder::new();
    let table = errors(&stat(&[], &folder.program("processes"), &["fork"]));
    assert!(table.contains("Other processes that used OpenMP: 1"), "{table}");
    assert!(table.contains("forked by") && table.contains("2 parallel regions"), "{table}");
}

#[test]
fn of_a_wrapper_the_one_program_with_openmp_is_shown() {
    let folder = Folder::new();
    let program = folder.program("regions");
    let line = format!("{} 4; true", program.display());
    let output = run(ora(&["stat", "--", "sh", "-c"]).arg(&line));
    let table = errors(&output);
    assert_eq!(text(&output), "8\n");
    assert!(table.contains("OpenMP was seen in no other process") && table.contains("parallel regions  4"), "{table}");
    let table = errors(&run(ora(&["stat", "--", "env", "A=b"]).arg(&program).arg("4")));
    assert!(table.contains("parallel regions  4") && !table.contains("Other processes"), "{table}");
}

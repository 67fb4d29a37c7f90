//! Tree of tasks (`--tree`): its shape, its times and its formats.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{fib, json, number, tasks};
use crate::harness::{Folder, errors};

#[test]
fn each_task_of_the_tree_has_the_times_that_can_be_seen() {
    let folder = Folder::new();
    let tree = json(&["--tree=json"], &fib(&folder), &["6"]);
    for node in tree["tasks"].as_array().unwrap() {
        for key in ["creation_ns", "waiting_ns", "execution_ns", "suspension_ns"] {
            assert!(node[key].is_f64(), "{key} of {node}");
        }
        // The clean-up in libgomp is not visible.
        assert_eq!(node["exit_ns"], Value::Null, "{node}");
    }
    let text_tree = errors(&tasks(&["--tree"], &fib(&folder), &["6"]));
    assert!(text_tree.contains(", created in ") && text_tree.contains(", ran "), "{text_tree}");
}

#[test]
fn tasks_that_run_while_a_creation_waits_for_predecessors_are_on_its_level() {
    let folder = Folder::new();
    let told = json(&["--json"], &folder.compile("many_readers", "program", &["-O1", "-g", "-fopenmp"]), &[]);
    let process = &told["processes"][0];
    let levels = process["levels"].as_array().unwrap();
    let found = (number(&process["tasks_created"]), number(&process["tasks_executed"]), levels.len());
    assert_eq!(found, (20_100, 20_100, 1), "{process:#}");
}

/// Children of a task, with their own children, in the order of creation.
fn shape(tasks: &[Value], of: u64) -> String {
    let children = tasks.iter().filter(|task| number(&task["parent_id"]) == of);
    children.map(|task| format!("({})", shape(tasks, number(&task["id"])))).collect()
}

#[test]
fn the_tree_of_fib_4_is_that_of_the_paper() {
    let folder = Folder::new();
    let tree = json(&["--tree=json"], &fib(&folder), &["4"]);
    assert_eq!((&tree["schema"], number(&tree["tasks_created"])), (&Value::from("ora-tasks-tree"), 8));
    let tasks = tree["tasks"].as_array().unwrap();
    let ids: BTreeSet<u64> = tasks.iter().map(|task| number(&task["id"])).collect();
    assert_eq!(ids.len(), 8);
    let roots: BTreeSet<u64> =
        tasks.iter().map(|task| number(&task["parent_id"])).filter(|parent| !ids.contains(parent)).collect();
    let root = roots.first().copied().unwrap();
    assert_eq!(roots.len(), 1);
    // 4 has 3 and 2; 3 has 2 and 1; 2 has 1 and 0. The order depends on the threads.
    let three = ["((()())())", "(()(()()))"];
    let two = "(()())";
    let found = shape(tasks, root);
    assert!(three.iter().any(|three| found == format!("{three}{two}") || found == format!("{two}{three}")), "{found}");
    assert!(tasks.iter().all(|task| task["executed_by"].is_u64() && task["waiting_ns"].is_f64()), "{tasks:?}");
}

#[test]
fn the_tree_is_shown_as_text_and_as_a_graph_up_to_a_limit() {
    let folder = Folder::new();
    let program = fib(&folder);
    let text_tree = errors(&tasks(&["--tree"], &program, &["4"]));
    let lines = |what: &str| text_tree.lines().filter(|line| line.contains(what)).count();
    assert_eq!([lines("|- "), lines("`- "), lines("(implicit task)")].iter().sum::<usize>(), 9, "{text_tree}");
    assert!(text_tree.contains("all 8 tasks"), "{text_tree}");
    let graph = errors(&tasks(&["--tree=dot", "--tree-max", "5"], &program, &["4"]));
    assert!(graph.starts_with("digraph tasks {") && graph.ends_with("}\n"), "{graph}");
    assert_eq!(graph.matches(" -> ").count(), 5, "{graph}");
    assert!(graph.contains("the first 5 of 8 tasks"), "{graph}");
}

//! Hangs of C++ programs at `-O2`, in exit(), and in forked children.

use std::process::Command;

use compat_tests::requirements;
use serde_json::Value;

use super::harness::{Running, stands_still};
use crate::harness::{Folder, in_crate, ora, run};
use crate::reference::document;

/// Answers about a case of `programs/stuck.cc` once its threads all wait; `child` selects its forked child. `None` without a compiler.
fn answer(case: &str, child: bool) -> Option<(Value, Option<i32>)> {
    let folder = Folder::new();
    let mut compiler = Command::new("g++");
    compiler.args(["-O2", "-g", "-fopenmp"]).arg(in_crate("tests/command/programs/stuck.cc"));
    let program = folder.compile_by(&requirements::GXX, &mut compiler, "stuck")?;
    let running = Running::start(&program, case, &[]);
    running.stands_still(0);
    if !child {
        return Some(running.answer(&[]));
    }
    let children = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", running.pid())).unwrap();
    let mut children = children.split_whitespace().map(str::to_owned);
    let pid = children.next_back().expect("the thread that has forked is the first one");
    stands_still(pid.parse().unwrap(), 0);
    let output = run(&mut ora(&["hang", &pid, "--json"]));
    run(Command::new("kill").args(["-9", &pid]));
    Some((document(&output.stdout), output.status.code()))
}

fn is_named(case: &str, kind: &str, words: &[&str]) {
    let Some((answer, code)) = answer(case, false) else { return };
    assert_eq!((answer["findings"][0]["kind"].as_str(), code), (Some(kind), Some(3)), "{case}: {answer:#}");
    let text = answer["findings"][0].to_string();
    let missing: Vec<_> = words.iter().filter(|word| !text.contains(**word)).collect();
    assert!(missing.is_empty(), "{case}: no {missing:?} in {answer:#}");
}

#[test]
fn a_mutex_of_cpp_and_a_critical_section_are_a_circle() {
    is_named(
        "mixed",
        "lock-cycle",
        &["waits for mutex cache", "critical section pipe", "holds it in main", "in thumbnail"],
    );
    is_named("recursive", "lock-cycle", &["waits for mutex database", "critical section pipe"]);
}

#[test]
fn a_section_that_exit_was_called_in_is_held_by_its_own_thread() {
    is_named(
        "destructor",
        "taken-twice",
        &["exit() was called inside of it", "in exit() called at stuck.cc:", "~Files"],
    );
    is_named("atexit", "taken-twice", &["critical section files", "exit() was called inside of it", "in at_exit"]);
    // It is a different section, so nothing is held.
    let Some((answer, _)) = answer("other_section", false) else { return };
    assert_eq!(answer["findings"].as_array().map(Vec::len), Some(0), "{answer:#}");
}

#[test]
fn a_region_in_a_forked_child_is_said_to_lack_the_parents_threads() {
    let Some((answer, code)) = answer("child", true) else { return };
    let finding = &answer["findings"][0];
    assert_eq!((finding["kind"].as_str(), code), (Some("forked"), Some(3)), "{answer:#}");
    assert!(finding["title"].as_str().unwrap().contains("a team of 2"), "{answer:#}");
    assert!(finding.to_string().contains("forkserver"), "{answer:#}");
    is_named("child_of_thread", "child-hangs", &["`ora hang ", "fork() copies the calling thread alone"]);
}

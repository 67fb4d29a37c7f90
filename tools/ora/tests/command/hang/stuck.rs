//! Hangs of C++ programs at `-O2`, in exit(), and in forked children.

use std::path::PathBuf;
use std::process::Command;

use compat_tests::requirements;
use serde_json::Value;

use super::harness::{Running, stands_still};
use crate::harness::{Folder, in_crate, ora, run};
use crate::reference::document;

/// `programs/stuck.cc`, compiled.
struct Stuck {
    _folder: Folder,
    program: PathBuf,
}

impl Stuck {
    /// `None` without a compiler.
    fn new() -> Option<Self> {
        let folder = Folder::new();
        let mut compiler = Command::new("g++");
        compiler.args(["-O2", "-g", "-fopenmp"]).arg(in_crate("tests/command/programs/stuck.cc"));
        let program = folder.compile_by(&requirements::GXX, &mut compiler, "stuck")?;
        Some(Self { _folder: folder, program })
    }

    /// Answers about a case once its threads all wait, and those of its forked descendants, of which there are this many, each one forked
    /// by the one before.
    fn answers(&self, case: &str, descendants: usize) -> Vec<(Value, Option<i32>)> {
        let running = Running::start(&self.program, case, &[]);
        running.stands_still(0);
        let mut processes = vec![running.pid()];
        for _ in 0..descendants {
            let parent = processes.last().unwrap();
            let children = std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap();
            let child = children.split_whitespace().next_back().expect("the first thread has forked").parse().unwrap();
            stands_still(child, 0);
            processes.push(child);
        }
        let answer = |pid: &u32| {
            let output = run(&mut ora(&["hang", &pid.to_string(), "--json"]));
            (document(&output.stdout), output.status.code())
        };
        let answers = processes.iter().map(answer).collect();
        for pid in processes.iter().skip(1) {
            run(Command::new("kill").args(["-9", &pid.to_string()]));
        }
        answers
    }

    fn is_named(&self, case: &str, kind: &str, words: &[&str]) {
        for (answer, code) in self.answers(case, 0) {
            assert_eq!((answer["findings"][0]["kind"].as_str(), code), (Some(kind), Some(3)), "{case}: {answer:#}");
            let text = answer["findings"][0].to_string();
            let missing: Vec<_> = words.iter().filter(|word| !text.contains(**word)).collect();
            assert!(missing.is_empty(), "{case}: no {missing:?} in {answer:#}");
        }
    }
}

#[test]
fn a_mutex_of_cpp_and_a_critical_section_are_a_circle() {
    let Some(stuck) = Stuck::new() else { return };
    stuck.is_named(
        "mixed",
        "lock-cycle",
        &["waits for mutex cache", "critical section pipe", "holds it in mixed", "in thumbnail"],
    );
    stuck.is_named("recursive", "lock-cycle", &["waits for mutex database", "critical section pipe"]);
    stuck.is_named("shared", "lock-cycle", &["waits for read-write lock table", "critical section pipe"]);
}

#[test]
fn a_section_that_exit_was_called_in_is_held_by_its_own_thread() {
    let Some(stuck) = Stuck::new() else { return };
    stuck.is_named(
        "destructor",
        "taken-twice",
        &["exit() was called inside of it", "in exit() called at stuck.cc:", "~Files"],
    );
    stuck.is_named(
        "atexit",
        "taken-twice",
        &["critical section files", "exit() was called inside of it", "in at_exit"],
    );
    // It is a different section, so nothing is held.
    for (answer, _) in stuck.answers("other_section", 0) {
        assert_eq!(answer["findings"].as_array().map(Vec::len), Some(0), "{answer:#}");
    }
}

#[test]
fn tasks_that_all_poll_with_taskyield_are_a_livelock() {
    let Some(stuck) = Stuck::new() else { return };
    let running = Running::start(&stuck.program, "poll", &[]);
    // On a busy machine a thread may have had no processor between two looks.
    let mut answers = (0..40).map(|_| running.answer(&["--between", "20"]));
    let (answer, _) = answers.find(|(_, code)| *code == Some(3)).expect("they poll forever");
    let finding = &answer["findings"][0];
    assert_eq!(finding["kind"], "taskyield", "{answer:#}");
    assert!(finding["title"].as_str().unwrap().starts_with("Livelock: all 2 threads of the team poll"), "{answer:#}");
    assert!(
        finding.to_string().contains("stuck.cc:") && answer["pending"].as_array().unwrap().is_empty(),
        "{answer:#}"
    );
}

#[test]
fn a_region_in_a_forked_child_is_said_to_lack_the_parents_threads() {
    let Some(stuck) = Stuck::new() else { return };
    for (case, descendants) in [("child", 1), ("grandchild", 2)] {
        let answers = stuck.answers(case, descendants);
        let (answer, code) = answers.last().unwrap();
        let finding = &answer["findings"][0];
        assert_eq!((finding["kind"].as_str(), *code), (Some("forked"), Some(3)), "{case}: {answer:#}");
        assert!(finding["title"].as_str().unwrap().contains("a team of 2"), "{case}: {answer:#}");
        assert!(finding.to_string().contains("forkserver"), "{case}: {answer:#}");
        for (answer, code) in &answers[..descendants] {
            assert_eq!(
                (answer["findings"][0]["kind"].as_str(), *code),
                (Some("child-hangs"), Some(3)),
                "{case}: {answer:#}"
            );
        }
    }
    stuck.is_named("child_of_thread", "child-hangs", &["`ora hang ", "fork() copies the calling thread alone"]);
}

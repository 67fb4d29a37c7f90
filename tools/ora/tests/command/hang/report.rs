//! The answer: text, JSON, exit codes, and the effect on the process.

use super::harness::Running;
use crate::harness::{Folder, errors, ora, run, text};

fn hanging(folder: &Folder, case: &str) -> Running {
    let running = Running::start(&folder.compile("hangs", "hangs", &["-g", "-O1", "-fopenmp"]), case, &[]);
    running.stands_still(0);
    running
}

#[test]
fn threads_in_one_place_are_one_entry_with_their_number() {
    let folder = Folder::new();
    let output = hanging(&folder, "barrier_of_some").hang(&[]);
    assert_eq!(output.status.code(), Some(3));
    let text = text(&output);
    assert!(text.contains("HANGS"), "{text}");
    assert!(text.contains("2 threads: thread "), "{text}");
    assert!(text.contains("in barrier_of_some (parallel, line "), "{text}");
}

#[test]
fn the_text_fits_a_terminal() {
    let folder = Folder::new();
    let running = hanging(&folder, "lock_cycle_of_three");
    let output = run(ora(&["hang", &running.pid().to_string()]).env("COLUMNS", "80"));
    let longest = text(&output).lines().map(|line| line.chars().count()).max();
    assert!(longest <= Some(80), "{}", text(&output));
}

#[test]
fn a_sleeping_thread_runs_only_where_the_answer_says_that_it_was_stopped() {
    let folder = Folder::new();
    for case in ["critical_cycle", "lock_cycle"] {
        let running = hanging(&folder, case);
        let before = runs(running.pid());
        let (answer, _) = running.answer(&[]);
        let stopped = answer["threads"].as_array().unwrap().iter().any(|thread| !thread["stopped_ns"].is_null());
        assert_eq!(before == runs(running.pid()), !stopped, "{case}: {answer:#}");
    }
}

/// Number of times that each thread got a processor.
fn runs(pid: u32) -> Vec<String> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    tasks.map(|task| std::fs::read_to_string(task.unwrap().path().join("schedstat")).unwrap()).collect()
}

#[test]
fn a_process_that_was_looked_at_ends_as_before() {
    let folder = Folder::new();
    let mut command = std::process::Command::new(folder.compile("lives", "lives", &["-g", "-O1", "-fopenmp"]));
    let mut child =
        command.arg("sleeps").stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::null()).spawn().unwrap();
    for _ in 0..5 {
        let output = run(&mut ora(&["hang", &child.id().to_string(), "--between", "5"]));
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    }
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn each_refusal_says_what_to_do() {
    let refused = |pid: &str, code: i32, says: &str| {
        let output = run(&mut ora(&["hang", pid]));
        assert_eq!(output.status.code(), Some(code), "{}", errors(&output));
        assert!(errors(&output).contains(says), "{says}: {}", errors(&output));
    };
    refused("4194303", 2, "there is no process");
    let mut child = std::process::Command::new("true").spawn().unwrap();
    while !std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap().contains(") Z ") {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    refused(&child.id().to_string(), 1, "a zombie");
    child.wait().unwrap();
    let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    run(std::process::Command::new("kill").args(["-STOP", &child.id().to_string()]));
    while !std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap().contains(") T ") {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    refused(&child.id().to_string(), 1, "kill -CONT");
    child.kill().unwrap();
    child.wait().unwrap();
    let output = run(&mut ora(&["hang", "0"]));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_process_without_openmp_is_looked_at_and_that_is_said() {
    let mut sleeping = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let output = run(&mut ora(&["hang", &sleeping.id().to_string()]));
    sleeping.kill().unwrap();
    sleeping.wait().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(text(&output).contains("no OpenMP runtime is loaded"), "{}", text(&output));
}

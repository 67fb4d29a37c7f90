//! Programs whose first thread has ended by `pthread_exit`: what `/proc/PID` has of such a process is empty.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::harness::{Folder, errors, ora, run, text};

#[test]
fn places_are_known_once_the_first_thread_has_ended() {
    let folder = Folder::new();
    let program = folder.compile("first_thread", "first_thread", &["-fopenmp", "-g"]);
    let trace = folder.file("trace");
    let mut watched = [ora(&["stat", "-o", "-"]), ora(&["tasks", "-o", "-"]), ora(&["trace", "-o"])];
    watched[2].arg(&trace);
    for command in &mut watched {
        let output = run(command.arg("--").arg(&program));
        assert_eq!(output.status.code(), Some(0), "{command:?}: {}", errors(&output));
        let is_trace = text(&output) == "ready\n";
        let output = if is_trace { run(ora(&["report"]).arg(&trace)) } else { output };
        let said = text(&output);
        assert!(said.contains("step at first_thread.c:"), "{command:?}: {said}{}", errors(&output));
        assert!(!said.contains("place unknown"), "{command:?}: {said}");
    }
}

/// A process whose first thread has ended; it is killed on drop.
struct Running(Child);

impl Running {
    fn start(folder: &Folder, case: &str) -> Self {
        let mut command = Command::new(folder.compile("first_thread", "first_thread", &["-fopenmp", "-g"]));
        command.arg(case).env_remove("LD_PRELOAD").env("OMP_WAIT_POLICY", "passive");
        let mut running = Self(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap());
        let mut line = String::new();
        BufReader::new(running.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        running
    }

    fn pid(&self) -> String {
        self.0.id().to_string()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_deadlock_is_found_once_the_first_thread_has_ended() {
    let folder = Folder::new();
    let running = Running::start(&folder, "waits");
    let begun = Instant::now();
    let output = loop {
        let output = run(&mut ora(&["hang", &running.pid()]));
        // The threads may be on their way to the lock.
        if output.status.code() != Some(0) || begun.elapsed() > Duration::from_secs(60) {
            break output;
        }
    };
    let said = text(&output);
    assert_eq!(output.status.code(), Some(3), "{said}{}", errors(&output));
    for words in ["HANGS", "waits for lock", "first_thread.c:"] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn a_process_that_does_not_hang_is_seen_once_its_first_thread_has_ended() {
    let folder = Folder::new();
    let running = Running::start(&folder, "serves");
    let output = run(&mut ora(&["hang", &running.pid()]));
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(!text(&output).contains("no OpenMP runtime"), "{}", text(&output));
    let output = run(&mut ora(&["doctor", &running.pid()]));
    assert!(text(&output).contains("libgomp"), "{}{}", text(&output), errors(&output));
}

#[test]
fn a_process_without_its_first_thread_is_refused_and_goes_on() {
    let folder = Folder::new();
    let mut running = Running::start(&folder, "serves");
    for words in [&["attach", &running.pid(), "stat"][..], &["attach", &running.pid(), "profile"]] {
        let output = run(ora(words).args(["--seconds", "0.1"]).current_dir(folder.file("")));
        let refusal = format!("the first thread of process {} has ended, and ora attach needs it", running.pid());
        assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
        assert!(errors(&output).contains(&refusal), "{}", errors(&output));
    }
    drop(running.0.stdin.take());
    assert_eq!(running.0.wait().unwrap().code(), Some(0));
}

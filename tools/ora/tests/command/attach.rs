//! `ora attach` on programs that are already running.

use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::harness::{Folder, errors, hear_every_signal, ora, run, text};
use serde_json::Value;

/// Program that runs until its input ends.
pub(crate) struct Running(Child);

impl Running {
    pub(crate) fn start(program: &Path, arguments: &[&str]) -> Self {
        Self::begin(Command::new(program).args(arguments))
    }

    /// Like [`Running::start`], for a command that executes the program.
    pub(crate) fn begin(command: &mut Command) -> Self {
        Self::begin_on(command, "libgomp")
    }

    /// Like [`Running::begin`], for a program on another runtime.
    pub(crate) fn begin_on(command: &mut Command, runtime: &str) -> Self {
        command.env("OMP_WAIT_POLICY", "passive").env_remove("LD_PRELOAD");
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let running = Self(child);
        running.wait_for(runtime);
        running
    }

    /// Waits until the program has been loaded.
    fn wait_for(&self, runtime: &str) {
        let begun = Instant::now();
        let maps = format!("/proc/{}/maps", self.0.id());
        while !std::fs::read_to_string(&maps).is_ok_and(|maps| maps.contains(runtime)) {
            assert!(begun.elapsed() < Duration::from_secs(60), "the program does not start");
            thread::sleep(Duration::from_millis(2));
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    pub(crate) fn pid(&self) -> String {
        self.0.id().to_string()
    }

    /// Numbers of its threads and file descriptors.
    pub(crate) fn possessions(&self) -> [usize; 2] {
        ["task", "fd"].map(|folder| std::fs::read_dir(format!("/proc/{}/{folder}", self.0.id())).unwrap().count())
    }

    /// Ends it; returns its exit code and its output.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        drop(self.0.stdin.take());
        let output = self.0.wait_with_output().unwrap();
        (output.status.code(), text(&output))
    }

    /// Its stdin and its stdout.
    pub(crate) fn ends(&mut self) -> (ChildStdin, ChildStdout) {
        (self.0.stdin.take().unwrap(), self.0.stdout.take().unwrap())
    }

    /// Waits for its end.
    pub(crate) fn wait(mut self) -> ExitStatus {
        self.0.wait().unwrap()
    }

    pub(crate) fn ends_as_before(self) {
        assert_eq!(self.end(), (Some(0), "rounds: some, wrong: 0\n".to_owned()));
    }
}

pub(crate) fn attach(running: &Running, words: &[&str]) -> Output {
    run(ora(&["attach", &running.pid()]).args(words).env("ORA_ATTACH_TIMES", "1"))
}

pub(crate) fn regions(output: &Output) -> u64 {
    assert!(output.status.success(), "{}", errors(output));
    let object: Value = serde_json::from_str(&text(output)).unwrap_or_else(|_| panic!("{}", errors(output)));
    object["runs"][0]["processes"][0]["regions_total"]["count"].as_u64().unwrap()
}

#[test]
fn collectors_follow_one_another() {
    let folder = Folder::new();
    let running = Running::start(&folder.program("attached"), &["tasks"]);
    for _ in 0..3 {
        assert!(regions(&attach(&running, &["stat", "--seconds", "0.2", "--json"])) > 0);
        let output = attach(&running, &["tasks", "--seconds", "0.2", "--json"]);
        let object: Value = serde_json::from_str(&text(&output)).unwrap_or_else(|_| panic!("{}", errors(&output)));
        assert!(object["processes"][0]["tasks_executed"].as_u64().unwrap() > 0, "{object}");
    }
    running.ends_as_before();
}

#[test]
fn a_region_that_began_before_is_shown_with_its_place_and_the_commands_that_look_into_it() {
    let folder = Folder::new();
    let running = Running::start(&folder.compile("endless_region", "endless_region", &["-fopenmp", "-g"]), &[]);
    thread::sleep(Duration::from_millis(100));
    for what in ["stat", "tasks"] {
        let text =
            text(&attach(&running, &[what, "--seconds", "0.1"])).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("2 threads are in the parallel region main at endless_region.c:"), "{text}");
        let [profile, hang] = ["attach", "hang"].map(|command| format!("`ora {command} {}", running.pid()));
        assert!(text.contains(&profile) && text.contains(&hang) && !text.contains("doctor"), "{text}");
    }
    let (code, output) = running.end();
    assert_eq!((code, output.as_str()), (Some(0), "over\n"));
}

#[test]
fn a_process_that_was_left_has_neither_threads_nor_descriptors_of_ours() {
    let folder = Folder::new();
    let running = Running::start(&folder.program("attached"), &["tight"]);
    thread::sleep(Duration::from_millis(100));
    let before = running.possessions();
    attach(&running, &["--seconds", "0.05"]);
    // The thread ends after the figures have arrived.
    let begun = Instant::now();
    while running.possessions() != before && begun.elapsed() < Duration::from_secs(10) {
        thread::sleep(Duration::from_millis(2));
    }
    assert_eq!(running.possessions(), before);
    running.ends_as_before();
}

#[test]
fn an_interrupted_attach_shows_its_table() {
    let folder = Folder::new();
    let running = Running::start(&folder.program("attached"), &["tight"]);
    let mut command = ora(&["attach", &running.pid()]);
    hear_every_signal(&mut command);
    let mut watching = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_watching(&mut watching);
    thread::sleep(Duration::from_millis(100));
    run(Command::new("kill").args(["-INT", &watching.id().to_string()]));
    let output = watching.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output).contains("parallel regions"), "{}", text(&output));
    running.ends_as_before();
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_killed_attach_leaves_a_process_that_can_be_attached_to_again() {
    let folder = Folder::new();
    let running = Running::start(&folder.program("attached"), &["tight"]);
    let mut command = ora(&["attach", &running.pid()]);
    let mut watching = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_watching(&mut watching);
    let second = attach(&running, &["--seconds", "0.1"]);
    assert_eq!(second.status.code(), Some(1));
    assert!(errors(&second).contains("is being watched by ora already"), "{}", errors(&second));
    watching.kill().unwrap();
    watching.wait().unwrap();
    // On a busy machine it takes a while until the process notices.
    let mut tries = (0..10).map(|_| attach(&running, &["--seconds", "0.3", "--json"]));
    let again = tries.find(|again| !errors(again).contains("is being watched by ora already"));
    assert!(regions(&again.expect("the process notices that ora is gone")) > 0);
    running.ends_as_before();
}

#[test]
fn a_process_that_ends_meanwhile_is_shown() {
    let folder = Folder::new();
    let running = Running::start(&folder.program("attached"), &["tight"]);
    let mut command = ora(&["attach", &running.pid(), "--json"]);
    let mut watching = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_watching(&mut watching);
    thread::sleep(Duration::from_millis(100));
    running.ends_as_before();
    assert!(regions(&watching.wait_with_output().unwrap()) > 0);
}

/// Reads the line in which `ora attach` reports that it is watching.
pub(crate) fn wait_for_watching(watching: &mut Child) {
    use std::io::Read;
    let (mut line, mut byte) = (Vec::new(), [0]);
    let errors = watching.stderr.as_mut().unwrap();
    while errors.read(&mut byte).unwrap() == 1 && byte != *b"\n" {
        line.push(byte[0]);
    }
    let line = String::from_utf8_lossy(&line);
    assert!(line.contains("watching process"), "{line}");
}

#[test]
fn each_refusal_says_what_to_do() {
    let refused = |pid: &str, code: i32, says: &str| {
        let output = run(&mut ora(&["attach", pid, "--seconds", "0.1"]));
        assert_eq!(output.status.code(), Some(code), "{}", errors(&output));
        assert!(errors(&output).contains(says), "{says}: {}", errors(&output));
    };
    refused("4194303", 2, "there is no process");
    let mut sleeping = Command::new("sleep").arg("60").spawn().unwrap();
    refused(&sleeping.id().to_string(), 1, "has loaded no OpenMP runtime");
    sleeping.kill().unwrap();
    let ended = sleeping.id().to_string();
    while !std::fs::read_to_string(format!("/proc/{ended}/stat")).unwrap().contains(") Z ") {
        thread::sleep(Duration::from_millis(1));
    }
    refused(&ended, 1, "a zombie");
    sleeping.wait().unwrap();
    let folder = Folder::new();
    let running = Running::start(&folder.program("attached"), &["tight"]);
    run(Command::new("kill").args(["-STOP", &running.pid()]));
    while !std::fs::read_to_string(format!("/proc/{}/stat", running.pid())).unwrap().contains(") T ") {
        thread::sleep(Duration::from_millis(1));
    }
    refused(&running.pid(), 1, "kill -CONT");
    run(Command::new("kill").args(["-CONT", &running.pid()]));
    running.ends_as_before();
}

#[test]
fn a_static_program_is_refused() {
    let folder = Folder::new();
    let program = folder.compile("attached", "static", &["-fopenmp", "-static"]);
    let mut child = Command::new(program).arg("tight").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let maps = format!("/proc/{}/exe", child.id());
    while !std::fs::read_link(&maps).is_ok_and(|path| path.ends_with("static")) {
        thread::sleep(Duration::from_millis(1));
    }
    let output = run(&mut ora(&["attach", &child.id().to_string()]));
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains("linked statically"), "{}", errors(&output));
    child.kill().unwrap();
    child.wait().unwrap();
}

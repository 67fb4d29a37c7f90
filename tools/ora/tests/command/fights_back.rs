//! Root's commands on a process of an unprivileged user that fights back: see `compat-tests/programs/fights_back`.
//!
//! No matter what the process does, root's file stays unchanged, no command hangs or crashes, and each exits with one of its exit codes.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use compat_tests::suite::whole_matrix;

use crate::attach_elsewhere::NOBODY;
use crate::harness::{Folder, ora};
use crate::skips::may_run;

/// Maximum time for a command that watches for a twentieth of a second.
const MAX_WAIT: Duration = Duration::from_secs(60);
/// Content of root's file.
const SECRET: &str = "root:x:0:0:a file of root's\n";

/// Number of attachments of each kind.
fn wanted() -> usize {
    if whole_matrix() { 1_000 } else { 6 }
}

/// File that only root may open.
struct Victim(PathBuf);

impl Victim {
    fn new(folder: &Folder) -> Self {
        let path = folder.file("victim");
        fs::write(&path, SECRET).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        Self(path)
    }

    fn is_as_before(&self, after: &str) {
        let about = fs::symlink_metadata(&self.0).unwrap();
        assert_eq!(fs::read_to_string(&self.0).unwrap(), SECRET, "{after}: the content");
        assert_eq!((about.uid(), about.gid(), about.mode() & 0o7777), (0, 0, 0o600), "{after}: owner and mode");
    }
}

/// The process. Its own actions may end it; then another one is started.
struct Fighter<'a> {
    program: &'a Path,
    victim: &'a Path,
    ways: &'a [&'a str],
    running: Child,
}

impl<'a> Fighter<'a> {
    fn start(program: &'a Path, victim: &'a Path, ways: &'a [&'a str]) -> Self {
        Self { program, victim, ways, running: spawn(program, victim, ways) }
    }

    fn pid(&mut self) -> String {
        if self.running.try_wait().unwrap().is_some() {
            self.running = spawn(self.program, self.victim, self.ways);
        }
        self.running.id().to_string()
    }
}

impl Drop for Fighter<'_> {
    fn drop(&mut self) {
        let _ = self.running.kill();
        let _ = self.running.wait();
    }
}

fn spawn(program: &Path, victim: &Path, ways: &[&str]) -> Child {
    let mut command = Command::new(NOBODY[0]);
    command.args(&NOBODY[1..]).arg(program).arg(victim).args(ways).env("OMP_WAIT_POLICY", "passive");
    let child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let maps = format!("/proc/{}/maps", child.id());
    let begun = Instant::now();
    while !fs::read_to_string(&maps).is_ok_and(|maps| maps.contains("libgomp")) {
        assert!(begun.elapsed() < MAX_WAIT, "the program does not start");
        thread::sleep(Duration::from_millis(1));
    }
    child
}

/// Runs a command to its end. It has to end by itself, and not by a signal.
fn ends(words: &[&str]) {
    let mut child = ora(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > MAX_WAIT {
            let stack = fs::read_to_string(format!("/proc/{}/stack", child.id())).unwrap_or_default();
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{words:?} does not end: {stack}");
        }
        thread::sleep(Duration::from_millis(2));
    };
    assert_eq!(status.signal(), None, "{words:?}");
    // 125: a recording that the process has damaged can't be fetched.
    assert!(status.code().is_some_and(|code| code <= 3 || code == 125), "{words:?}: {status}");
}

/// Program that every user may execute.
fn program(folder: &Folder) -> PathBuf {
    let source = "../../compat-tests/programs/fights_back/fights_back.c";
    let program = folder.build(source, "fights_back", &["-fopenmp", "-pthread"]);
    fs::set_permissions(program.parent().unwrap(), fs::Permissions::from_mode(0o755)).unwrap();
    program
}

/// Watches processes that fight in these ways. `command` returns the words for a process and an output folder.
fn fight(ways: &[&str], command: impl Fn(&str, &str) -> Vec<String>) {
    if !may_run(&NOBODY, "true") {
        return;
    }
    let folder = Folder::new();
    let program = program(&folder);
    let victim = Victim::new(&folder);
    let output = folder.file("output");
    for way in ways.iter().map(std::slice::from_ref).chain([ways]) {
        let mut fighter = Fighter::start(&program, &victim.0, way);
        for _ in 0..wanted().div_ceil(ways.len() + 1) {
            let words = command(&fighter.pid(), output.to_str().unwrap());
            ends(&words.iter().map(String::as_str).collect::<Vec<_>>());
            victim.is_as_before(&format!("{words:?} of a process with {way:?}"));
            if output.is_dir() {
                ends(&["report", output.to_str().unwrap()]);
            }
            let _ = fs::remove_dir_all(&output);
        }
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn a_process_that_fights_back_gains_nothing_by_attach() {
    let ways = ["descriptors", "sizes", "contents"];
    fight(&ways, |pid, _| words(&["attach", pid, "--seconds", "0.05"]));
}

#[test]
fn a_process_that_fights_back_gains_nothing_by_attach_tasks() {
    fight(&["descriptors", "contents"], |pid, _| words(&["attach", pid, "tasks", "--seconds", "0.05"]));
}

#[test]
fn a_process_that_fights_back_gains_nothing_by_its_recordings() {
    for what in ["profile", "trace"] {
        fight(&["descriptors", "folders"], |pid, output| {
            words(&["attach", pid, what, "--seconds", "0.05", "-o", output])
        });
    }
}

#[test]
fn a_process_that_fights_back_gains_nothing_by_top() {
    fight(&["sizes", "contents"], |pid, _| words(&["top", pid, "--batch", "-n", "1", "-d", "0.05"]));
}

#[test]
fn a_process_that_fights_back_gains_nothing_by_dump() {
    if !may_run(&NOBODY, "true") {
        return;
    }
    let folder = Folder::new();
    let program = program(&folder);
    let (victim, trace, output) = (Victim::new(&folder), folder.file("trace"), folder.file("output"));
    fs::create_dir(&trace).unwrap();
    fs::set_permissions(&trace, fs::Permissions::from_mode(0o777)).unwrap();
    let mut command = ora(&["trace", "--last", "10s", "-o"]);
    command.arg(&trace).arg("--").args(NOBODY).args([&program, &victim.0]).arg("recording");
    let mut tracing = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    let pid = loop {
        let mut entries = fs::read_dir(&trace).unwrap().map(|entry| entry.unwrap().file_name());
        if let Some(pid) = entries.find_map(|name| Some(name.to_str()?.strip_prefix("pid-")?.to_owned())) {
            break pid;
        }
        assert!(begun.elapsed() < MAX_WAIT, "the program records nothing");
        thread::sleep(Duration::from_millis(2));
    };
    for _ in 0..wanted() * 2 {
        ends(&["trace", "--dump", &pid, "-o", output.to_str().unwrap()]);
        victim.is_as_before("a dump");
        for process in fs::read_dir(&output).into_iter().flatten() {
            let files = fs::read_dir(process.unwrap().path()).unwrap();
            let holds_secret = |file: &Path| fs::read(file).is_ok_and(|content| content == SECRET.as_bytes());
            assert!(!files.into_iter().any(|file| holds_secret(&file.unwrap().path())), "root's file was copied");
        }
        let _ = fs::remove_dir_all(&output);
    }
    drop(tracing.stdin.take());
    tracing.wait().unwrap();
}

#[test]
fn a_process_that_fights_back_gains_nothing_by_hang() {
    fight(&["descriptors", "threads"], |pid, _| words(&["hang", pid]));
}

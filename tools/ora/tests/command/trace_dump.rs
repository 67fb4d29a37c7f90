//! `ora trace --dump`: copies of a trace that is still being recorded.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{FileExt, PermissionsExt, lchown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};

use serde_json::Value;

use rustix::fs::{CWD, Mode, mkfifoat};

use crate::attach_elsewhere::NOBODY;
use crate::harness::{Folder, ORA, errors, ora, run, text};
use crate::other_environments::is_root;
use crate::skips::may_run;

/// Traced program that has executed some regions and waits for a line.
struct Waiting {
    ora: Child,
    input: ChildStdin,
    pid: String,
}

impl Waiting {
    /// Starts it; the trace is written to the folder `trace`.
    fn begin(folder: &Folder, options: &[&str]) -> Self {
        let program = folder.compile("traced", "traced", &["-g", "-fopenmp"]);
        let mut command = ora(&["trace", "-o"]);
        command.arg(folder.file("trace")).args(options).arg("--").arg(program).args(["ask", "20"]);
        let mut ora = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let input = ora.stdin.take().unwrap();
        let mut ready = String::new();
        BufReader::new(ora.stdout.as_mut().unwrap()).read_line(&mut ready).unwrap();
        assert_eq!(ready, "ready\n");
        let process = fs::read_dir(folder.file("trace")).unwrap().next().unwrap().unwrap().file_name();
        let pid = process.to_str().unwrap().strip_prefix("pid-").unwrap().to_owned();
        Self { ora, input, pid }
    }

    /// Makes a copy; returns its `ora report --json`.
    fn dump(&self, to: &Path) -> Value {
        let output = run(ora(&["trace", "--dump", &self.pid, "-o"]).arg(to));
        assert!(output.status.success(), "{}", errors(&output));
        let said = errors(&output);
        assert!(said.contains(&format!("what process {} has recorded so far", self.pid)), "{said}");
        let output = run(ora(&["report", "--json", "--rows", "all"]).arg(to));
        assert!(output.status.success(), "{}", errors(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["processes"][0].clone()
    }

    /// Lets the program continue.
    fn go_on(&mut self) {
        self.input.write_all(b"\n").unwrap();
    }

    /// Ends it by closing its input.
    fn end(self) {
        drop(self.input);
        let output = self.ora.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", errors(&output));
    }
}

#[test]
fn what_was_recorded_so_far_is_copied_and_the_program_goes_on() {
    for options in [&["--last", "10s"][..], &[]] {
        let folder = Folder::new();
        let mut waiting = Waiting::begin(&folder, options);
        let copy = waiting.dump(&folder.file("copy"));
        assert_eq!(
            [&copy["counts"]["regions"], &copy["counts"]["tasks_executed"], &copy["has_ended"]],
            [&20.into(), &60.into(), &Value::from(false)]
        );
        let place = copy["regions"][0]["place"]["function"].as_str().unwrap();
        assert_eq!(place, "regions");
        waiting.go_on();
        waiting.end();
    }
}

/// The threads write all the time, and reuse their space.
#[test]
#[ignore = "slow: --all runs it"]
fn a_copy_of_what_changes_is_whole() {
    let folder = Folder::new();
    let mut waiting = Waiting::begin(&folder, &["--last", "1ms"]);
    waiting.go_on();
    let (mut overwritten, mut met) = (0, 0);
    for number in 0..20 {
        let copy = waiting.dump(&folder.file(&format!("copy-{number}")));
        overwritten = overwritten.max(copy["overwritten_events"].as_u64().unwrap());
        // Regions follow one another: no data of an older chunk is read as that of a newer one.
        let time = |region: &Value, key: &str| region[key].as_u64().unwrap();
        let regions = copy["regions"].as_array().unwrap().iter();
        let mut times: Vec<_> = regions.map(|it| (time(it, "begin_ns"), time(it, "end_ns"))).collect();
        times.sort_unstable();
        assert!(times.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{times:?}");
        met += times.len();
    }
    // On a busy machine no region may have ended in the last millisecond before a copy.
    assert!(overwritten > 0 && met > 0, "{overwritten} {met}");
    waiting.end();
}

#[test]
fn what_cannot_be_copied_is_said_with_its_cause() {
    let folder = Folder::new();
    let refused = |pid: &str, code: i32, cause: &str| {
        let output = run(ora(&["trace", "--dump", pid, "-o"]).arg(folder.file("none")));
        assert_eq!(output.status.code(), Some(code), "{}", errors(&output));
        assert!(errors(&output).contains(cause), "{}", errors(&output));
        assert!(!folder.file("none").exists());
    };
    refused("4194305", 2, "there is no process 4194305");
    let mut sleeping = Command::new("sleep").arg("100").spawn().unwrap();
    refused(&sleeping.id().to_string(), 125, "is not being traced");
    sleeping.kill().unwrap();
    sleeping.wait().unwrap();
    let both = run(&mut ora(&["trace", "--dump", "1", "--", "true"]));
    assert_eq!((both.status.code(), text(&both)), (Some(2), String::new()));
}

/// A process that has mapped a file of events, and whose user changes the contents of the folder; root's `ora` copies it.
struct Forging {
    folder: Folder,
    process: Child,
}

impl Forging {
    /// Starts it with a command, as another user if this one is root.
    fn new(command: &[&str]) -> Self {
        let folder = Folder::new();
        fs::set_permissions(folder.file("."), PermissionsExt::from_mode(0o755)).unwrap();
        let program = folder.compile("maps_events", "maps_events", &[]);
        let mut forging = Self { folder, process: Command::new("true").spawn().unwrap() };
        forging.process.wait().unwrap();
        fs::create_dir(forging.folder.file("pid-1")).unwrap();
        forging.give("");
        let words = [trace_format::MAGIC, trace_format::VERSION];
        let header: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let events = File::create(forging.file("events")).unwrap();
        events.set_len(3 << 30).unwrap();
        events.write_all_at(&header, 0).unwrap();
        forging.give("events");
        let words = [command, if is_root() { &NOBODY } else { &["env"] }].concat();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg(program).arg(forging.file("events"));
        forging.process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut ready = String::new();
        BufReader::new(forging.process.stdout.as_mut().unwrap()).read_line(&mut ready).unwrap();
        assert_eq!(ready, "ready\n");
        forging
    }

    /// Path of a file in the folder of the mapped file.
    fn file(&self, name: &str) -> PathBuf {
        self.folder.file("pid-1").join(name)
    }

    /// Gives a file to the process's user.
    fn give(&self, name: &str) {
        if is_root() {
            lchown(self.file(name), Some(65534), None).unwrap();
        }
    }

    /// Copies the trace with less memory than the file's size.
    fn dump(&self, to: &str) -> Output {
        let mut limited = Command::new("sh");
        limited.args(["-c", "ulimit -v 1500000; exec timeout 60 \"$@\"", "sh", ORA, "trace", "--dump"]);
        run(limited.arg(self.process.id().to_string()).arg("-o").arg(self.folder.file(to)))
    }

    fn end(mut self) {
        drop(self.process.stdin.take());
        assert!(self.process.wait().unwrap().success());
    }
}

#[test]
fn links_and_pipes_beside_the_events_are_left_out_and_holes_take_no_memory() {
    let forging = Forging::new(&[]);
    fs::write(forging.folder.file("secret"), "secret").unwrap();
    fs::set_permissions(forging.folder.file("secret"), PermissionsExt::from_mode(0o600)).unwrap();
    symlink(forging.folder.file("secret"), forging.file("records")).unwrap();
    mkfifoat(CWD, forging.file("pipe"), Mode::RWXU).unwrap();
    fs::write(forging.file("stacks"), "content").unwrap();
    ["records", "pipe", "stacks"].iter().for_each(|name| forging.give(name));
    let output = forging.dump("copy");
    assert!(output.status.success(), "{}", errors(&output));
    let copies = fs::read_dir(forging.folder.file("copy/pid-1")).unwrap();
    let mut names: Vec<_> = copies.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["events", "stacks"]);
    forging.end();
}

/// In the process's mount namespace, another folder is mounted over the one that it records to.
#[test]
fn only_the_file_that_is_mapped_is_copied() {
    let namespace = ["unshare", "--mount"];
    if !is_root() || !may_run(&namespace, "true") {
        return;
    }
    let forging = Forging::new(&namespace);
    let mounted = forging.folder.file("mounted");
    let in_namespace = |words: &[&str]| {
        let mut nsenter = Command::new("nsenter");
        nsenter.args(["--mount", "--target", &forging.process.id().to_string()]).args(words);
        assert!(nsenter.status().unwrap().success());
    };
    let place = forging.file("");
    let place = place.to_str().unwrap();
    for what in ["another file", "a link", "a pipe", "nothing"] {
        fs::create_dir(&mounted).unwrap();
        let events = mounted.join("events");
        match what {
            "another file" => drop(fs::copy(forging.folder.file("maps_events"), &events).unwrap()),
            "a link" => symlink(forging.folder.file("maps_events"), &events).unwrap(),
            "a pipe" => mkfifoat(CWD, &events, Mode::RWXU).unwrap(),
            _ => {}
        }
        let _ = lchown(&events, Some(65534), None);
        in_namespace(&["mount", "--bind", mounted.to_str().unwrap(), place]);
        let output = forging.dump("copy");
        assert!(output.status.success(), "{what}: {}", errors(&output));
        let copy = fs::read(forging.folder.file("copy/pid-1/events")).unwrap();
        assert!(copy.starts_with(b"ORA TRCE"), "{what}");
        fs::remove_dir_all(forging.folder.file("copy")).unwrap();
        in_namespace(&["umount", place]);
        fs::remove_dir_all(&mounted).unwrap();
    }
    let output = forging.dump("copy");
    assert!(output.status.success(), "{}", errors(&output));
    forging.end();
}

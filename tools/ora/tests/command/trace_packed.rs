//! Packed traces: their size, and the files that stay as they were recorded.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};

use serde_json::Value;
use trace_format::{FILE, Trace};

use crate::harness::{Folder, errors, ora, run};

/// Runs the program under `ora trace`; returns the command's output, the process's file of events, and its process in `ora report`.
fn trace(folder: &Folder, program: &[&str]) -> (String, Vec<u8>, Value) {
    let to = folder.file("trace");
    let output = run(ora(&["trace", "-o"]).arg(&to).arg("--").args(program));
    let said = errors(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    let processes: Vec<PathBuf> = fs::read_dir(&to).unwrap().map(|process| process.unwrap().path()).collect();
    assert_eq!(processes.len(), 1, "{said}");
    let report = run(ora(&["report", "--json"]).arg(&to));
    let document: Value = serde_json::from_slice(&report.stdout).unwrap();
    (said, fs::read(processes[0].join(FILE)).unwrap(), document["processes"][0].clone())
}

/// Names of the files in the process's folder.
fn files(folder: &Path) -> Vec<String> {
    let process = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let mut files: Vec<_> =
        fs::read_dir(process).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    files
}

#[test]
fn a_trace_is_packed_when_its_process_has_ended() {
    let folder = Folder::new();
    let program = folder.compile("traced", "traced", &["-g", "-fopenmp"]);
    let (said, bytes, process) = trace(&folder, &[program.to_str().unwrap(), "locks", "50000"]);
    assert!(Trace::new(&bytes).unwrap().header.is_packed);
    assert_eq!(files(&folder.file("trace")), ["events", "records"]);
    let events = process["events"].as_u64().unwrap();
    assert!(events > 150_000 && said.contains(&format!("{events} events")), "{said}");
    // EZTrace takes about 20 bytes per event; the goal is a fifth of it.
    assert!((bytes.len() as u64) < 4 * events, "{} bytes, {events} events", bytes.len());
    assert!(said.contains(&format!("({} kB)", bytes.len() / 1000)), "{said}");
    assert!(process["counts"]["locks"].as_u64().unwrap() >= 50_000, "{process:#}");
}

#[test]
fn the_trace_of_a_killed_program_stays_as_it_was_recorded() {
    let folder = Folder::new();
    let program = folder.compile("traced", "traced", &["-g", "-fopenmp"]);
    let (said, bytes, process) = trace(&folder, &[program.to_str().unwrap(), "kill", "30"]);
    assert!(said.contains("what was recorded until then is there"), "{said}");
    assert!(!Trace::new(&bytes).unwrap().header.is_packed);
    assert!(process["events"].as_u64().unwrap() > 30 && files(&folder.file("trace")) == ["events", "records"]);
}

#[test]
fn a_trace_that_cannot_be_packed_is_there_as_it_was_recorded() {
    let folder = Folder::new();
    let program = folder.compile("traced", "traced", &["-g", "-fopenmp"]);
    let to = folder.file("trace");
    let line =
        format!("{} locks 2000; for i in {}/pid-*; do mkdir $i/events.packed; done", program.display(), to.display());
    let (said, bytes, process) = trace(&folder, &["sh", "-c", &line]);
    assert!(said.contains("it can't be packed: File exists"), "{said}");
    assert!(!Trace::new(&bytes).unwrap().header.is_packed);
    assert!(process["counts"]["locks"].as_u64().unwrap() >= 2000, "{process:#}");
}

#[test]
fn a_command_that_is_killed_while_it_packs_leaves_the_trace_as_it_was_recorded() {
    let folder = Folder::new();
    let (program, to) = (folder.compile("traced", "traced", &["-g", "-fopenmp"]), folder.file("trace"));
    let mut command = ora(&["trace", "-o"]);
    command.arg(&to).arg("--").arg(program).args(["locks", "2000"]);
    let output = run(command.env("LD_PRELOAD", folder.library("killed_packing")));
    assert_eq!(output.status.signal(), Some(libc::SIGKILL), "{}", errors(&output));
    let process = fs::read_dir(&to).unwrap().next().unwrap().unwrap().path();
    let beside = process.join("events.packed");
    let mut nameless = OpenOptions::new();
    if nameless.write(true).custom_flags(libc::O_TMPFILE).open(&process).is_ok() {
        assert_eq!(files(&to), ["events", "records"]);
        // As on a filesystem without unnamed temporary files.
        fs::write(&beside, "its begin").unwrap();
    }
    assert!(!Trace::new(&fs::read(process.join(FILE)).unwrap()).unwrap().header.is_packed);
    let report = run(ora(&["report", "--json"]).arg(&to));
    let document: Value = serde_json::from_slice(&report.stdout).unwrap();
    assert!(document["processes"][0]["counts"]["locks"].as_u64().unwrap() >= 2000, "{}", errors(&report));
}

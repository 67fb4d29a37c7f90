//! Limits that the shell sets (`ulimit`), and disks without room.

use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Output};

use crate::harness::{Folder, ORA, errors, run, text};

/// A command under a limit.
fn under(limit: &str, command: &str) -> Output {
    run(Command::new("bash").args(["-c", &format!("ulimit {limit} && {command}")]))
}

#[test]
fn a_limit_on_files_is_told_or_goes_unnoticed() {
    for command in ["stat", "tasks", "validate"] {
        // The program has the limit that the user has set.
        let output = under("-S -f 8", &format!("exec {ORA} {command} -- bash -c 'ulimit -f; exit 3'"));
        assert_eq!((output.status.code(), text(&output).lines().next()), (Some(3), Some("8")), "{}", errors(&output));
        let output = under("-f 8", &format!("exec {ORA} {command} -- echo ran"));
        assert_eq!((output.status.code(), text(&output)), (Some(125), String::new()), "{}", errors(&output));
        assert!(errors(&output).contains("ulimit -H -f"), "{}", errors(&output));
    }
}

#[test]
fn a_table_that_finds_no_room_is_told() {
    let folder = Folder::new();
    let table = folder.file("table");
    for command in ["stat", "tasks"] {
        let line = format!("exec {ORA} {command} -o {} -- echo ran", table.display());
        let output = under("-S -f 0", &line);
        assert_eq!((output.status.code(), text(&output)), (Some(125), "ran\n".to_owned()), "{}", errors(&output));
        assert!(errors(&output).contains("cannot write to"), "{}", errors(&output));
    }
}

#[test]
fn small_limits_leave_the_program_as_it_is() {
    let folder = Folder::new();
    let program = folder.program("endings");
    let (program, table) = (program.display(), folder.file("table"));
    for limit in ["-n 20", "-s 256", "-i 0", "-l 0", "-c 0"] {
        let bare = under(limit, &format!("exec {program} exit"));
        for command in ["stat", "tasks"] {
            let output = under(limit, &format!("exec {ORA} {command} -o {} -- {program} exit", table.display()));
            assert_eq!((output.status, &output.stdout), (bare.status, &bare.stdout), "{limit}: {}", errors(&output));
        }
    }
    // Enough for the program, and too few for `ora` to start it.
    let output = under("-n 5", &format!("exec {ORA} stat -- {program} exit"));
    assert!(output.status.code() != Some(126) || errors(&output).contains("ulimit -n"), "{}", errors(&output));
}

/// Tasks in each other take more stack while they are watched.
#[test]
fn a_program_that_runs_out_of_stack_is_told_of_it() {
    let folder = Folder::new();
    let program = folder.program("deep_tasks");
    for command in ["stat", "tasks"] {
        let output = under("-s 1024", &format!("exec {ORA} {command} -- {} 1000000", program.display()));
        assert_eq!(output.status.signal(), Some(libc::SIGSEGV), "{}", errors(&output));
        // Lines end where the terminal does.
        let said = errors(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("Try `ulimit -s unlimited` and OMP_STACKSIZE=64M"), "{said}");
        let output = under("-s 1024", &format!("exec {ORA} {command} -- {} 100", program.display()));
        assert!(output.status.success() && !errors(&output).contains("ulimit -s"), "{}", errors(&output));
    }
}

/// The largest number in a document.
fn largest(value: &serde_json::Value) -> f64 {
    use serde_json::Value::{Array, Number, Object};
    match value {
        Array(all) => all.iter().map(largest).fold(0.0, f64::max),
        Object(all) => all.values().map(largest).fold(0.0, f64::max),
        Number(number) => number.as_f64().map_or(0.0, f64::abs),
        _ => 0.0,
    }
}

/// Somebody sets the machine's clock: no time is taken by that one. An hour has more nanoseconds than stand here.
#[test]
fn steps_of_the_wall_clock_change_no_time() {
    let folder = Folder::new();
    let (program, steps, file) = (folder.program("regions"), folder.library("steps"), folder.file("out.json"));
    for command in ["stat", "tasks"] {
        let mut ora = crate::harness::ora(&[command, "--json", "-o"]);
        let output = run(ora.arg(&file).arg("--").arg(&program).env("LD_PRELOAD", &steps));
        assert!(output.status.success(), "{}", errors(&output));
        let document: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        assert!((1.0..1e12).contains(&largest(&document)), "{document:#}");
    }
}

//! `ora tune`: settings that help, settings that don't, and results that they would change.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::harness::{Folder, errors, ora, run};
use crate::reference::document;

/// Compiles `programs/tuned.c`.
fn program(folder: &Folder) -> PathBuf {
    folder.compile("tuned", "tuned", &["-O1", "-fopenmp"])
}

fn tune(folder: &Folder, words: &[&str], kind: &str) -> Command {
    let mut command = ora(&["tune", "--json", "-o", "-"]);
    command.args(words).arg("--").arg(program(folder)).arg(kind).env("OMP_NUM_THREADS", "2");
    command
}

fn found(command: &mut Command) -> Value {
    let output = run(command);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    document(&output.stdout)
}

#[test]
fn a_schedule_that_shares_the_work_is_found() {
    let folder = Folder::new();
    let mut command = tune(&folder, &["-r", "3"], "uneven");
    command.env("OMP_SCHEDULE", "static");
    let mut best = (0..5).map(|_| found(&mut command)["best"].clone());
    let best = best.find(|best| best["environment"]["OMP_SCHEDULE"].is_string());
    let best = best.expect("in five searches");
    assert!(best["saves"].as_f64().unwrap() > 0.1, "{best}");
}

#[test]
fn a_program_that_nothing_makes_faster_stays_as_it_is() {
    let folder = Folder::new();
    let mut command = tune(&folder, &["-r", "3", "--max-runs", "10"], "sleeps");
    // On a busy machine a second thread is slow.
    let mut all = (0..5).map(|_| found(&mut command));
    let found = all.find(|found| found["best"] == Value::Null).expect("in five searches");
    assert!(found["runs"].as_u64().unwrap() <= 16 && found["settings"].as_array().unwrap().len() > 1);
}

#[test]
fn settings_with_which_the_results_are_wrong_are_never_the_best() {
    let folder = Folder::new();
    // One thread would be fastest.
    for check in [&["--check"][..], &["--check", "grep -qx 'threads 2'"]] {
        let found = found(&mut tune(&folder, &[check, &["-r", "2", "-t", "1"]].concat(), "counts"));
        let one = found["settings"].as_array().unwrap().iter().find(|one| one["environment"]["OMP_NUM_THREADS"] == "1");
        assert_eq!(one.unwrap()["is_wrong"], true, "{found:#}");
        assert!(found["best"]["environment"]["OMP_NUM_THREADS"].is_null());
    }
}

#[test]
fn what_cannot_be_tuned_is_said() {
    let folder = Folder::new();
    let failing = run(&mut tune(&folder, &[], "fails"));
    assert_eq!(failing.status.code(), Some(3), "{}", errors(&failing));
    let serial = run(&mut tune(&folder, &[], "serial"));
    assert_eq!(serial.status.code(), Some(125));
    assert!(errors(&serial).contains("no parallel region was seen"), "{}", errors(&serial));
    let wrong = run(&mut tune(&folder, &["--check", "false"], "counts"));
    assert!(wrong.status.code() == Some(125) && errors(&wrong).contains("the check fails on the program as it is"));
    let differs = run(&mut tune(&folder, &["--check"], "differs"));
    assert!(differs.status.code() == Some(125) && errors(&differs).contains("differ from run to run"));
}

#[test]
fn the_table_says_what_was_tried_and_what_to_set() {
    let folder = Folder::new();
    let mut command = ora(&["tune", "-r", "2", "-t", "1"]);
    let output = run(command.arg("--").arg(program(&folder)).arg("slower").env("OMP_NUM_THREADS", "2"));
    let table = errors(&output);
    let shown = ["export OMP_NUM_THREADS=1", "no changes", "of the wall time"];
    assert!(shown.iter().all(|words| table.contains(words)), "{table}");
}

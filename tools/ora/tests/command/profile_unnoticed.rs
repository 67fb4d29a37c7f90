//! `ora profile` of programs that look for its signals, or leave them little room: they behave as without it.

use std::process::Command;

use crate::harness::{Folder, errors, ora, run, text};

/// The program's output must be the same without and with the command, for each signal of the clocks.
fn goes_unnoticed(way: &str, signals: &[&[&str]]) {
    let folder = Folder::new();
    let program = folder.compile("unnoticed", "unnoticed", &["-std=c99", "-O2", "-fopenmp", "-pthread"]);
    let quiet = [("OMP_WAIT_POLICY", "passive"), ("OMP_STACKSIZE", "16k")];
    let bare = run(Command::new(&program).arg(way).envs(quiet));
    assert!(text(&bare).ends_with("done\n"), "{bare:?}");
    for (number, options) in signals.iter().enumerate() {
        let to = folder.file(&format!("profile{number}"));
        let mut command = ora(&["profile", "-o"]);
        let output = run(command.arg(to).args(*options).arg("--").arg(&program).arg(way).envs(quiet));
        let seen = (output.status.code(), text(&output));
        assert_eq!(seen, (bare.status.code(), text(&bare)), "{way} {options:?}: {}", errors(&output));
    }
}

const USUAL: &[&str] = &[];
const ALL: &[&[&str]] = &[USUAL, &["--signal", "URG"], &["--signal", "PROF"], &["--signal", "40"]];

#[test]
fn a_thread_with_the_smallest_stack_has_room_for_the_end_of_a_wait() {
    goes_unnoticed("small", &[USUAL]);
}

#[test]
fn every_function_that_sets_an_action_hides_the_signal() {
    goes_unnoticed("actions", ALL);
}

#[test]
fn a_handler_set_in_strict_c99_gets_no_signal_of_a_clock() {
    goes_unnoticed("own", &[USUAL, &["--signal", "URG"]]);
}

#[test]
fn waits_for_all_signals_do_not_get_those_of_a_clock() {
    goes_unnoticed("waits", ALL);
}

#[test]
fn a_descriptor_of_all_signals_does_not_have_those_of_a_clock() {
    goes_unnoticed("reads", ALL);
}

#[test]
fn a_thread_with_a_small_alternate_stack_gets_no_signal_on_it() {
    goes_unnoticed("alternate", &[USUAL]);
}

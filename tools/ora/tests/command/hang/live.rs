//! Programs that don't hang: there must be no false alarm.

use std::path::Path;

use compat_tests::suite::{first, whole_matrix};

use super::harness::{Running, on_llvms_runtime};
use crate::harness::Folder;

const CASES: [&str; 14] = [
    "barriers",
    "regions",
    "dynamic_loop",
    "locks",
    "long_lock",
    "uneven",
    "sleeps",
    "long_critical",
    "tasks",
    "dependences",
    "nested",
    "ordered",
    "doacross",
    "serial",
];

/// Number of times that each program is examined.
fn looks() -> u32 {
    if whole_matrix() { 40 } else { 3 }
}

fn no_alarm(policy: &str) {
    let folder = Folder::new();
    no_alarm_of(&folder.compile("lives", "lives", &["-g", "-O2", "-fopenmp"]), policy);
}

fn no_alarm_of(program: &Path, policy: &str) {
    for case in CASES {
        let running = Running::start(program, case, &[("OMP_WAIT_POLICY", policy)]);
        for look in 0..looks() {
            let (answer, code) = running.answer(&["--between", "20"]);
            assert_eq!(code, Some(0), "{case}, {policy}, look {look}: {answer:#}");
        }
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn programs_that_sleep_in_their_waits_raise_no_alarm() {
    no_alarm("passive");
}

#[test]
#[ignore = "slow: --all runs it"]
fn programs_that_spin_in_their_waits_raise_no_alarm() {
    no_alarm("active");
}

#[test]
#[ignore = "slow: --all runs it"]
fn programs_on_llvms_runtime_raise_no_alarm() {
    let folder = Folder::new();
    let Some(program) = on_llvms_runtime(&folder, "lives", "-O1") else { return };
    for &policy in first(&["passive", "active"], 1) {
        no_alarm_of(&program, policy);
    }
}

#[test]
fn a_thread_that_reads_while_the_others_wait_is_no_deadlock_and_is_named() {
    let folder = Folder::new();
    let running = Running::start(&folder.compile("hangs", "hangs", &["-g", "-O1", "-fopenmp"]), "reads", &[]);
    running.stands_still(0);
    let (answer, code) = running.answer(&[]);
    assert_eq!(code, Some(0), "{answer:#}");
    let pending = answer["pending"][0].as_str().unwrap();
    for word in ["not a deadlock of OpenMP: 2 threads wait for thread 2", "in read()", "hangs.c:"] {
        assert!(pending.contains(word), "{word}: {pending}");
    }
}

#[test]
fn a_thread_that_computes_while_the_others_wait_is_named() {
    let folder = Folder::new();
    let running = Running::start(&folder.compile("lives", "lives", &["-g", "-O1", "-fopenmp"]), "uneven", &[]);
    let named = |_| {
        let (answer, _) = running.answer(&[]);
        answer["pending"][0]
            .as_str()
            .is_some_and(|text| text.contains("2 threads wait for thread 1") && text.contains("lives.c:"))
    };
    assert!((0..20).any(named));
}

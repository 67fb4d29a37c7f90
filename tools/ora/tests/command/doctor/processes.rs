//! Programs that are already running.

use std::path::Path;
use std::process::Command;

use super::harness::{Answer, Folder, Waiting, headers, tool5};
use crate::harness::ORA;

#[test]
fn a_process_without_the_library_is_unseen_until_ora_attaches() {
    let folder = Folder::new();
    let program = folder.compile("waits", "waits", &["-fopenmp"]);
    let answer = Waiting::start(Command::new(&program).env_remove("LD_PRELOAD")).ask();
    answer.expect("not_seen", &["process_without_library"]);
    assert!(answer.json.to_string().contains("`ora attach "), "{}", answer.json);
    assert_eq!(answer.json["subject"], "process");
    assert_eq!(answer.runtimes(), [("libgomp", "reported")]);
}

#[test]
fn a_process_under_ora_has_all_it_needs() {
    let folder = Folder::new();
    let program = folder.compile("waits", "waits", &["-fopenmp"]);
    // `ora run` executes the program in its own process, so the process id is the program's.
    let run = |variable: &str| {
        let mut command = Command::new(ORA);
        command.args(["run", "--"]).arg(&program).env_remove("LD_PRELOAD").env("ORA_DISABLE", variable);
        Waiting::start(&mut command).ask()
    };
    let answer = run("0");
    answer.expect("seen", &[]);
    assert!(answer.json.to_string().contains("libora.so is loaded"));
    run("1").expect("not_seen", &["disabled"]);
}

#[test]
fn a_libgomp_that_came_later_is_reported_like_one_that_was_there() {
    let folder = Folder::new();
    let opener = folder.compile("opener", "opener", &[]);
    let library = folder.compile("part", "libpart.so", &["-shared", "-fPIC", "-fopenmp"]);
    let mut command = Command::new(ORA);
    command.args(["run", "--"]).arg(&opener).arg(&library).args(["plain", "wait"]).env_remove("LD_PRELOAD");
    let answer = Waiting::start(&mut command).ask();
    answer.expect("seen", &[]);
    assert_eq!(answer.runtimes(), [("libgomp", "reported")]);
}

#[test]
fn a_runtime_of_llvms_that_came_later_is_reported_unless_the_program_has_a_tool() {
    let folder = Folder::new();
    let Some(library) = folder.clang("part", "libpart.so", &["-shared", "-fPIC"]) else { return };
    let waiting = |opener: &Path, variable: (&str, &str)| {
        let mut command = Command::new(ORA);
        command.args(["run", "--"]).arg(opener).arg(&library).args(["plain", "wait"]).env_remove("LD_PRELOAD");
        Waiting::start(command.env(variable.0, variable.1)).ask()
    };
    let ran = |opener: &Path| Answer::run(opener, &[library.to_str().unwrap(), "plain"]);
    let plain = folder.compile("opener", "opener", &[]);
    let answer = waiting(&plain, ("OMP_TOOL", "enabled"));
    answer.expect("seen", &[]);
    assert_eq!(answer.runtimes(), [("libomp", "reported")]);
    waiting(&plain, ("OMP_TOOL", "disabled")).expect("partly_seen", &["omp_tool_disabled"]);
    let answer = ran(&plain);
    answer.expect("seen", &[]);
    assert_eq!(answer.json["run"]["regions"], 1);

    let own = folder.compile("opener", "own", &["-rdynamic", &tool5(), &headers()]);
    waiting(&own, ("OMP_TOOL", "enabled")).expect("partly_seen", &["tool_before_library"]);
    let answer = ran(&own);
    answer.expect("not_seen", &["tool_before_library"]);
    assert_eq!(answer.tools(), ["openmp_5 own executable attached"]);
}

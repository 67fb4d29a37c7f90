//! `ora attach` and `ora top` across users, user namespaces, filters of system calls, other C libraries, and LLVM's runtime.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::attach::{Running, attach, regions};
use crate::harness::{Folder, ORA, errors, ora, run};
use crate::skips::{may_run, skip};

/// Runs a command as an ordinary user, with setpriv(1).
pub(crate) const NOBODY: [&str; 4] = ["setpriv", "--reuid", "65534", "--clear-groups"];

/// Program that every user may execute.
pub(crate) fn program(folder: &Folder) -> PathBuf {
    let program = folder.program("attached");
    fs::set_permissions(program.parent().unwrap(), fs::Permissions::from_mode(0o755)).unwrap();
    program
}

pub(crate) fn started(words: &[&str], program: &Path) -> Running {
    started_with(words, program, "tight")
}

/// A program with rounds of this kind, executed by this command.
pub(crate) fn started_with(words: &[&str], program: &Path, kind: &str) -> Running {
    let mut command = match words {
        [first, rest @ ..] => {
            let mut command = Command::new(first);
            command.args(rest).arg(program);
            command
        }
        [] => Command::new(program),
    };
    Running::begin(command.arg(kind))
}

#[test]
#[ignore = "slow: --all runs it"]
fn another_users_process_is_refused_to_a_user_and_open_to_root() {
    if !may_run(&NOBODY, "true") {
        return;
    }
    let folder = Folder::new();
    let program = program(&folder);
    let running = started(&[], &program);
    for words in [&["attach", &running.pid()][..], &["top", "-n", "1", &running.pid()]] {
        let mut command = Command::new(NOBODY[0]);
        let output = run(command.args(&NOBODY[1..]).arg(ORA).args(words).stdin(Stdio::null()));
        if errors(&output).contains("Permission denied") {
            skip(format_args!("other users can't execute {ORA}"));
            continue;
        }
        assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
        assert!(errors(&output).contains("belongs to another user: run ora as that user"), "{}", errors(&output));
    }
    running.ends_as_before();
    let running = started(&NOBODY, &program);
    assert!(regions(&attach(&running, &["--seconds", "0.5", "--json"])) > 0);
    running.ends_as_before();
}

#[test]
fn a_process_in_a_user_namespace_can_be_attached_to() {
    let words = ["unshare", "--user", "--map-root-user"];
    if !may_run(&words, "true") {
        return;
    }
    let folder = Folder::new();
    let running = started(&words, &program(&folder));
    assert!(regions(&attach(&running, &["--seconds", "0.5", "--json"])) > 0);
    running.ends_as_before();
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_filter_of_system_calls_is_named_and_can_be_allowed() {
    let folder = Folder::new();
    let filter = folder.compile("filtered", "filtered", &[]);
    let running = started(&[filter.to_str().unwrap()], &program(&folder));
    let refused = attach(&running, &["--seconds", "0.1"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(errors(&refused).contains("--allow-seccomp"), "{}", errors(&refused));
    assert!(regions(&attach(&running, &["--seconds", "0.5", "--json", "--allow-seccomp"])) > 0);
    running.ends_as_before();
}

#[test]
fn a_program_for_musl_is_refused() {
    let folder = Folder::new();
    let source = folder.file("musl.c");
    fs::write(&source, "#include <unistd.h>\nint main(void) { return (int)sleep(60); }\n").unwrap();
    let Some(program) =
        folder.compile_by(&compat_tests::requirements::MUSL, Command::new("musl-gcc").arg(&source), "musl")
    else {
        return;
    };
    let mut child = Command::new(&program).spawn().unwrap();
    let begun = Instant::now();
    while !fs::read_to_string(format!("/proc/{}/maps", child.id())).is_ok_and(|maps| maps.contains("musl")) {
        assert!(begun.elapsed() < Duration::from_secs(20));
        thread::sleep(Duration::from_millis(2));
    }
    let output: Output = run(&mut ora(&["attach", &child.id().to_string()]));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains("doesn't use glibc but"), "{}", errors(&output));
}

/// The program of the other tests, on LLVM's runtime. `None` if clang is missing, and then a line is printed.
pub(crate) fn attached_on_llvms_runtime(folder: &Folder) -> Option<PathBuf> {
    folder.clang("attached", "attached-llvm", &["-O1", "-g", "-fopenmp"])
}

#[test]
#[ignore = "slow: --all runs it"]
fn llvms_runtime_is_refused_without_standby_and_works_with_it() {
    let folder = Folder::new();
    let Some(program) = attached_on_llvms_runtime(&folder) else { return };
    let alone = Running::begin_on(Command::new(&program).arg("tight"), "libomp");
    let refused = attach(&alone, &["--seconds", "0.1"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(errors(&refused).contains("ora run --standby"), "{}", errors(&refused));
    alone.ends_as_before();
    // `ora run` executes the program in its own process.
    let standby = Running::begin_on(ora(&["run", "--standby", "--"]).arg(&program).arg("tight"), "libomp");
    let sees = |_| {
        let output = attach(&standby, &["--seconds", "0.5", "--json"]);
        output.status.success() && regions(&output) > 0
    };
    assert!((0..20).any(sees), "nothing is seen");
    standby.ends_as_before();
}

//! `ora attach` on processes that it leaves alone: those under another tracer, in another process's memory, or about to execute another
//! program.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::attach::{Running, attach, regions, wait_for_watching};
use crate::attach_elsewhere::NOBODY;
use crate::harness::{Folder, ORA, errors, ora, run};
use crate::skips::{has, may_run, skip};

fn refused(pid: &str, says: &str) {
    let output = run(&mut ora(&["attach", pid, "--seconds", "0.1"]));
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    assert!(errors(&output).contains(says), "{says}: {}", errors(&output));
}

#[test]
fn a_process_under_a_debugger_is_refused_with_the_debuggers_number() {
    if !has(&compat_tests::requirements::GDB) {
        return;
    }
    let folder = Folder::new();
    let running = Running::start(&folder.program("attached"), &["tight"]);
    let mut gdb = Command::new("gdb");
    gdb.args(["-q", "-nx", "-p", &running.pid(), "-ex", "continue"]).stdin(Stdio::piped());
    let mut gdb = gdb.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let traced = || std::fs::read_to_string(format!("/proc/{}/status", running.pid())).unwrap();
    let begun = Instant::now();
    while !traced().contains(&format!("TracerPid:\t{}\n", gdb.id())) {
        assert!(begun.elapsed() < Duration::from_secs(60), "gdb doesn't attach");
        thread::sleep(Duration::from_millis(5));
    }
    refused(&running.pid(), &format!("is being traced by process {}, a debugger perhaps", gdb.id()));
    // Tracing ends with the tracer.
    gdb.kill().unwrap();
    gdb.wait().unwrap();
    run(Command::new("kill").args(["-CONT", &running.pid()]));
    running.ends_as_before();
}

/// Ids of its second thread and of that thread's tracer (0 if none), as it prints them.
fn held(running: &mut Running) -> [String; 2] {
    let (input, output) = running.ends();
    // The program ends when its input does, which happens at the end of the test.
    std::mem::forget(input);
    let line = BufReader::new(output).lines().next().unwrap().unwrap();
    let (thread, tracer) = line.split_once(' ').unwrap();
    [thread, tracer].map(str::to_owned)
}

#[test]
fn a_process_with_a_single_thread_that_is_traced_is_refused_with_both_numbers() {
    let folder = Folder::new();
    let mut running = Running::start(&folder.program("held"), &["now"]);
    let [thread, tracer] = held(&mut running);
    let pid = running.pid();
    refused(&pid, &format!("thread {thread} of process {pid} is being traced by process {tracer}"));
    run(Command::new("kill").args(["-KILL", &tracer]));
    // The tracer releases the thread while it exits, which takes a while.
    let status = format!("/proc/{pid}/task/{thread}/status");
    while !std::fs::read_to_string(&status).unwrap().contains("TracerPid:\t0\n") {
        std::thread::yield_now();
    }
    let again = attach(&running, &["--seconds", "0.05"]);
    assert!(again.status.success(), "{}", errors(&again));
    run(Command::new("kill").args(["-KILL", &pid]));
    running.wait();
}

/// The tracer appears after `ora` has checked for one: `ora` waits in the kernel, and only the end of the process ends that wait.
#[test]
#[ignore = "slow: --all runs it"]
fn a_command_that_the_kernel_does_not_let_trace_ends_by_itself() {
    let folder = Folder::new();
    let (program, preloaded) = (folder.program("held"), folder.library("executes_first"));
    let commands = [&["attach", "--seconds", "0.05"][..], &["top", "--batch", "-n", "1"], &["hang"]];
    thread::scope(|scope| {
        for words in commands {
            let (program, preloaded) = (&program, &preloaded);
            scope.spawn(move || {
                let mut running = Running::start(program, &[]);
                held(&mut running);
                let pid = running.pid();
                let output = run(ora(words).arg(&pid).env("LD_PRELOAD", preloaded).env("HELD", &pid));
                assert_eq!(output.status.code(), Some(1), "{words:?}: {}", errors(&output));
                let says = format!("gave up on process {pid} after 10 s: the kernel did not let ora trace its thread");
                assert!(errors(&output).contains(&says), "{words:?}: {}", errors(&output));
                run(Command::new("kill").args(["-KILL", &pid]));
                running.wait();
            });
        }
    });
}

#[test]
fn a_child_in_its_parents_memory_is_refused_with_the_parents_number() {
    let folder = Folder::new();
    let mut running = Running::start(&folder.program("substituted"), &["vfork"]);
    let (input, output) = running.ends();
    let child = BufReader::new(output).lines().next().unwrap().unwrap();
    refused(&child, &format!("shares its memory with process {}", running.pid()));
    drop(input);
    assert!(running.wait().success());
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_process_that_executes_programs_all_the_time_survives_attempts() {
    let folder = Folder::new();
    let mut command = Command::new(folder.program("substituted"));
    let mut child = command.args(["executes", "40"]).spawn().unwrap();
    let mut attempts = 0;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        let output = run(&mut ora(&["attach", &child.id().to_string(), "--seconds", "0.02", "--json"]));
        // It must be a refusal or an answer, not death by a signal.
        assert!(matches!(output.status.code(), Some(0..=2)), "{:?}: {}", output.status, errors(&output));
        attempts += 1;
    };
    assert_eq!(status.code(), Some(7), "after {attempts} attempts");
    assert!(attempts > 0);
}

#[test]
fn a_process_that_executes_another_program_while_it_is_watched_is_shown() {
    let folder = Folder::new();
    let mut running = Running::start(&folder.program("substituted"), &["until"]);
    let mut command = ora(&["attach", &running.pid(), "--json"]);
    let mut watching = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_watching(&mut watching);
    thread::sleep(Duration::from_millis(200));
    drop(running.ends());
    assert!(regions(&watching.wait_with_output().unwrap()) > 0);
    assert_eq!(running.wait().code(), Some(5));
}

#[test]
fn a_program_with_its_files_rights_is_refused_to_its_user() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let program = folder.program("attached");
    std::fs::set_permissions(program.parent().unwrap(), std::fs::Permissions::from_mode(0o755)).unwrap();
    // A setuid program, which other users may execute.
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o4755)).unwrap();
    if !may_run(&NOBODY, "true") {
        return;
    }
    let mut command = Command::new(NOBODY[0]);
    let running = Running::begin(command.args(&NOBODY[1..]).arg(&program).arg("tight"));
    let mut command = Command::new(NOBODY[0]);
    let output = run(command.args(&NOBODY[1..]).arg(ORA).args(["attach", &running.pid()]).stdin(Stdio::null()));
    if errors(&output).contains("Permission denied") {
        skip(format_args!("other users can't execute {ORA}"));
    } else {
        assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
        assert!(errors(&output).contains("belongs to another user"), "{}", errors(&output));
    }
    running.ends_as_before();
}

/// Threads this many calls deep, which sleep.
fn deep(folder: &Folder, calls: &str, threads: &str) -> Running {
    let mut command = Command::new(folder.program("deep_calls"));
    let running = Running::begin(command.args([calls, threads]).env("OMP_STACKSIZE", "64M"));
    let process = attach_outside::process::Process { pid: running.id() };
    let begun = Instant::now();
    let sleeps = |tid: &u32| process.thread_status(*tid).is_ok_and(|status| status.state == 'S');
    while !(process.threads().len().to_string() == threads && process.threads().iter().all(sleeps)) {
        assert!(begun.elapsed() < Duration::from_secs(60), "the threads don't sleep");
        thread::sleep(Duration::from_millis(5));
    }
    running
}

#[test]
fn threads_may_be_many_calls_deep() {
    let folder = Folder::new();
    for calls in ["6250", "100000"] {
        let running = deep(&folder, calls, "4");
        let output = attach(&running, &["stat", "--seconds", "0.1"]);
        assert_eq!(output.status.code(), Some(0), "{calls}: {}", errors(&output));
        assert_eq!(running.end().0, Some(0));
    }
}

#[test]
fn threads_that_are_too_many_calls_deep_are_tried_once_and_the_bound_is_named() {
    let folder = Folder::new();
    let running = deep(&folder, "140000", "2");
    let output = attach(&running, &["stat", "--seconds", "0.1"]);
    let said = errors(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let tries: u32 = said.split(" in ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap().parse().unwrap();
    if said.contains(": the last one was more than 131,072 calls deep") {
        // A thread that doesn't sleep again in time is tried once more, but not in each of the 25 rounds.
        assert!((2..50).contains(&tries), "{said}");
    } else {
        // On a busy machine the walk may take too long.
        assert!(said.contains("too many calls deep to be followed within a second"), "{said}");
    }
    assert_eq!(running.end().0, Some(0));
}

//! No matter how the program ends, a table is printed, and `ora` ends in the same way.

use std::fs::read_to_string;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::harness::{Folder, errors, hear_every_signal, json, ora, run, stat, text};

#[test]
fn ends_inside_a_region_still_give_a_table() {
    let folder = Folder::new();
    let program = folder.program("endings");
    for (how, code, signal) in [
        ("_exit", Some(7), None),
        ("exit", Some(8), None),
        ("abort", None, Some(libc::SIGABRT)),
        ("segv", None, Some(libc::SIGSEGV)),
        ("kill", None, Some(libc::SIGKILL)),
    ] {
        let output = stat(&[], &program, &[how]);
        assert_eq!((output.status.code(), output.status.signal()), (code, signal), "{how}");
        assert!(!output.status.core_dumped(), "{how}: the core is the program's affair");
        let table = errors(&output);
        assert!(table.contains("1 had not ended"), "{how}: {table}");

        let object = json(&[], &program, &[how]);
        let process = &object["runs"][0]["processes"][0];
        assert_eq!(
            (&process["regions_total"]["count"], &process["regions_total"]["not_ended"]),
            (&2.into(), &1.into()),
            "{how}"
        );
        for thread in process["threads"].as_array().unwrap() {
            // Activities that last until the end count: both threads slept for 100 ms.
            assert!(thread["time_ns"]["work"].as_u64().unwrap() > 90_000_000, "{how}: {thread}");
        }
    }
}

/// Starts `ora stat` on the program, and waits until the program is ready.
fn started(program: &Path, how: &str, table: &Path, options: &[&str]) -> (Child, BufReader<std::process::ChildStdout>) {
    let mut ora = ora(&["stat"]);
    hear_every_signal(&mut ora);
    begun(&mut ora, program, how, table, options)
}

fn begun(
    ora: &mut Command,
    program: &Path,
    how: &str,
    table: &Path,
    options: &[&str],
) -> (Child, BufReader<std::process::ChildStdout>) {
    let mut child = ora
        .args(options)
        .arg("-o")
        .arg(table)
        .arg(program)
        .arg(how)
        .process_group(0)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    (child, out)
}

fn send(signal: i32, to: &str) {
    let line = format!("kill -{signal} {to}");
    assert!(run(Command::new("sh").args(["-c", &line])).status.success());
}

fn kill_program_of(ora: &Child) {
    let program = read_to_string(format!("/proc/{0}/task/{0}/children", ora.id())).unwrap();
    send(libc::SIGKILL, program.trim());
}

#[allow(unsafe_code)]
fn ignore(command: &mut Command, signal: i32) {
    let set = move || {
        // SAFETY: async-signal-safe; the child has no other thread.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
        Ok(())
    };
    // SAFETY: the closure only makes a system call.
    unsafe { command.pre_exec(set) };
}

fn ended(mut child: Child, mut out: impl Read) -> (ExitStatus, String) {
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    (child.wait().unwrap(), rest)
}

#[test]
fn a_signal_to_ora_alone_reaches_the_program() {
    let folder = Folder::new();
    let (program, table) = (folder.program("endings"), folder.file("table"));
    for signal in [libc::SIGTERM, libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGUSR1, libc::SIGUSR2] {
        let (child, out) = started(&program, "wait", &table, &[]);
        send(signal, &child.id().to_string());
        let (status, said) = ended(child, out);
        assert_eq!((status.code(), said), (Some(9), format!("got {signal:02}\n")), "signal {signal}");
        assert!(read_to_string(&table).unwrap().contains("exit code 9"));
    }
}

#[test]
fn a_signal_that_ora_was_started_to_ignore_reaches_the_program_and_ends_only_that() {
    let folder = Folder::new();
    let (program, table) = (folder.program("endings"), folder.file("table"));
    for signal in [libc::SIGINT, libc::SIGUSR1] {
        let mut ora = ora(&["stat"]);
        ignore(&mut ora, signal);
        let (child, out) = begun(&mut ora, &program, "wait", &table, &[]);
        send(signal, &child.id().to_string());
        let (status, said) = ended(child, out);
        assert_eq!((status.code(), said), (Some(9), format!("got {signal:02}\n")), "signal {signal}");
        assert!(read_to_string(&table).unwrap().contains("exit code 9"));
    }

    let mut ora = ora(&["stat", "-o", "/dev/null", "--", "sh", "-c", "kill -TERM $PPID; kill -TERM $$; exit 3"]);
    ignore(&mut ora, libc::SIGTERM);
    assert_eq!(run(&mut ora).status.code(), Some(3));
}

#[test]
fn ora_dies_of_the_signal_that_killed_the_program() {
    let folder = Folder::new();
    let (program, table) = (folder.program("endings"), folder.file("table"));
    let (child, out) = started(&program, "hang", &table, &[]);
    send(libc::SIGTERM, &child.id().to_string());
    assert_eq!(ended(child, out).0.signal(), Some(libc::SIGTERM));
    assert!(read_to_string(&table).unwrap().contains("died of signal 15"));

    let (child, out) = started(&program, "hang", &table, &[]);
    kill_program_of(&child);
    assert_eq!(ended(child, out).0.signal(), Some(libc::SIGKILL));
}

#[test]
fn nothing_is_left_behind() {
    let folder = Folder::new();
    let program = folder.program("endings");
    let temporary = folder.file("tmp");
    std::fs::create_dir(&temporary).unwrap();
    for how in ["kill", ""] {
        run(ora(&["stat"]).arg(&program).arg(how).env("TMPDIR", &temporary));
    }
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_kill_at_any_moment_counts_nothing_twice() {
    let folder = Folder::new();
    let (program, table) = (folder.program("busy"), folder.file("table"));
    for milliseconds in (0..100).step_by(9) {
        let (child, out) = started(&program, "", &table, &["--json"]);
        sleep(Duration::from_millis(milliseconds));
        kill_program_of(&child);
        ended(child, out);
        let object: serde_json::Value = serde_json::from_str(&read_to_string(&table).unwrap()).unwrap();
        let run = &object["runs"][0];
        assert_eq!(run["signal"], libc::SIGKILL);
        for thread in run["processes"][0]["threads"].as_array().unwrap() {
            let time: u64 = thread["time_ns"].as_object().unwrap().values().map(|part| part.as_u64().unwrap()).sum();
            assert!(time <= run["wall_ns"].as_u64().unwrap(), "{run}");
        }
    }
}

#[test]
fn the_program_inherits_the_signal_settings_that_ora_has() {
    for ignored in ["''", "'' PIPE CHLD INT USR1", "'' PIPE TERM"] {
        let settings = |prefix: &str| {
            let line = format!("trap {ignored}; exec {prefix} grep ^Sig[BIC] /proc/self/status");
            text(&run(Command::new("sh").args(["-c", &line])))
        };
        let bare = settings("");
        assert!(bare.lines().count() >= 3, "{bare}");
        for ora in ["stat -o /dev/null --", "run --"] {
            assert_eq!(settings(&format!("{} {ora}", crate::harness::ORA)), bare, "{ora}, ignored: {ignored}");
        }
    }
}

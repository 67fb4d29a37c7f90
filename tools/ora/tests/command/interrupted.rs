//! Signals to `ora` while it waits for something other than the program, and the state that it leaves.

use std::fs;
use std::io::{self, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use crate::harness::{Folder, hear_every_signal, ora};

/// Time in which a command must have ended, even on a busy machine; far below the ten seconds after which it gives up.
const SOON: Duration = Duration::from_secs(5);
/// Time in which anything must have happened.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// Waits for a condition.
fn wait_for(what: &str, is_true: impl FnMut() -> bool) {
    assert!(comes(MAX_WAIT, is_true), "{what}");
}

fn comes(within: Duration, mut is_true: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < within {
        if is_true() {
            return true;
        }
        sleep(Duration::from_millis(10));
    }
    false
}

fn send(child: &Child, signal: i32) {
    let status = Command::new("kill").arg(format!("-{signal}")).arg(child.id().to_string()).status().unwrap();
    assert!(status.success());
}

/// Status with which the command ends; `None` if it doesn't end soon.
fn end(child: &mut Child, within: Duration) -> Option<ExitStatus> {
    let mut status = None;
    comes(within, || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    if status.is_none() {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    status
}

/// Ends of a pipe that is full.
fn full_pipe() -> (io::PipeReader, io::PipeWriter) {
    let (reader, writer) = io::pipe().unwrap();
    let mut filler = writer.try_clone().unwrap();
    let written = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&written);
    // Ends together with the reader.
    thread::spawn(
        move || while filler.write(&[b'x'; 1024]).is_ok_and(|bytes| count.fetch_add(bytes, Relaxed) < usize::MAX) {},
    );
    let mut before = 0;
    wait_for("a full pipe", || {
        sleep(Duration::from_millis(50));
        let now = written.load(Relaxed);
        now > 0 && std::mem::replace(&mut before, now) == now
    });
    (reader, writer)
}

fn mkfifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn a_pipe_beside_a_program_stops_no_command() {
    let folder = Folder::new();
    let program = folder.compile("regions", "program", &["-fopenmp", "-g"]);
    mkfifo(&folder.file("program.dwp"));
    let recording = folder.file("recording");
    let commands = [
        vec!["stat".to_owned(), program.display().to_string()],
        vec!["profile".to_owned(), "-o".to_owned(), recording.display().to_string(), program.display().to_string()],
        vec!["report".to_owned(), recording.display().to_string()],
    ];
    for words in commands {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut child = ora(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        assert!(end(&mut child, MAX_WAIT).is_some_and(|status| status.success()), "{words:?}");
    }
}

#[test]
fn once_the_program_has_ended_a_signal_ends_ora_whatever_it_waits_for() {
    let folder = Folder::new();
    let program = folder.program("touches");
    for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT] {
        let (_reader, writer) = full_pipe();
        let done = folder.file(&format!("done-{signal}"));
        let mut ora = ora(&["stat"]);
        hear_every_signal(&mut ora);
        let mut child = ora.arg(&program).arg(&done).stderr(writer).spawn().unwrap();
        wait_for("the program", || done.exists());
        // A signal at the moment of the program's end is meant for the program.
        sleep(Duration::from_secs(1));
        send(&child, signal);
        let status = end(&mut child, SOON).unwrap_or_else(|| panic!("signal {signal} did not end ora"));
        assert_eq!(status.signal(), Some(signal));
    }
}

#[test]
fn a_second_signal_ends_a_command_that_has_noted_the_first() {
    let folder = Folder::new();
    let program = folder.program("endless_region");
    let mut watched = Command::new(&program).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let (_reader, writer) = full_pipe();
    let mut child = ora(&["attach", &watched.id().to_string()]).stdout(writer).stderr(Stdio::null()).spawn().unwrap();
    sleep(Duration::from_secs(1));
    send(&child, libc::SIGTERM);
    sleep(Duration::from_millis(500));
    let is_noted = child.try_wait().unwrap().is_none();
    send(&child, libc::SIGTERM);
    let status = end(&mut child, SOON);
    watched.kill().unwrap();
    watched.wait().unwrap();
    assert!(is_noted);
    assert_eq!(status.and_then(|status| status.signal()), Some(libc::SIGTERM));
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_command_that_has_noted_a_signal_ends_within_seconds() {
    let (_reader, writer) = full_pipe();
    let mut child = ora(&["top", "--batch", "--interval", "0.1"])
        .stderr(writer.try_clone().unwrap())
        .stdout(writer)
        .spawn()
        .unwrap();
    sleep(Duration::from_secs(1));
    send(&child, libc::SIGTERM);
    assert_eq!(end(&mut child, MAX_WAIT).and_then(|status| status.signal()), Some(libc::SIGTERM));
}

#[test]
fn a_command_that_writes_to_a_pipe_without_a_reader_ends_by_a_signal() {
    let folder = Folder::new();
    let pipe = folder.file("pipe");
    mkfifo(&pipe);
    let own = std::process::id().to_string();
    for words in [vec!["stat", "-o", "PIPE", "/bin/true"], vec!["hang", "-o", "PIPE", own.as_str()]] {
        let words: Vec<&str> =
            words.into_iter().map(|word| if word == "PIPE" { pipe.to_str().unwrap() } else { word }).collect();
        let mut child = ora(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        sleep(Duration::from_millis(300));
        send(&child, libc::SIGTERM);
        let status = end(&mut child, SOON).unwrap_or_else(|| panic!("{words:?}"));
        assert!(status.signal().is_none_or(|signal| signal == libc::SIGTERM), "{words:?}: {status}");
    }
}

#[test]
fn a_command_that_a_signal_ends_leaves_no_folder() {
    let folder = Folder::new();
    let temporary = folder.file("tmp");
    fs::create_dir(&temporary).unwrap();
    let compiler = folder.file("compiler");
    // A compiler that writes until it ends, as gcc's processes do.
    fs::write(
        &compiler,
        "#!/bin/sh\ntrap 'sleep 0.3; for folder in \"$TMPDIR\"/ora-*; do mkdir \"$folder/late\"; done; trap - TERM; kill $$' TERM\nsleep 3 & wait\n",
    )
    .unwrap();
    assert!(Command::new("chmod").arg("+x").arg(&compiler).status().unwrap().success());
    let count = || fs::read_dir(&temporary).unwrap().count();
    let mut child = ora(&["demo"])
        .env("TMPDIR", &temporary)
        .env("CC", &compiler)
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    wait_for("the folder", || count() == 1);
    send(&child, libc::SIGTERM);
    assert_eq!(end(&mut child, SOON).and_then(|status| status.signal()), Some(libc::SIGTERM));
    assert!(comes(SOON, || count() == 0));
}

//! `ora` stops and continues with the program. Unsafe: waiting for a stop is a system call.
#![allow(unsafe_code)]

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::harness::{hear_every_signal, ora};

/// Time in which anything must have happened.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// Starts `ora stat` on a shell, and waits until the shell runs.
fn started(line: &str) -> Child {
    let line = format!("echo; {line}");
    let mut ora = ora(&["stat", "-o", "/dev/null", "--", "sh", "-c", &line]);
    hear_every_signal(&mut ora);
    let mut child = ora.process_group(0).stdout(Stdio::piped()).spawn().unwrap();
    child.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
    child
}

fn send(signal: i32, to: i32) {
    // SAFETY: a system call without pointers.
    assert_eq!(unsafe { libc::kill(to, signal) }, 0);
}

/// The signal that has stopped the command; `None` if it has ended.
fn stop(child: &Child) -> Option<i32> {
    let mut status = 0;
    within_time(id(child), || {
        // SAFETY: `status` is valid for writes.
        (unsafe { libc::waitpid(id(child), &raw mut status, libc::WUNTRACED | libc::WNOHANG) } != 0).then_some(())
    });
    libc::WIFSTOPPED(status).then(|| libc::WSTOPSIG(status))
}

/// The code with which the command ends.
fn end(mut child: Child) -> Option<i32> {
    let id = id(&child);
    within_time(id, || child.try_wait().unwrap()).code()
}

/// Asks until there is an answer, for at most [`MAX_WAIT`]; then kills the command's processes and fails.
fn within_time<T>(id: i32, mut comes: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    while begun.elapsed() < MAX_WAIT {
        if let Some(come) = comes() {
            return come;
        }
        sleep(Duration::from_millis(5));
    }
    send(libc::SIGKILL, -id);
    panic!("the command neither stops nor ends");
}

fn id(child: &Child) -> i32 {
    child.id().cast_signed()
}

#[test]
fn a_program_that_stops_itself_stops_ora_until_that_is_continued() {
    let child = started("kill -STOP $$; kill -TSTP $$; exit 3");
    let id = id(&child);
    assert_eq!(stop(&child), Some(libc::SIGSTOP));
    send(libc::SIGCONT, id);
    assert_eq!(stop(&child), Some(libc::SIGTSTP));
    send(libc::SIGCONT, id);
    assert_eq!(end(child), Some(3));
}

#[test]
fn both_stop_and_continue_once_by_a_signal_to_the_group() {
    let child = started("sleep 0.3; exit 3");
    let id = id(&child);
    for to_continue in [-id, id] {
        send(libc::SIGTSTP, -id);
        assert_eq!(stop(&child), Some(libc::SIGTSTP));
        send(libc::SIGCONT, to_continue);
    }
    // The shell's own child.
    send(libc::SIGCONT, -id);
    assert_eq!(end(child), Some(3));
}

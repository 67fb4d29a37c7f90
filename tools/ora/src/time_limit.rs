//! Limit of a run's time: a program that takes longer is ended, politely first.
//!
//! The program stays in the process group of `ora`, because keys on the terminal are for both. So what it has started is ended process by
//! process: the end of a script does not end its programs.

use std::os::fd::OwnedFd;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use attach_outside::process::Process;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::signals;

/// Maximum number of processes that are ended beside the program. Each takes a descriptor.
const MAX_STARTED: usize = 512;
/// Time in which a program may end after SIGTERM, before it is killed.
const GRACE: Duration = Duration::from_secs(2);

/// Calls `run`, which runs a program by [`signals::run`]. If the program takes longer than the limit, it is ended. Returns whether that was
/// so.
pub(crate) fn within<T>(limit: Option<Duration>, run: impl FnOnce() -> T) -> (T, bool) {
    let Some(limit) = limit else { return (run(), false) };
    let (ended, end) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let watch = scope.spawn(move || {
            let is_over = |time| end.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
            let is_late = is_over(limit);
            if is_late {
                end_program(Signal::TERM);
                if is_over(GRACE) {
                    end_program(Signal::KILL);
                }
            }
            is_late
        });
        let result = run();
        drop(ended);
        (result, watch.join().unwrap_or_default())
    })
}

/// Sends a signal to the program and to what it has started.
fn end_program(signal: Signal) {
    let Some(program) = signals::program() else { return };
    // Those that end first leave their children to another parent.
    let started = descendants(Process { pid: program.cast_unsigned() });
    signals::send_to_program(signal.as_raw());
    for process in started {
        // It may have ended.
        let _ = pidfd_send_signal(&process, signal);
    }
}

/// The processes that a process has started, and those that these have started.
fn descendants(program: Process) -> Vec<OwnedFd> {
    let (mut open, mut found) = (vec![program], Vec::new());
    while let Some(parent) = open.pop() {
        for child in parent.children().into_iter().take(MAX_STARTED - found.len()) {
            let number = Pid::from_raw(child.pid.cast_signed());
            let Some(process) = number.and_then(|number| pidfd_open(number, PidfdFlags::empty()).ok()) else {
                continue;
            };
            // Its number may have become that of another process before it was opened.
            if child.status().is_ok_and(|status| status.parent == parent.pid) {
                found.push(process);
                open.push(child);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;
    use std::time::Instant;

    use super::*;

    /// Runs a script within a tenth of a second; returns whether it was ended, its success, and the time.
    fn run(script: &str) -> (bool, bool, Duration) {
        let begin = Instant::now();
        let (status, is_late) =
            within(Some(Duration::from_millis(100)), || signals::run(Command::new("sh").args(["-c", script])).unwrap());
        (is_late, status.success(), begin.elapsed())
    }

    #[test]
    fn a_program_that_takes_too_long_is_ended_with_what_it_has_started() {
        // Only one program can run at a time, so this is one test.
        assert_eq!(within(None, || 1), (1, false));
        let (is_late, is_well, _) = run("true");
        assert!(!is_late && is_well);
        let folder = tempfile::tempdir().unwrap();
        let number = folder.path().join("number");
        let (is_late, is_well, time) = run(&format!("sh -c 'sleep 30; :' & echo $! >{}; wait", number.display()));
        assert!(is_late && !is_well && time < GRACE, "{time:?}");
        let child = fs::read_to_string(&number).unwrap();
        let is_gone = || {
            let state = fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
            state.is_empty() || state.contains(") Z ")
        };
        let is_gone_soon = (0..100).any(|_| {
            thread::sleep(Duration::from_millis(20));
            is_gone()
        });
        assert!(is_gone_soon, "the child still runs");
        let (is_late, is_well, time) = run("trap '' TERM; while :; do sleep 0.1; done");
        assert!(is_late && !is_well && time >= GRACE, "{time:?}");
    }
}

//! Limit of a run's time: a program that takes longer is ended, politely first. Unsafe: these are system calls.
//!
//! The program stays in the process group of `ora`, because keys on the terminal are for both. So what it has started is ended process by
//! process: the end of a script does not end its programs.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::fs;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use untrusted::proc_text;

use crate::signals;

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
                end_program(libc::SIGTERM);
                if is_over(GRACE) {
                    end_program(libc::SIGKILL);
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
fn end_program(signal: c_int) {
    let Some(program) = signals::program() else { return };
    // Those that end first leave their children to another parent.
    let all = descendants(program);
    signals::send_to_program(signal);
    for process in all {
        // SAFETY: a system call without pointers.
        unsafe { libc::kill(process, signal) };
    }
}

/// The processes that a process has started, and those that these have started.
fn descendants(of: c_int) -> Vec<c_int> {
    let mut found = vec![of];
    let mut next = 0;
    while let Some(process) = found.get(next) {
        let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        let lists = threads.filter_map(|thread| proc_text::text(&thread.path().join("children")).ok());
        let children: Vec<c_int> = lists
            .flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>())
            .collect();
        found.extend(children);
        next += 1;
    }
    found.split_off(1)
}

#[cfg(test)]
mod tests {
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
        let folder = tempfile();
        let (is_late, is_well, time) = run(&format!("sh -c 'sleep 30; :' & echo $! >{folder}; wait"));
        assert!(is_late && !is_well && time < GRACE, "{time:?}");
        let child = fs::read_to_string(&folder).unwrap();
        fs::remove_file(&folder).unwrap();
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

    fn tempfile() -> String {
        let name = format!("ora-time-limit-{}", std::process::id());
        std::env::temp_dir().join(name).to_string_lossy().into_owned()
    }
}

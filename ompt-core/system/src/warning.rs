//! Warnings on stderr for when no tool could report the problem: one line each, once in a process, and none with
//! `ORA_QUIET=1`.
#![allow(unsafe_code)] // asks whether stderr is read

use crate::errno::Errno;
use crate::line;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// True with `ORA_QUIET=1`.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Suppresses all warnings from now on.
pub fn silence() {
    QUIET.store(true, Relaxed);
}

/// A warning that is written at most once.
#[derive(Debug)]
pub struct Warning(AtomicBool);

impl Default for Warning {
    fn default() -> Self {
        Self::new()
    }
}

impl Warning {
    /// A warning that has not been written yet.
    pub const fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Writes the warning's line by one system call, the first time only. Allocates nothing and keeps errno. It never
    /// waits for a reader of stderr, and never causes SIGPIPE.
    #[cold]
    pub fn say(&self, line: &[&[u8]]) {
        if QUIET.load(Relaxed) || self.0.swap(true, Relaxed) {
            return;
        }
        let errno = Errno::save();
        if is_read() {
            line::write(libc::STDERR_FILENO, line);
        }
        errno.restore();
    }
}

/// True if stderr accepts a line without blocking. A full pipe would block the program; a pipe whose reader has gone
/// would end it by SIGPIPE.
fn is_read() -> bool {
    let mut stderr = libc::pollfd { fd: libc::STDERR_FILENO, events: libc::POLLOUT, revents: 0 };
    // SAFETY: one record of ours, which the call fills; it doesn't wait.
    let ready = unsafe { libc::poll(&raw mut stderr, 1, 0) };
    ready == 1 && stderr.revents & (libc::POLLERR | libc::POLLHUP | libc::POLLNVAL) == 0
}

/// Warns that the system refuses memory: the program continues, but some threads and regions are not reported.
#[cold]
pub fn of_refused_memory() {
    static REFUSED: Warning = Warning::new();
    REFUSED.say(&[b"ora: the system refuses memory: some threads and regions go unreported\n"]);
}

//! The end of a program. Unsafe: the C library has the names of signals.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int};
use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// Exit status of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The program returned this exit code.
    Code(u8),
    /// The program died of this signal.
    Signal(i32),
}

impl Exit {
    /// The end as reported by the system.
    pub fn of(status: ExitStatus) -> Self {
        match status.signal() {
            Some(signal) => Self::Signal(signal),
            // An exit code has eight bits.
            None => Self::Code(status.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(u8::MAX)),
        }
    }

    /// True for a death by a segmentation fault.
    pub fn is_fault(self) -> bool {
        self == Self::Signal(libc::SIGSEGV)
    }

    /// Advice for a death that watching may have contributed to: a segmentation fault.
    pub fn advice(self) -> Option<&'static str> {
        self.is_fault().then_some(
            "if it does not crash without `ora`, it may have exhausted its stack: a task that runs inside of another \
             needs up to 1 kB more while it is watched. Try `ulimit -s unlimited` and larger stacks of the runtime's threads \
             (OMP_STACKSIZE=64M of libgomp and libomp). \
             If it also crashes without `ora`, a library that was unloaded (dlclose) may have taken the OpenMP runtime with it: `ora stat` checks that",
        )
    }

    /// The code or the signal, for JSON.
    pub fn code_and_signal(self) -> (Option<u8>, Option<i32>) {
        match self {
            Self::Code(code) => (Some(code), None),
            Self::Signal(signal) => (None, Some(signal)),
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(out, "exit code {code}"),
            Self::Signal(signal) => write!(out, "died of signal {signal} ({})", name(*signal)),
        }
    }
}

/// Name of a signal, from the system.
fn name(signal: c_int) -> String {
    // SAFETY: only looks the number up; one thread asks for names.
    let text = unsafe { libc::strsignal(signal) };
    if text.is_null() {
        return "unknown".to_owned();
    }
    // SAFETY: not null, then it is a C string.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

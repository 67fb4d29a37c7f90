//! Exit status of `ora`: the program's own, or that of an error of `ora` itself.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitCode, ExitStatus};

use profile_analysis::run::Ending;

use crate::output::say;
use crate::signals;

/// `ora` itself failed; the program may not have run.
pub(crate) const OWN_FAILURE: u8 = 125;

/// Exit status of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The program returned this exit code.
    Code(u8),
    /// The program died of this signal.
    Signal(i32),
}

impl Exit {
    pub(crate) fn of(status: ExitStatus) -> Self {
        match status.signal() {
            Some(signal) => Self::Signal(signal),
            // An exit code has eight bits.
            None => Self::Code(status.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(u8::MAX)),
        }
    }

    /// Advice for a death in which watching may have had a part: a segmentation fault.
    pub(crate) fn advice(self) -> Option<&'static str> {
        (self == Self::Signal(libc::SIGSEGV)).then_some(
            "where it doesn't die without `ora`, it may have used up its stack: a task that runs inside of another takes up to 1 kB more \
             while it is watched. Try `ulimit -s unlimited` and OMP_STACKSIZE=64M",
        )
    }

    /// The same in words, for the summary of a recording.
    pub(crate) fn ending(self) -> Ending {
        Ending { death: matches!(self, Self::Signal(_)).then(|| self.to_string()), advice: self.advice() }
    }

    /// Ends `ora` in the same way, so that its parent sees no difference.
    pub(crate) fn repeat(self) -> ExitCode {
        match self {
            Self::Code(code) => ExitCode::from(code),
            Self::Signal(signal) => {
                signals::die_of(signal);
                // The signal didn't kill: say it the way shells do.
                ExitCode::from(u8::try_from(128 + signal).unwrap_or(u8::MAX))
            }
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(out, "exit code {code}"),
            Self::Signal(signal) => write!(out, "died of signal {signal} ({})", signals::name(*signal)),
        }
    }
}

/// A failure with an exit code of its own.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: u8,
    pub(crate) message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// Says what went wrong; the exit code to end with.
pub(crate) fn complain(error: &anyhow::Error) -> ExitCode {
    say(format_args!("{error:#}"));
    ExitCode::from(error.downcast_ref::<Failure>().map_or(OWN_FAILURE, |f| f.code))
}

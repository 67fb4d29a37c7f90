//! Exit status of `ora`: the program's, or that of an error of `ora` itself.

use std::fmt;
use std::process::ExitCode;

use profile_analysis::run::Ending;

use crate::output::say;
use crate::signals;

/// `ora` itself failed; the program may not have run.
pub(crate) const OWN_FAILURE: u8 = 125;

pub(crate) use stat_analysis::Exit;

/// Describes the end of a program in words, for the summary of a recording.
pub(crate) fn ending(exit: Exit) -> Ending {
    Ending { death: matches!(exit, Exit::Signal(_)).then(|| exit.to_string()), advice: exit.advice() }
}

/// Ends `ora` in the same way as the program, so that its parent sees no difference.
pub(crate) fn repeat(exit: Exit) -> ExitCode {
    match exit {
        Exit::Code(code) => ExitCode::from(code),
        Exit::Signal(signal) => {
            signals::die_of(signal);
            // The signal was not fatal: report it as shells do.
            ExitCode::from(u8::try_from(128 + signal).unwrap_or(u8::MAX))
        }
    }
}

/// Failure with its own exit code.
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

/// Prints the error; returns the exit code.
pub(crate) fn complain(error: &anyhow::Error) -> ExitCode {
    say(format_args!("{error:#}"));
    ExitCode::from(error.downcast_ref::<Failure>().map_or(OWN_FAILURE, |f| f.code))
}

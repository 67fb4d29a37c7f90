//! A run of the program that has ended.

use crate::left::Left;
use crate::plan::Plan;

/// A run, and the files that it has left.
#[derive(Debug)]
pub struct Run {
    /// Its parameters.
    pub plan: Plan,
    /// End of the program.
    pub ending: Ending,
    /// True if a ThreadSanitizer that is linked into the program has the option to write its log to our folder.
    pub logged: bool,
    /// Lines and logs of its processes.
    pub left: Left,
}

/// End of the program in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The program returned this exit code.
    Code(u8),
    /// The program died of a signal.
    Signal {
        /// Number of the signal.
        number: i32,
        /// The death in words: `died of signal 11 (SIGSEGV)`.
        words: String,
    },
}

//! A run of a program under the validator.

use std::ffi::OsString;

/// The program that was run, and its end.
#[derive(Debug)]
pub struct Run<'a> {
    /// The program and its arguments.
    pub program: &'a [OsString],
    /// The program's exit code, unless a signal ended it.
    pub exit_code: Option<u8>,
    /// The signal that ended the program.
    pub signal: Option<i32>,
    /// The end in words, unless the exit code was 0.
    pub bad_end: Option<String>,
}

//! Log of the search for a tool, for `OMP_TOOL_VERBOSE_INIT` (OpenMP 5.0, 6.20).
#![allow(unsafe_code)] // opens and closes a file

use crate::tool_log::{Outcome, ToolKind, ToolLog};
use std::ffi::{CStr, c_int, c_void};
use system::{environment, line};

/// The log in words, if a file is given, and the log of both interfaces' tools ([`ToolLog`]).
pub(super) struct Log {
    file: Option<c_int>,
    /// True if the file was opened for this log, which closes it.
    own: bool,
    record: ToolLog,
}

impl Log {
    /// Opens the log that the variable names: `disabled`, `stdout`, `stderr`, or the name of a file.
    pub(super) fn open() -> Self {
        Self::with(create)
    }

    /// Opens the log if a runtime also writes to that file itself: only `stdout` and `stderr` are used.
    pub(super) fn beside_runtime() -> Self {
        Self::with(|_| None)
    }

    fn with(create: impl FnOnce(&CStr) -> Option<c_int>) -> Self {
        let wish = environment::variable(c"OMP_TOOL_VERBOSE_INIT");
        let is = |word: &[u8]| wish.is_some_and(|wish| wish.to_bytes().trim_ascii().eq_ignore_ascii_case(word));
        let (file, own) = match wish {
            None => (None, false),
            Some(_) if is(b"disabled") || is(b"") => (None, false),
            Some(_) if is(b"stdout") => (Some(libc::STDOUT_FILENO), false),
            Some(_) if is(b"stderr") => (Some(libc::STDERR_FILENO), false),
            // A program with more privileges than its user opens no file for it.
            Some(_) if environment::is_secure() => (None, false),
            Some(path) => (create(path), true),
        };
        Self { file, own, record: ToolLog::open(ToolKind::OpenMp5) }
    }

    /// Logs that the tool with this function is about to be asked.
    pub(super) fn asks(&self, function: *const c_void) {
        self.record.asks(function);
    }

    /// Logs the result of the search, in these words.
    pub(super) fn ends(&self, outcome: Outcome, words: &[u8]) {
        self.say(&[words]);
        self.record.says(outcome);
    }

    /// True if lines are written anywhere.
    pub(super) fn is_wanted(&self) -> bool {
        self.file.is_some()
    }

    /// Writes a line, if a file is given.
    pub(super) fn say(&self, parts: &[&[u8]]) {
        if let Some(file) = self.file {
            let mut all: [&[u8]; line::PARTS] = [b""; line::PARTS];
            let own = std::iter::once(&b"ora: "[..]).chain(parts.iter().copied()).chain(std::iter::once(&b"\n"[..]));
            all.iter_mut().zip(own).for_each(|(room, part)| *room = part);
            line::write(file, &all);
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        if let Some(file) = self.file.filter(|_| self.own) {
            // SAFETY: `own` says that `create` opened this descriptor for this value alone.
            unsafe { libc::close(file) };
        }
    }
}

fn create(path: &CStr) -> Option<c_int> {
    let how = libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC | libc::O_CLOEXEC;
    // SAFETY: `path` is a C string, which the call only reads (open(2)).
    let file = unsafe { libc::open(path.as_ptr(), how, 0o666) };
    (file >= 0).then_some(file)
}

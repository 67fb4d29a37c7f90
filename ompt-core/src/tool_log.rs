//! The record of the tools that were asked, and what they said: for `ora doctor`, and for whoever names a file in
//! `ORA_TOOL_LOG`. A line each, with the process's number and the interface; all processes of a program append to one file.
//!
//! ```text
//! 4711 tr2 none
//! 4711 openmp_5 asks /home/me/libtool.so
//! 4711 openmp_5 attached
//! ```
//!
//! Where there may be several of them, answers name the tool, too.

use std::ffi::{CStr, c_void};
use system::appended::{Appended, LONGEST, target};
use system::line::{DECIMAL, digits};
use system::linker::Object;
use system::{environment, executable};

/// The interface that a tool is looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Interface {
    Tr2,
    OpenMp5,
}

/// What becomes of the search, or of the tool that was asked last.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outcome {
    /// The tool wants to be told.
    Attached,
    /// The tool doesn't.
    Declined,
    /// There is no further tool to be asked.
    None,
    /// `OMP_TOOL` says that no tool is looked for.
    Disabled,
    /// Another runtime in the process asks tools itself.
    LeftToRuntime,
}

/// The record, if there is to be one.
pub(crate) struct ToolLog {
    file: Option<Appended>,
    interface: Interface,
}

impl ToolLog {
    /// Opens the file that the variable names. With more rights than its user's, the program opens none at his word.
    pub(crate) fn open(interface: Interface) -> Self {
        let path = environment::variable(c"ORA_TOOL_LOG").filter(|_| !environment::is_secure());
        Self { file: path.and_then(Appended::open), interface }
    }

    /// A tool is about to be asked: the one with this function.
    pub(crate) fn asks(&self, function: *const c_void) {
        self.write_of(b"asks ", function);
    }

    /// What came of the tool with this function.
    pub(crate) fn answers(&self, function: *const c_void, outcome: Outcome) {
        let word: &[u8] = if matches!(outcome, Outcome::Attached) { b"attached " } else { b"declined " };
        self.write_of(word, function);
    }

    fn write_of(&self, word: &[u8], function: *const c_void) {
        if self.file.is_none() {
            return;
        }
        if executable::holds(function) {
            self.write(word, target(OWN, &mut [0; LONGEST]));
        } else {
            self.write(word, Object::of(function).as_ref().map_or(b"", Object::name));
        }
    }

    /// What came of it.
    pub(crate) fn says(&self, outcome: Outcome) {
        let word: &[u8] = match outcome {
            Outcome::Attached => b"attached",
            Outcome::Declined => b"declined",
            Outcome::None => b"none",
            Outcome::Disabled => b"disabled",
            Outcome::LeftToRuntime => b"left_to_runtime",
        };
        self.write(word, b"");
    }

    /// Writes a line in one piece, so that processes don't mix theirs.
    fn write(&self, word: &[u8], file: &[u8]) {
        let Some(to) = &self.file else { return };
        let interface: &[u8] = match self.interface {
            Interface::Tr2 => b" tr2 ",
            Interface::OpenMp5 => b" openmp_5 ",
        };
        to.write(&[digits(std::process::id().into(), DECIMAL, &mut [0; 20]), interface, word, file, b"\n"]);
    }
}

/// Where the executable is: the dynamic linker doesn't know.
const OWN: &CStr = c"/proc/self/exe";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_executable_is_found_by_its_link() {
        let own = std::env::current_exe().unwrap();
        assert!(executable::holds(ToolLog::open as *const c_void) && !executable::holds(libc::getpid as *const c_void));
        assert_eq!(target(OWN, &mut [0; LONGEST]), own.as_os_str().as_encoded_bytes());
    }
}

//! Log of the search for tools, for `ora doctor` and for users: the tools that were asked, and their answers. Written
//! to the file that `ORA_TOOL_LOG` names. Each line has the process id and the interface; all processes of a program
//! append to one file.
//!
//! ```text
//! 4711 tr2 none
//! 4711 openmp_5 asks /home/me/libtool.so
//! 4711 openmp_5 attached
//! ```
//!
//! If several tools may be asked, answers also have the tool's path.

use std::ffi::{CStr, c_void};
use system::appended::{Appended, LONGEST, target};
use system::line::{DECIMAL, digits};
use system::linker::LoadedObject;
use system::{environment, executable};

/// The interface whose tool is looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ToolKind {
    Tr2,
    OpenMp5,
}

/// Result of the search, or of the tool that was asked last.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outcome {
    /// The tool has accepted.
    Attached,
    /// The tool has declined.
    Declined,
    /// No further tool was found.
    None,
    /// `OMP_TOOL` disables the search.
    Disabled,
    /// Another runtime in the process asks tools itself.
    LeftToRuntime,
}

/// The log, if `ORA_TOOL_LOG` names a file.
pub(crate) struct ToolLog {
    file: Option<Appended>,
    interface: ToolKind,
}

impl ToolLog {
    /// Opens the file that the variable names. A program with more privileges than its user opens none.
    pub(crate) fn open(interface: ToolKind) -> Self {
        let path = environment::variable(c"ORA_TOOL_LOG").filter(|_| !environment::is_secure());
        Self { file: path.and_then(Appended::open), interface }
    }

    /// Logs that the tool with this function is about to be asked.
    pub(crate) fn asks(&self, function: *const c_void) {
        self.write_of(b"asks ", function);
    }

    /// Logs the answer of the tool with this function.
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
            self.write(word, LoadedObject::of(function).as_ref().map_or(b"", LoadedObject::name));
        }
    }

    /// Logs the result of the search.
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

    /// Writes one line by one system call, so that lines of different processes don't mix.
    fn write(&self, word: &[u8], file: &[u8]) {
        let Some(to) = &self.file else { return };
        let interface: &[u8] = match self.interface {
            ToolKind::Tr2 => b" tr2 ",
            ToolKind::OpenMp5 => b" openmp_5 ",
        };
        to.write(&[digits(std::process::id().into(), DECIMAL, &mut [0; 20]), interface, word, file, b"\n"]);
    }
}

/// Path of the executable: the dynamic linker doesn't have it.
const OWN: &CStr = c"/proc/thread-self/exe";

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

//! The environment with which a process started.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;

use untrusted::proc_text;

use crate::process::Process;

/// Variables and their values (`/proc/PID/environ`), without those that the process has set later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment(Vec<u8>);

impl Environment {
    /// Reads the environment of a process.
    ///
    /// # Errors
    /// If the process doesn't exist, or may not be inspected.
    pub fn of(process: Process) -> io::Result<Self> {
        process.about_memory("environ", proc_text::LARGEST_WORDS).map(Self)
    }

    /// Value of a variable.
    pub fn value(&self, name: &str) -> Option<&OsStr> {
        let mut entries = self.0.split(|byte| *byte == 0);
        let value = entries.find_map(|entry| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"="))?;
        Some(OsStr::from_bytes(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_found_by_its_whole_name() {
        let value = |bytes: &[u8]| Environment(bytes.to_vec()).value("LD_PRELOAD").map(OsStr::to_owned);
        assert_eq!(value(b"A=1\0LD_PRELOAD=/x\0").unwrap(), "/x");
        assert_eq!(value(b"XLD_PRELOAD=/x\0"), None);
    }
}

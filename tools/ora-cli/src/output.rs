//! Where a report goes: stderr, or a file.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result};

/// One of the two.
pub(crate) enum Output {
    Stderr,
    File(File, String),
}

impl Output {
    /// To be called before the program runs: an hour later would be a bad time to learn that FILE can't be written.
    ///
    /// # Errors
    /// When the file can't be made.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(Self::Stderr) };
        let name = path.display().to_string();
        let file = File::create(path).with_context(|| format!("cannot write to {name}"))?;
        Ok(Self::File(file, name))
    }

    /// # Errors
    /// When the file can't be written.
    pub(crate) fn write(&mut self, text: &str) -> Result<()> {
        match self {
            // Whoever closed stderr doesn't want the table.
            Self::Stderr => io::stderr().write_all(text.as_bytes()).or(Ok(())),
            Self::File(file, name) => {
                file.write_all(text.as_bytes()).with_context(|| format!("cannot write to {name}"))
            }
        }
    }
}

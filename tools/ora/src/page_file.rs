//! Browser page in a file.

use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use page::Document;
use symbols::source::Sources;
use terminal::printable::Shown;

use crate::output_file::OutputFile;
use crate::output_name;

/// File that a page is written to. It is opened before the program runs, so that an error about it comes first.
pub(crate) struct PageFile(BufWriter<OutputFile>);

impl PageFile {
    /// Opens the file; as with `-o`, its name may contain `%r` and the like.
    ///
    /// # Errors
    /// If it can't be created.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let path = if path.starts_with("/dev") { path.to_owned() } else { output_name::expand_file(path) };
        let file = OutputFile::open(&path).with_context(|| format!("cannot write to {}", path.shown()))?;
        Ok(Self(BufWriter::new(file)))
    }

    /// Writes the page, whose content `document` generates.
    ///
    /// # Errors
    /// If it can't be written.
    pub(crate) fn write(&mut self, document: impl FnOnce(&mut Sources) -> Document) -> Result<()> {
        let document = document(&mut Sources::default());
        let written = page::write(&mut self.0, &document).and_then(|()| self.0.flush());
        written.with_context(|| format!("cannot write to {}", self.0.get_ref().path().shown()))
    }
}

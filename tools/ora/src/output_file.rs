//! File to which a command writes its answer.
//!
//! It is opened before the program runs, so that an error about it comes first. Only the first write changes it: if the program can't be
//! started, an older file keeps its content, and a new one is removed.
#![cfg_attr(
    not(test),
    expect(clippy::disallowed_methods, reason = "the user of `ora` has named them on the command line")
)]

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// File of an answer.
#[derive(Debug)]
pub(crate) struct OutputFile {
    file: File,
    path: PathBuf,
    /// True if this command has created the file.
    is_new: bool,
    is_written: bool,
}

impl OutputFile {
    /// Opens a file, or creates it.
    ///
    /// # Errors
    /// If it can't be written.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let (file, is_new) = match options.write(true).create_new(true).open(path) {
            Ok(file) => (file, true),
            // A link to a file that doesn't exist is followed, as by any other program.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                (OpenOptions::new().write(true).create(true).truncate(false).open(path)?, false)
            }
            Err(error) => return Err(error),
        };
        Ok(Self { file, path: path.to_owned(), is_new, is_written: false })
    }

    /// The file's path, as the user named it.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The open file.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Discards older content now, for a program that appends to the file.
    ///
    /// # Errors
    /// If it can't be written.
    pub(crate) fn empty(&self) -> io::Result<()> {
        if self.file.metadata()?.is_file() { self.file.set_len(0) } else { Ok(()) }
    }

    /// Keeps the file even if it is empty: the program that appends to it has started.
    pub(crate) fn keep(mut self) {
        self.is_written = true;
    }

    /// Removes the file again if this command has created it: the program has not started.
    pub(crate) fn undo(self) {
        if self.is_new && self.is_there().unwrap_or(false) {
            let _ = fs::remove_file(&self.path);
        }
    }

    /// Discards older content before the first write. Pipes and devices have none.
    fn begin(&mut self) -> io::Result<()> {
        if !self.is_written {
            self.empty()?;
        }
        self.is_written = true;
        Ok(())
    }

    /// True if the path still leads to the file that was opened.
    fn is_there(&self) -> io::Result<bool> {
        let (own, there) = (self.file.metadata()?, fs::symlink_metadata(&self.path)?);
        Ok((own.dev(), own.ino()) == (there.dev(), there.ino()))
    }

    fn is_empty(&self) -> bool {
        self.file.metadata().is_ok_and(|about| about.len() == 0)
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begin()?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.begin()?;
        self.file.flush()
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if self.is_new && !self.is_written && self.is_empty() && self.is_there().unwrap_or(false) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_nothing_is_written_to_is_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let [new, old] = ["new", "old"].map(|name| folder.path().join(name));
        fs::write(&old, "older content").unwrap();
        drop([&new, &old].map(|path| OutputFile::open(path).unwrap()));
        assert!(!new.exists());
        assert_eq!(fs::read(&old).unwrap(), b"older content");
    }

    #[test]
    fn what_is_written_takes_the_place_of_the_older_content() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old");
        for answer in ["longer than the next answer", "answer", ""] {
            let mut file = OutputFile::open(&path).unwrap();
            file.write_all(answer.as_bytes()).and_then(|()| file.flush()).unwrap();
            drop(file);
            assert_eq!(fs::read(&path).unwrap(), answer.as_bytes());
        }
    }

    #[test]
    fn another_file_of_the_name_is_not_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answer");
        let file = OutputFile::open(&path).unwrap();
        fs::remove_file(&path).unwrap();
        fs::write(&path, "").unwrap();
        drop(file);
        assert!(path.exists());
    }
}

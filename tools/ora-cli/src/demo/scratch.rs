//! A folder for a moment.

use std::env;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Gone when dropped.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// Makes one that nobody else may read.
    pub(crate) fn new() -> io::Result<Self> {
        let names = (0..100).map(|n| env::temp_dir().join(format!("ora-{}-{n}", std::process::id())));
        let mut taken = io::Error::from(io::ErrorKind::AlreadyExists);
        for path in names {
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
                Err(error) => return Err(error),
            }
        }
        Err(taken)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing can be done about a folder that won't go.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_are_different_and_both_go() {
        let (one, two) = (Scratch::new().unwrap(), Scratch::new().unwrap());
        let paths = [one.path().to_owned(), two.path().to_owned()];
        assert!(paths[0] != paths[1] && paths.iter().all(|path| path.is_dir()));
        fs::write(paths[0].join("file"), "x").unwrap();
        drop((one, two));
        assert!(!paths.iter().any(|path| path.exists()));
    }
}

//! Temporary folders.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;

use tempfile::{Builder, TempDir};

/// A new folder below `TMPDIR` that nobody else may read; gone when dropped.
pub(crate) fn folder() -> io::Result<TempDir> {
    Builder::new().prefix("ora-").permissions(Permissions::from_mode(0o700)).tempdir()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_else_may_read_it() {
        let mode = folder().unwrap().path().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}

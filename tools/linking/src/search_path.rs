//! Search for programs in the folders that PATH names.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The file that the first word of a command refers to.
pub fn file(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 || program.has_root() {
        Some(program.to_owned())
    } else {
        in_path(program.as_os_str())
    }
}

/// The file that a name refers to by PATH.
pub fn in_path(name: &OsStr) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

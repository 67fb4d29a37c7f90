//! Files that variables of the environment name.

use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// A file of this name with its length, open for reading. To be called while the library is loaded.
#[inline(never)]
pub(super) fn open(name: &CStr) -> Option<(File, u64)> {
    let path = Path::new(OsStr::from_bytes(name.to_bytes()));
    // What is no file could have the program wait, also if it takes the file's place just now: so the open doesn't wait either.
    let file = path.is_file().then(|| File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path).ok())??;
    let about = file.metadata().ok().filter(|about| about.is_file())?;
    Some((file, about.len()))
}

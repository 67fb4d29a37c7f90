//! Files that environment variables name.

use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// A file of this name with its length, open for reading. Called while the library is being loaded.
#[inline(never)]
pub(super) fn open(name: &CStr) -> Option<(File, u64)> {
    let path = Path::new(OsStr::from_bytes(name.to_bytes()));
    // Opening something that is not a file could block the program, even if it replaces the file just now: so the open is non-blocking.
    let file = path.is_file().then(|| File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path).ok())??;
    let about = file.metadata().ok().filter(|about| about.is_file())?;
    Some((file, about.len()))
}

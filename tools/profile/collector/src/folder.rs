//! The process's own folder in the profile.

use std::ffi::CStr;

use crate::arena::Arena;
use crate::setting::Setting;
use crate::system;
use crate::text::Text;

/// Maximum number of folders that are tried: for images of one process, and processes of other machines that have the
/// same number.
const SAME_NAME: u64 = 10_000;
/// Memory for paths, of this process and of those that it was forked from.
static PATHS: Arena = Arena::new(1 << 16);

/// Creates the folder, and returns the path of the file to be created in it; otherwise an error number. `path` is room for it.
pub(crate) fn make(setting: &Setting, path: &mut Text<4096>) -> Result<&'static CStr, i32> {
    // The command has created it, but perhaps on another machine.
    let _ = system::make_folder(setting.folder.c());
    path.cut(0).push(setting.folder.bytes()).push(b"/");
    if !setting.rank.bytes().is_empty() {
        path.push(b"rank-").push(setting.rank.bytes()).push(b".");
    }
    path.push(b"pid-").number(u64::from(system::process().unsigned_abs()));
    let stem = path.bytes().len();
    for time in 1..SAME_NAME {
        path.cut(stem);
        if time > 1 {
            path.push(b".").number(time);
        }
        match system::make_folder(path.c()) {
            Ok(()) => return file_in(path),
            Err(libc::EEXIST) => {}
            Err(error) => return Err(error),
        }
    }
    Err(libc::EEXIST)
}

fn file_in(path: &mut Text<4096>) -> Result<&'static CStr, i32> {
    path.push(b"/").push(profile_format::FILE.as_bytes());
    let kept = PATHS.keep(path.c().to_bytes_with_nul()).ok_or(libc::ENOMEM)?;
    CStr::from_bytes_with_nul(kept).map_err(|_| libc::ENAMETOOLONG)
}

//! Files that are kept from one run to the next, in the user's cache (XDG Base Directory Specification).
//!
//! What is read there may be believed as far as the user's own files: nobody but root and the user can change the folder, or put
//! another one in its place. Elsewhere nothing is kept. The names are hexadecimal numbers with dots; nothing else in the folder is touched.

use std::env;
use std::ffi::{CString, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fstat, mkdirat, openat, renameat, statat, unlinkat};
use rustix::process::geteuid;

use crate::trusted::Trust;

/// Variable that names another folder, or `none`.
pub const VARIABLE: &str = "ORA_CACHE";
/// Most bytes of one file.
pub const MAX_FILE: u64 = 4 << 20;
/// Most bytes, and most files, of a folder. Past them the oldest ones are removed.
const MAX_BYTES: u64 = 64 << 20;
const MAX_FILES: usize = 1_000;
/// Most entries that are looked at.
const MAX_ENTRIES: usize = 100_000;
/// Write permissions of others than the owner.
const OTHERS_WRITE: u32 = 0o022;

/// A folder of the cache.
#[derive(Debug)]
pub struct Cache {
    folder: OwnedFd,
}

impl Cache {
    /// The folder of this name, which is made if need be. `None`: nothing can be kept, or shall be.
    pub fn open(name: &str) -> Option<Self> {
        let folder = place(|name| env::var_os(name).filter(|value| !value.is_empty()))?;
        Self::at(&folder.join(name))
    }

    fn at(folder: &Path) -> Option<Self> {
        let trust = Trust::own();
        trust.place(folder).ok()?;
        make(folder)?;
        // Nobody else can exchange it from here on.
        trust.place(folder).ok()?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = openat(CWD, folder, flags, Mode::empty()).ok()?;
        is_own(&fstat(&folder).ok()?).then_some(Self { folder })
    }

    /// Content of the entry with this name.
    pub fn read(&self, name: &str) -> Option<Vec<u8>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = openat(&self.folder, is_name(name).then_some(name)?, flags, Mode::empty()).ok()?;
        let about = fstat(&file).ok()?;
        let is_file = FileType::from_raw_mode(about.st_mode).is_file() && is_own(&about);
        if !is_file || u64::try_from(about.st_size).ok()? > MAX_FILE {
            return None;
        }
        let mut bytes = Vec::new();
        File::from(file).take(MAX_FILE).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Keeps something under a name.
    ///
    /// # Errors
    /// If it is too large, or can't be written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let size = bytes.len() as u64;
        if !is_name(name) || size > MAX_FILE {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        self.make_room(size)?;
        // Others read whole files only.
        let new = format!("{name}.{}", std::process::id());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(openat(&self.folder, &new, flags, Mode::RUSR | Mode::WUSR)?);
        let written = file.write_all(bytes).and_then(|()| Ok(renameat(&self.folder, &new, &self.folder, name)?));
        if written.is_err() {
            let _ = unlinkat(&self.folder, &new, AtFlags::empty());
        }
        written
    }

    /// Removes the oldest files, so that one more of this size has room.
    fn make_room(&self, size: u64) -> io::Result<()> {
        let mut known: Vec<(i64, u64, CString)> = Vec::new();
        for entry in Dir::read_from(&self.folder)?.take(MAX_ENTRIES) {
            let entry = entry?;
            let name = entry.file_name();
            if !name.to_str().is_ok_and(is_name) {
                continue;
            }
            let Ok(about) = statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
            #[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "the type differs between processors")]
            known.push((about.st_mtime as i64, u64::try_from(about.st_size).unwrap_or(0), name.to_owned()));
        }
        known.sort();
        let mut bytes = known.iter().map(|(_, size, _)| size).sum::<u64>() + size;
        let mut count = known.len() + 1;
        for (_, size, name) in known {
            if bytes <= MAX_BYTES && count <= MAX_FILES {
                break;
            }
            let _ = unlinkat(&self.folder, name, AtFlags::empty());
            (bytes, count) = (bytes - size, count - 1);
        }
        Ok(())
    }
}

/// The folder for all of the command's caches.
fn place(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let folder = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    match variable(VARIABLE) {
        // A relative path is none (XDG Base Directory Specification).
        Some(_) => folder(VARIABLE),
        None => folder("XDG_CACHE_HOME")
            .or_else(|| folder("HOME").map(|home| home.join(".cache")))
            .map(|cache| cache.join("ora")),
    }
}

/// Makes a folder, and those above it.
fn make(folder: &Path) -> Option<()> {
    let mut above: Vec<&Path> = folder.ancestors().collect();
    above.reverse();
    for path in above {
        match mkdirat(CWD, path, Mode::RWXU) {
            Ok(()) | Err(rustix::io::Errno::EXIST | rustix::io::Errno::ROFS | rustix::io::Errno::ACCESS) => {}
            Err(_) => return None,
        }
    }
    Some(())
}

fn is_own(about: &Stat) -> bool {
    about.st_uid == geteuid().as_raw() && about.st_mode & OTHERS_WRITE == 0
}

fn is_name(name: &str) -> bool {
    name.len() > 2
        && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'.'))
        && !name.starts_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn what_is_kept_is_found_again_and_links_pipes_and_others_files_are_not_read() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("a/b");
        let cache = Cache::at(&folder).unwrap();
        assert_eq!(cache.read("12ab"), None);
        cache.write("12ab", b"first").unwrap();
        cache.write("12ab", b"second").unwrap();
        assert_eq!(Cache::at(&folder).unwrap().read("12ab").unwrap(), b"second");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        for name in ["", "..", "../12ab", "12ag", "ab/cd"] {
            assert!(cache.read(name).is_none() && cache.write(name, b"").is_err(), "{name}");
        }
        symlink(folder.join("12ab"), folder.join("34ab")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(folder.join("56ab")).status().unwrap().success());
        fs::write(folder.join("78ab"), "x").unwrap();
        mode(&folder.join("78ab"), 0o666);
        assert_eq!(["34ab", "56ab", "78ab"].map(|name| cache.read(name)), [const { None }; 3]);
    }

    #[test]
    fn nothing_is_kept_where_others_may_write() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("cache");
        fs::create_dir(&folder).unwrap();
        for (of_place, of_folder, is_kept) in
            [(0o755, 0o755, true), (0o755, 0o777, false), (0o777, 0o755, false), (0o755, 0o1777, false)]
        {
            mode(place.path(), of_place);
            mode(&folder, of_folder);
            assert_eq!(Cache::at(&folder).is_some(), is_kept, "{of_place:o} {of_folder:o}");
        }
        mode(place.path(), 0o755);
        symlink(&folder, place.path().join("link")).unwrap();
        assert!(Cache::at(&place.path().join("link")).is_none());
    }

    #[test]
    fn the_oldest_files_make_room_and_others_stay() {
        let place = tempfile::tempdir().unwrap();
        let cache = Cache::at(place.path()).unwrap();
        fs::write(place.path().join("notes.txt"), "mine").unwrap();
        let old = fs::File::create(place.path().join("aaaa")).unwrap();
        old.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        for number in 1..MAX_FILES {
            fs::write(place.path().join(format!("{number:04x}")), "").unwrap();
        }
        cache.write("ffff", b"new").unwrap();
        assert!(cache.read("aaaa").is_none() && cache.read("ffff").is_some());
        assert!(place.path().join("notes.txt").exists());
        assert!(cache.write("eeee", &vec![0; 5 << 20]).is_err());
    }

    #[test]
    fn the_folder_is_where_the_environment_says() {
        let all = [("ORA_CACHE", "/o"), ("XDG_CACHE_HOME", "/x"), ("HOME", "/h")];
        let from =
            |from: usize| place(|name| all.iter().skip(from).find(|(own, _)| *own == name).map(|(_, it)| it.into()));
        let expected = ["/o", "/x/ora", "/h/.cache/ora"].map(|path| Some(PathBuf::from(path)));
        assert_eq!([0, 1, 2].map(from), expected);
        assert_eq!(from(3), None);
        assert_eq!(place(|name| Some(if name == VARIABLE { "none".into() } else { "/x".into() })), None);
    }
}

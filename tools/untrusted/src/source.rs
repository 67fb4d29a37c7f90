//! Source files, opened by the names in debug information and recordings.
//!
//! Debug information can name any file as a source (`#line 1 "/etc/shadow"`). A report shows its lines, perhaps to others than
//! the reader. So a reader with more rights than usual reads only sources that everybody may read.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::{File, read_dir};
use std::io::{self, Error, ErrorKind};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{CWD, FileType, Mode, OFlags, Stat, fstat, fstatfs, openat};
use rustix::process::geteuid;
use rustix::thread::{self, CapabilitySet};

use crate::{handle, regular};

/// File systems whose files have different content for root than for others regardless of their modes, or whose files are
/// provided by a process (linux/magic.h): proc, sysfs, debugfs, tracefs, securityfs, FUSE.
const UNUSUAL: [u32; 6] = [0x9fa0, 0x6265_6572, 0x6462_6720, 0x7472_6163, 0x7363_6673, 0x6573_5546];

/// Maximum number of names of folders that are compared with the replaced ones of a path.
const MAX_NAMES: usize = 10_000;

/// Reads a whole source file of at most `limit` bytes. Text for paths has U+FFFD in place of bytes that are not UTF-8: the file whose name
/// becomes the given one is read, if it is the only one.
///
/// # Errors
/// As for [`regular::read`]. [`ErrorKind::PermissionDenied`] if this process can read other users' files, and not everybody
/// may read this one.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    regular::whole(open(path)?, limit)
}

/// The same for a file that was last written before a time.
///
/// # Errors
/// As for [`read`]. [`ErrorKind::InvalidData`] if it was written later.
pub fn read_unchanged(path: &Path, limit: u64, since: SystemTime) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    if file.metadata()?.modified()? > since {
        return Err(Error::new(ErrorKind::InvalidData, "written later"));
    }
    regular::whole(file, limit)
}

fn open(path: &Path) -> io::Result<File> {
    let path = &*original(path)?;
    if is_privileged() { open_public(path) } else { regular::open(path) }
}

/// The path from which this one was made by replacing bytes that are not UTF-8.
fn original(path: &Path) -> io::Result<Cow<'_, Path>> {
    let is_replaced = |part: &OsStr| part.to_string_lossy().contains(char::REPLACEMENT_CHARACTER);
    if !is_replaced(path.as_os_str()) || path.exists() {
        return Ok(Cow::Borrowed(path));
    }
    let (mut found, mut left) = (PathBuf::new(), MAX_NAMES);
    for part in path.components() {
        let part = part.as_os_str();
        let mut name = part.to_owned();
        if is_replaced(part) && !found.join(part).exists() {
            name = only_original(&found, part, &mut left)?;
        }
        found.push(name);
    }
    Ok(Cow::Owned(found))
}

/// The only name in a folder that becomes this one by replacing. `left` is the number of names that may still be compared: a path may lead
/// through large folders many times.
fn only_original(folder: &Path, replaced: &OsStr, left: &mut usize) -> io::Result<OsString> {
    let mut only = None;
    for entry in read_dir(folder)? {
        *left = left.checked_sub(1).ok_or(ErrorKind::NotFound)?;
        let name = entry?.file_name();
        if name.to_string_lossy() == replaced.to_string_lossy() && only.replace(name).is_some() {
            return Err(ErrorKind::NotFound.into());
        }
    }
    only.ok_or_else(|| ErrorKind::NotFound.into())
}

/// True if the modes of files don't restrict what this process can read, or if that isn't known.
fn is_privileged() -> bool {
    let passes_modes = CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH;
    let has_right = |sets: thread::CapabilitySets| sets.effective.intersects(passes_modes);
    geteuid().is_root() || thread::capabilities(None).map_or(true, has_right)
}

/// Opens a regular file that everybody may read and reach through all folders of its path.
fn open_public(path: &Path) -> io::Result<File> {
    const SEARCH: u32 = 0o011;
    const READ: u32 = 0o044;
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let named = openat(CWD, path, flags, Mode::empty())?;
    let about = fstat(&named)?;
    if FileType::from_raw_mode(about.st_mode) != FileType::RegularFile {
        return Err(Error::new(ErrorKind::InvalidInput, "not a regular file"));
    }
    // Links are resolved already. The folders are opened one after the other by their handles, down to the same file: if
    // one is replaced meanwhile, the walk ends at another file, or leads through a folder that is checked as well.
    let mut reached: OwnedFd = openat(CWD, "/", flags, Mode::empty())?;
    for part in real_path(&named)?.components() {
        let Component::Normal(part) = part else { continue };
        require(&fstat(&reached)?, SEARCH)?;
        reached = openat(&reached, part, flags | OFlags::NOFOLLOW, Mode::empty())?;
    }
    let last = fstat(&reached)?;
    if (last.st_dev, last.st_ino) != (about.st_dev, about.st_ino) {
        return Err(not_public());
    }
    require(&last, READ)?;
    let filesystem = fstatfs(&reached)?.f_type;
    if UNUSUAL.iter().any(|magic| i64::from(*magic) == filesystem) {
        return Err(not_public());
    }
    handle::open(&reached, OFlags::RDONLY)
}

fn real_path(file: &OwnedFd) -> io::Result<PathBuf> {
    let path = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
    if path.is_absolute() { Ok(path) } else { Err(not_public()) }
}

/// Rejects a file to which the group or all others have fewer rights than needed.
fn require(about: &Stat, rights: u32) -> io::Result<()> {
    if about.st_mode & rights == rights { Ok(()) } else { Err(not_public()) }
}

fn not_public() -> Error {
    Error::new(ErrorKind::PermissionDenied, "not everybody may read it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_name_with_replaced_bytes_is_that_of_the_only_file_that_fits() {
        let place = tempfile::Builder::new().permissions(Permissions::from_mode(0o755)).tempdir_in("/tmp").unwrap();
        let named = |name: &[u8]| place.path().join(OsStr::from_bytes(name));
        let folder = named(b"r\xff");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join(OsStr::from_bytes(b"\xe9.c")), "text").unwrap();
        let path = place.path().join("r\u{fffd}/\u{fffd}.c");
        assert_eq!(read(&path, 4).unwrap(), b"text");
        fs::create_dir(named(b"r\xfe")).unwrap();
        assert_eq!(read(&path, 4).unwrap_err().kind(), ErrorKind::NotFound);
        // The name itself takes precedence.
        fs::create_dir(named("r\u{fffd}".as_bytes())).unwrap();
        fs::write(&path, "own").unwrap();
        assert_eq!(read(&path, 4).unwrap(), b"own");
    }

    #[test]
    fn names_past_the_bound_fit_nothing() {
        let place = tempfile::tempdir_in("/tmp").unwrap();
        for name in [b"\xff.c", b"abc"] {
            fs::write(place.path().join(OsStr::from_bytes(name)), "").unwrap();
        }
        let found = |mut left| only_original(place.path(), OsStr::new("\u{fffd}.c"), &mut left).is_ok();
        assert_eq!([0, 1, 2].map(found), [false, false, true]);
    }

    #[test]
    fn a_privileged_reader_reads_sources_that_everybody_may_read() {
        let place = tempfile::tempdir_in("/tmp").unwrap();
        let folder = place.path().join("folder");
        let file = folder.join("a.c");
        let link = place.path().join("link.c");
        fs::create_dir(&folder).unwrap();
        fs::write(&file, "text").unwrap();
        symlink("folder/a.c", &link).unwrap();
        let set = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        for (place_mode, folder_mode, file_mode, is_public) in [
            (0o755, 0o755, 0o644, true),
            (0o711, 0o711, 0o444, true),
            (0o755, 0o755, 0o600, false),
            (0o755, 0o755, 0o640, false),
            // All users except a group.
            (0o755, 0o755, 0o604, false),
            (0o755, 0o700, 0o644, false),
            (0o700, 0o755, 0o644, false),
        ] {
            set(place.path(), place_mode);
            set(&folder, folder_mode);
            set(&file, file_mode);
            for path in [&file, &link] {
                let modes = format!("{place_mode:o} {folder_mode:o} {file_mode:o}");
                assert_eq!(open_public(path).is_ok(), is_public, "{modes}");
                if is_privileged() {
                    assert_eq!(read(path, 4).is_ok(), is_public, "{modes}");
                }
            }
        }
        for path in ["/proc/self/maps", "/proc/1/maps", "/proc/self/root/proc/version", "/dev/zero", "/"] {
            open_public(Path::new(path)).unwrap_err();
        }
    }
}

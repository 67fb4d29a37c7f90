//! Files that only root or this process's user can change, given all components of their paths. Some programs run code from
//! the files that they examine; these files may be handed to them.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use rustix::process::{getegid, geteuid};

use crate::regular;

/// The kernel follows the same number of links (path_resolution(7)).
const MAX_LINKS: usize = 40;
const WRITABLE_BY_GROUP: u32 = 0o020;
const WRITABLE_BY_OTHERS: u32 = 0o002;
const STICKY: u32 = 0o1000;
/// File systems provided by ordinary users' programs, which may claim any owner (`FUSE_SUPER_MAGIC` of
/// linux/magic.h).
const FUSE: i64 = 0x6573_5546;
/// Maximum size of a list of users or groups that is read, in bytes.
const LARGEST_LIST: u64 = 1 << 20;

/// The part of a path that someone else can change, or a file that isn't regular.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt(pub PathBuf);

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.display())
    }
}

/// Users whose files are trusted: root, and this process's effective user.
#[derive(Clone, Copy, Debug)]
pub struct Trust {
    user: u32,
    /// The group that has only this user as a member.
    private_group: Option<u32>,
}

impl Trust {
    /// The trust of this process.
    pub fn own() -> Self {
        let (user, group) = (geteuid().as_raw(), getegid().as_raw());
        let list = |path: &str| {
            regular::read(Path::new(path), LARGEST_LIST).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).ok()
        };
        let private = || is_private(user, group, &list("/etc/group")?, &list("/etc/passwd")?).then_some(group);
        Self { user, private_group: private() }
    }

    /// The regular file at a path, with links resolved.
    ///
    /// # Errors
    /// The part of the path that someone else can change, or the path if it doesn't lead to a regular file.
    pub fn file(&self, path: &Path) -> Result<PathBuf, Doubt> {
        match self.resolve(path)? {
            Some((file, about)) if about.is_file() => Ok(file),
            _ => Err(Doubt(path.to_owned())),
        }
    }

    /// Checks a path that need not exist. Nobody else can then create a file there.
    ///
    /// # Errors
    /// As [`Self::file`], and if it is a pipe or a device.
    pub fn place(&self, path: &Path) -> Result<(), Doubt> {
        match self.resolve(path)? {
            Some((_, about)) if !about.is_file() && !about.is_dir() => Err(Doubt(path.to_owned())),
            _ => Ok(()),
        }
    }

    /// Resolves a path as the kernel does, and checks each component before the next one is looked up in it.
    fn resolve(&self, path: &Path) -> Result<Option<(PathBuf, Metadata)>, Doubt> {
        let doubt = || Doubt(path.to_owned());
        let whole = std::path::absolute(path).map_err(|_| doubt())?;
        let mut rest: VecDeque<OsString> = parts(&whole);
        let mut links = 0;
        let mut now = PathBuf::from("/");
        let mut about = fs::symlink_metadata(&now).map_err(|_| doubt())?;
        self.check(&now, &about, None)?;
        while let Some(part) = rest.pop_front() {
            if part == ".." {
                now.pop();
                about = fs::symlink_metadata(&now).map_err(|_| doubt())?;
                continue;
            }
            let next = now.join(&part);
            let there = match fs::symlink_metadata(&next) {
                Ok(there) => there,
                Err(error) if error.kind() == ErrorKind::NotFound && !self.is_writable_by_others(&about) => {
                    return Ok(None);
                }
                Err(error) if error.kind() == ErrorKind::NotADirectory => return Ok(None),
                Err(_) => return Err(Doubt(next)),
            };
            self.check(&next, &there, Some(about.dev()))?;
            if there.is_symlink() {
                links += 1;
                let target = fs::read_link(&next).ok().filter(|_| links <= MAX_LINKS).ok_or_else(doubt)?;
                if target.is_absolute() {
                    now = PathBuf::from("/");
                    about = fs::symlink_metadata(&now).map_err(|_| doubt())?;
                }
                let target = parts(&target);
                target.into_iter().rev().for_each(|part| rest.push_front(part));
                continue;
            }
            (now, about) = (next, there);
        }
        Ok(Some((now, about)))
    }

    /// Checks one component of a path. `above` is the file system in which it was looked up.
    fn check(&self, path: &Path, about: &Metadata, above: Option<u64>) -> Result<(), Doubt> {
        let owned = about.uid() == 0 || about.uid() == self.user;
        // In a sticky folder only the owner of an entry can replace it. The mode of a link itself doesn't matter.
        let safe =
            about.is_symlink() || !self.is_writable_by_others(about) || (about.is_dir() && about.mode() & STICKY != 0);
        let crossed = above != Some(about.dev()) && !about.is_symlink();
        #[allow(clippy::unnecessary_cast, reason = "the type differs between processors")]
        let of_a_program = || rustix::fs::statfs(path).is_ok_and(|system| system.f_type as i64 == FUSE);
        if owned && safe && !(crossed && of_a_program()) { Ok(()) } else { Err(Doubt(path.to_owned())) }
    }

    fn is_writable_by_others(&self, about: &Metadata) -> bool {
        let by_group = about.mode() & WRITABLE_BY_GROUP != 0 && self.private_group != Some(about.gid());
        by_group || about.mode() & WRITABLE_BY_OTHERS != 0
    }
}

fn parts(path: &Path) -> VecDeque<OsString> {
    let kept = |part: &Component<'_>| matches!(part, Component::Normal(_) | Component::ParentDir);
    path.components().filter(kept).map(|part| part.as_os_str().to_owned()).collect()
}

/// True if a group has the user's number and no other member: many systems create such a group for each user, and
/// make new files writable for it.
fn is_private(user: u32, group: u32, groups: &str, users: &str) -> bool {
    let field = |line: &str, at: usize| line.split(':').nth(at).map(str::to_owned);
    let is = |line: &str, at: usize, number: u32| field(line, at).is_some_and(|text| text == number.to_string());
    let mut known = groups.lines().filter(|line| is(line, 2, group)).peekable();
    let shared = |line: &str| is(line, 3, group) && !is(line, 2, user);
    user != 0
        && user == group
        && known.peek().is_some()
        && known.all(|line| field(line, 3).is_some_and(|members| members.is_empty()))
        && !users.lines().any(shared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{Permissions, create_dir, set_permissions, write};
    use std::os::unix::fs::{PermissionsExt as _, lchown, symlink};

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    #[test]
    fn a_file_is_trusted_by_each_part_of_its_path() {
        let folder = folder();
        let trust = Trust { private_group: None, ..Trust::own() };
        let (inner, file) = (folder.path().join("inner"), folder.path().join("inner/file"));
        create_dir(&inner).unwrap();
        write(&file, "").unwrap();
        let mode = |path: &Path, mode| set_permissions(path, Permissions::from_mode(mode)).unwrap();
        mode(&inner, 0o755);
        mode(&file, 0o644);
        let real = file.canonicalize().unwrap();
        assert_eq!(trust.file(&file), Ok(real.clone()));
        symlink("inner/../inner/file", folder.path().join("link")).unwrap();
        assert_eq!(trust.file(&folder.path().join("link")), Ok(real));
        mode(&file, 0o664);
        assert_eq!(trust.file(&file), Err(Doubt(file.clone())));
        mode(&file, 0o644);
        // The user's own file in a sticky folder can't be replaced; a missing one could be created by anybody.
        mode(&inner, 0o1777);
        assert!(trust.file(&file).is_ok() && trust.place(&inner.join("none")).is_err());
        mode(&inner, 0o777);
        assert_eq!(trust.file(&file), Err(Doubt(inner.clone())));
        mode(&inner, 0o755);
        assert!(trust.place(&inner.join("none/below")).is_ok() && trust.file(&inner.join("none")).is_err());
        assert!(trust.file(&inner).is_err() && trust.place(&inner).is_ok());
        assert!(trust.place(Path::new("/dev/zero")).is_err());
    }

    #[test]
    fn what_another_user_has_chosen_is_not_trusted() {
        let folder = folder();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        write(&file, "").unwrap();
        symlink(&file, &link).unwrap();
        if lchown(&link, Some(65534), None).is_err() {
            return; // Only root can give a link away.
        }
        assert!(Trust::own().file(&file).is_ok());
        assert_eq!(Trust::own().file(&link), Err(Doubt(link)));
        lchown(&file, Some(65534), None).unwrap();
        assert_eq!(Trust::own().file(&file), Err(Doubt(file)));
    }

    #[test]
    fn a_private_group_has_nobody_else_in_it() {
        let (groups, users) = ("me:x:1000:\n", "me:x:1000:1000::/:\n");
        assert!(is_private(1000, 1000, groups, users));
        assert!(!is_private(1000, 1000, "me:x:1000:you\n", users) && !is_private(1000, 1000, "", users));
        assert!(!is_private(1000, 1000, groups, "you:x:1001:1000::/:\n") && !is_private(0, 0, "root:x:0:\n", ""));
    }
}

//! Rights of a process to files: user, group, supplementary groups and capabilities (credentials(7),
//! capabilities(7)).

use std::fs::File;
use std::io::{self, Error, ErrorKind, Read as _};
use std::os::fd::OwnedFd;

use rustix::fs::{Gid, Mode, OFlags, Uid, openat, readlinkat};
use rustix::thread::{self, CapabilitySet, CapabilitySets};

/// Maximum length of a status that is read, in bytes. Usually it has some 1,500; 65,536 groups of ten digits are
/// possible.
const LARGEST_STATUS: u64 = 1 << 20;
/// Maximum number of groups of a process (`NGROUPS_MAX`).
const MAX_GROUPS: usize = 1 << 16;
/// Maximum length of a list of groups that fits into one argument of a program, in bytes (execve(2)), minus the other
/// words.
const LARGEST_WORD: usize = 100_000;

/// Credentials of a process that matter for access to files. They are read from its status once; the process may end
/// or change afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rights {
    user: u32,
    group: u32,
    groups: Vec<u32>,
    /// Effective capabilities; empty for a process of another user namespace, whose capabilities apply only to what
    /// belongs to that namespace.
    capabilities: u64,
}

impl Rights {
    /// The rights of the process with this folder in `/proc`.
    ///
    /// # Errors
    /// If the process has ended, or may not be inspected.
    pub(crate) fn of(folder: &OwnedFd) -> io::Result<Self> {
        let mut status = Vec::new();
        let file: File = openat(folder, "status", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?.into();
        file.take(LARGEST_STATUS).read_to_end(&mut status)?;
        let mut rights = Self::of_status(&String::from_utf8_lossy(&status)).ok_or(ErrorKind::InvalidData)?;
        let own = std::fs::read_link("/proc/self/ns/user")?;
        let same_namespace = readlinkat(folder, "ns/user", Vec::new())
            .is_ok_and(|theirs| theirs.as_bytes() == std::os::unix::ffi::OsStrExt::as_bytes(own.as_os_str()));
        if !same_namespace {
            rights.capabilities = 0;
        }
        Ok(rights)
    }

    /// The rights listed in a status. Of the four users and groups, the last one matters for files (proc(5)).
    fn of_status(status: &str) -> Option<Self> {
        let value = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        let fourth = |name: &str| value(name)?.split_whitespace().nth(3)?.parse().ok();
        let groups = value("Groups")?.split_whitespace().take(MAX_GROUPS).map(|group| group.parse().ok());
        Some(Self {
            user: fourth("Uid")?,
            group: fourth("Gid")?,
            groups: groups.collect::<Option<_>>()?,
            capabilities: u64::from_str_radix(value("CapEff")?.trim(), 16).ok()?,
        })
    }

    /// The user who owns the files that the process creates.
    pub fn user(&self) -> u32 {
        self.user
    }

    /// The rights as one word, for [`Rights::of_word`].
    ///
    /// # Errors
    /// If there are more groups than fit into a word of a command line.
    pub(crate) fn word(&self) -> io::Result<String> {
        let groups: Vec<String> = self.groups.iter().map(u32::to_string).collect();
        let word = format!("{}:{}:{:x}:{}", self.user, self.group, self.capabilities, groups.join(","));
        if word.len() > LARGEST_WORD {
            return Err(Error::new(ErrorKind::Unsupported, "the process has too many groups"));
        }
        Ok(word)
    }

    /// The rights that a word describes.
    pub(crate) fn of_word(word: &str) -> Option<Self> {
        let mut parts = word.splitn(4, ':');
        let (user, group) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let capabilities = u64::from_str_radix(parts.next()?, 16).ok()?;
        let groups = parts.next()?.split(',').filter(|group| !group.is_empty()).map(|group| group.parse().ok());
        Some(Self { user, group, groups: groups.collect::<Option<_>>()?, capabilities })
    }

    /// Gives this process, which must have only one thread, exactly these rights, permanently.
    ///
    /// A process that may not change users keeps its own rights if the user is the same: it has no rights of other
    /// users to drop.
    ///
    /// # Errors
    /// If a step is refused. The process must not continue then.
    pub(crate) fn take(&self) -> io::Result<()> {
        let own = thread::capabilities(None)?;
        let status = std::fs::read_to_string("/proc/self/status")?;
        let now = Self::of_status(&status).ok_or(ErrorKind::InvalidData)?;
        let can_change = own.effective.contains(CapabilitySet::SETUID | CapabilitySet::SETGID);
        if can_change {
            let groups: Vec<Gid> = self.groups.iter().map(|group| Gid::from_raw(*group)).collect();
            let (user, group) = (Uid::from_raw(self.user), Gid::from_raw(self.group));
            // Skipped where nothing would change, so that it also works in a user namespace that forbids `setgroups`.
            if now.groups != self.groups {
                thread::set_thread_groups(&groups)?;
            }
            thread::set_thread_res_gid(group, group, group)?;
            thread::set_thread_res_uid(user, user, user)?;
        } else if now.user != self.user {
            return Err(ErrorKind::PermissionDenied.into());
        }
        let left = thread::capabilities(None)?.permitted & CapabilitySet::from_bits_retain(self.capabilities);
        let none = CapabilitySet::empty();
        thread::set_capabilities(None, CapabilitySets { effective: left, permitted: left, inheritable: none })?;
        let after = Self::of_status(&std::fs::read_to_string("/proc/self/status")?).ok_or(ErrorKind::InvalidData)?;
        let as_wanted = after.user == self.user && after.capabilities & !self.capabilities == 0;
        let same_groups = !can_change || (after.group == self.group && after.groups.len() == self.groups.len());
        if as_wanted && same_groups { Ok(()) } else { Err(ErrorKind::PermissionDenied.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: &str =
        "Name:\tUid: 7\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nGroups:\t10 20 \nCapEff:\t00000000a80425fb\n";

    #[test]
    fn the_user_and_group_of_files_are_the_fourth() {
        let rights = Rights::of_status(STATUS).unwrap();
        assert_eq!((rights.user, rights.group, rights.groups.as_slice()), (4, 8, &[10, 20][..]));
        assert_eq!(rights.capabilities, 0xa804_25fb);
        assert_eq!(Rights::of_status("Name:\tUid: 7\n"), None);
    }

    #[test]
    fn rights_that_are_passed_on_as_a_word_stay_the_same() {
        let rights = Rights::of_status(STATUS).unwrap();
        assert_eq!(Rights::of_word(&rights.word().unwrap()), Some(rights.clone()));
        let without_groups = Rights { groups: Vec::new(), ..rights };
        assert_eq!(Rights::of_word(&without_groups.word().unwrap()), Some(without_groups));
        for word in ["", "1", "1:2", "1:2:3", "-1:2:3:", "1:2:3:x", "1:2:3:4:5"] {
            assert_eq!(Rights::of_word(word), None, "{word}");
        }
    }
}

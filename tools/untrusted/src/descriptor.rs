//! Descriptors of another process, by numbers which that process controls.
//!
//! A number may refer to another file at each look-up. So the file is looked up once, as a handle (`O_PATH`, which opens the file
//! without effect), checked through that handle, and opened through it. A file that passes the checks belongs to the process's own
//! user, who is free to do with it anything that we do.

use std::fs::File;
use std::io::{self, Error, ErrorKind};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::path::Path;

use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, SealFlags, Stat, fcntl_get_seals, fstat, fstatfs, openat};

use crate::rights::Rights;
use crate::{beneath, handle};

/// `TMPFS_MAGIC` and `PIPEFS_MAGIC` (linux/magic.h).
const MEMORY_FILES: i64 = 0x0102_1994;
const PIPES: i64 = 0x5049_5045;
/// Maximum length of a thread's `stat` file, in bytes: 52 numbers and a name.
const LARGEST_STAT: usize = 1 << 12;

/// A process whose descriptors are looked up. It always refers to the same process: if that ends, another process
/// with the same number is not mistaken for it.
#[derive(Debug)]
pub struct OtherProcess {
    /// Its folder in `/proc`, which refers to this process only.
    folder: OwnedFd,
    /// Its user, groups and capabilities when it was opened.
    rights: Rights,
}

impl OtherProcess {
    /// The process with this number.
    ///
    /// # Errors
    /// If it doesn't exist, or its user isn't known.
    pub fn open(pid: u32) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = openat(CWD, format!("/proc/{pid}"), flags, Mode::empty())?;
        let rights = Rights::of(&folder)?;
        Ok(Self { folder, rights })
    }

    /// The user who owns the files that the process creates.
    pub fn user(&self) -> u32 {
        self.rights.user()
    }

    /// The rights that the process had when it was opened. They remain available after its end.
    pub fn rights(&self) -> &Rights {
        &self.rights
    }

    /// Its root folder, as a handle.
    ///
    /// # Errors
    /// If it has ended, or may not be inspected.
    pub fn root(&self) -> io::Result<OwnedFd> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let of_first = openat(&self.folder, "root", flags, Mode::empty());
        if of_first.is_ok() || !self.has_first_thread_ended() {
            return Ok(of_first?);
        }
        // All threads have the same one, except those that have ended.
        let threads =
            openat(&self.folder, "task", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let threads = Dir::read_from(&threads)?.flatten().map(|entry| entry.file_name().to_owned());
        let mut roots = threads.filter(|tid| tid.to_bytes().iter().all(u8::is_ascii_digit)).filter_map(|tid| {
            openat(&self.folder, format!("task/{}/root", tid.to_str().ok()?), flags, Mode::empty()).ok()
        });
        roots.next().map_or_else(|| Ok(of_first?), Ok)
    }

    /// A regular file by the path that it has for the process, as its mappings name it: in the process's root, with a path without
    /// links. Its owner isn't checked.
    ///
    /// # Errors
    /// If the file doesn't exist, or isn't a regular file.
    pub fn file(&self, path: &Path) -> io::Result<File> {
        let handle = beneath::handle(&self.root()?, path)?;
        if FileType::from_raw_mode(fstat(&handle)?.st_mode) != FileType::RegularFile {
            return Err(ErrorKind::InvalidInput.into());
        }
        handle::open(&handle, OFlags::RDONLY)
    }

    /// A memory file of the process (memfd_create(2)), opened for reading and writing. It may shrink at any time: see
    /// [`is_fixed`].
    ///
    /// # Errors
    /// If the number doesn't refer to such a file, or the file belongs to another user.
    pub fn memory(&self, number: i32) -> io::Result<File> {
        let handle = self.handle(number)?;
        let about = self.owned(&handle, FileType::RegularFile)?;
        if about.st_nlink != 0 || filesystem(&handle)? != MEMORY_FILES {
            return Err(unexpected("a memory file"));
        }
        let file = handle::open(&handle, OFlags::RDWR)?;
        // Files of other kinds don't support seals, or can't be sealed.
        if fcntl_get_seals(&file)?.contains(SealFlags::WRITE) {
            return Err(unexpected("a memory file that can be written"));
        }
        Ok(file)
    }

    /// The write end of one of the process's pipes: a descriptor of our own, which never blocks.
    ///
    /// # Errors
    /// If the number doesn't refer to a pipe, or the pipe belongs to another user.
    pub fn pipe(&self, number: i32) -> io::Result<File> {
        let handle = self.handle(number)?;
        self.owned(&handle, FileType::Fifo)?;
        if filesystem(&handle)? != PIPES {
            return Err(unexpected("a pipe without a name"));
        }
        handle::open(&handle, OFlags::WRONLY)
    }

    /// A folder, as a handle. It may belong to anybody: it is meant for code that acts with the process's rights
    /// ([`crate::acting`]).
    ///
    /// # Errors
    /// If the number doesn't refer to a folder.
    pub fn folder(&self, number: i32) -> io::Result<OwnedFd> {
        let handle = self.handle(number)?;
        let is_folder = FileType::from_raw_mode(fstat(&handle)?.st_mode).is_dir();
        if is_folder { Ok(handle) } else { Err(unexpected("a folder")) }
    }

    /// The process's memory, for reading and writing: the memory of the program that it executes now. A program that
    /// it executes later has other memory.
    ///
    /// # Errors
    /// If it has ended, or may not be traced.
    pub fn own_memory(&self) -> io::Result<File> {
        Ok(openat(&self.folder, "mem", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?.into())
    }

    /// The file `stat` of one of its threads, for [`thread_stat`]. It refers to this thread only.
    ///
    /// # Errors
    /// If the process doesn't have this thread.
    pub fn open_thread_stat(&self, tid: u32) -> io::Result<File> {
        let path = format!("task/{tid}/stat");
        Ok(openat(&self.folder, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?.into())
    }

    /// True if the first thread has ended by pthread_exit(3): it is a zombie.
    fn has_first_thread_ended(&self) -> bool {
        let stat = openat(&self.folder, "stat", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
        let stat = stat.ok().and_then(|stat| thread_stat(&stat.into()).ok());
        stat.is_some_and(|stat| stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z')))
    }

    fn handle(&self, number: i32) -> io::Result<OwnedFd> {
        Ok(openat(&self.folder, format!("fd/{number}"), OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?)
    }

    /// Checks that a file has this type and belongs to the process's user.
    fn owned(&self, handle: &OwnedFd, kind: FileType) -> io::Result<Stat> {
        let about = fstat(handle)?;
        if FileType::from_raw_mode(about.st_mode) != kind {
            return Err(unexpected("a file of that type"));
        }
        if about.st_uid != self.user() {
            return Err(unexpected("a file of the process's user"));
        }
        Ok(about)
    }
}

/// The current text of a thread's file `stat`.
///
/// # Errors
/// If the thread has ended.
pub fn thread_stat(file: &File) -> io::Result<String> {
    // The kernel returns all of it for a single read with a large enough buffer.
    let mut text = [0; LARGEST_STAT];
    let got = file.read_at(&mut text, 0)?;
    Ok(String::from_utf8_lossy(text.get(..got).unwrap_or_default()).into_owned())
}

/// True if a memory file can't change its size any more, and has at least this number of bytes, so that it may be
/// mapped.
///
/// # Errors
/// If the file isn't a memory file.
pub fn is_fixed(file: &File, bytes: u64) -> io::Result<bool> {
    let seals = fcntl_get_seals(file)?;
    Ok(seals.contains(SealFlags::SHRINK | SealFlags::GROW) && file.metadata()?.len() >= bytes)
}

fn filesystem(handle: &OwnedFd) -> io::Result<i64> {
    Ok(fstatfs(handle)?.f_type)
}

fn unexpected(wanted: &str) -> Error {
    Error::new(ErrorKind::PermissionDenied, format!("the process has exchanged a descriptor: it is not {wanted}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fd::{AsFd, AsRawFd};
    use rustix::fs::{MemfdFlags, fcntl_add_seals, memfd_create};
    use std::io::Write;

    fn number(file: &impl AsFd) -> i32 {
        file.as_fd().as_raw_fd()
    }

    fn own() -> OtherProcess {
        OtherProcess::open(std::process::id()).unwrap()
    }

    #[test]
    fn a_memory_file_is_taken_and_other_files_are_refused() {
        let file = memfd_create("of-a-test", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).unwrap();
        own().memory(number(&file)).unwrap().write_all(b"text").unwrap();
        assert_eq!(File::from(file).metadata().unwrap().len(), 4);
        let named = tempfile::NamedTempFile::new().unwrap();
        let nameless = tempfile::tempfile().unwrap();
        let folder = File::open("/").unwrap();
        for other in [named.as_file(), &nameless, &folder] {
            own().memory(number(other)).unwrap_err();
        }
        own().memory(-1).unwrap_err();
    }

    #[test]
    fn a_file_that_the_process_may_only_read_gains_nothing_by_the_number() {
        let named = tempfile::NamedTempFile::new().unwrap();
        let read_only = File::open(named.path()).unwrap();
        let path_only = openat(CWD, named.path(), OFlags::PATH, Mode::empty()).unwrap();
        own().memory(number(&read_only)).unwrap_err();
        own().memory(number(&path_only)).unwrap_err();
        own().pipe(number(&path_only)).unwrap_err();
    }

    #[test]
    fn memory_may_be_mapped_once_its_size_is_sealed() {
        let file = File::from(memfd_create("of-a-test", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).unwrap());
        file.set_len(4096).unwrap();
        assert!(!is_fixed(&file, 4096).unwrap());
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL).unwrap();
        assert!(is_fixed(&file, 4096).unwrap() && !is_fixed(&file, 4097).unwrap());
    }

    #[test]
    fn a_regular_file_is_opened_by_the_processs_path_and_links_and_pipes_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        std::fs::write(path.join("file"), b"text").unwrap();
        std::os::unix::fs::symlink("file", path.join("link")).unwrap();
        rustix::fs::mkfifoat(CWD, path.join("pipe"), Mode::RWXU).unwrap();
        assert_eq!(own().file(&path.join("file")).unwrap().metadata().unwrap().len(), 4);
        for name in ["link", "pipe", "none", "../file"] {
            own().file(&path.join(name)).unwrap_err();
        }
    }

    #[test]
    fn a_full_pipe_is_not_waited_for_and_a_named_one_is_refused() {
        let (_reader, writer) = std::io::pipe().unwrap();
        let mut taken = own().pipe(number(&writer)).unwrap();
        let mut written = 0;
        let refused = loop {
            match taken.write(&[0; 4096]) {
                Ok(bytes) => written += bytes,
                Err(error) => break error,
            }
        };
        assert_eq!(refused.kind(), ErrorKind::WouldBlock);
        assert!(written > 0);
        let folder = tempfile::tempdir().unwrap();
        let named = folder.path().join("pipe");
        rustix::fs::mkfifoat(CWD, &named, Mode::RWXU).unwrap();
        let named = openat(CWD, &named, OFlags::PATH, Mode::empty()).unwrap();
        own().pipe(number(&named)).unwrap_err();
    }
}

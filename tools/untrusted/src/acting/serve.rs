//! The helper itself: drops all rights that the process doesn't have, then answers requests until the connection ends.
#![allow(unsafe_code)] // closes inherited descriptors

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Error, ErrorKind};
use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, SeekFrom, Stat, fstat, openat, seek, statat, unlinkat};
use rustix::io::Errno;
use rustix::process::{DumpableBehavior, Resource, Rlimit, Signal};

use super::wire::{self, About, Entry, MAX_BYTES, Operation, Question};
use super::{HELPER, MAX_ENTRIES};
use crate::rights::Rights;
use crate::{beneath, handle};

/// Limit of the address space, in bytes: the program itself and some buffers.
const MAX_MEMORY: u64 = 1 << 30;
/// Limit of the processor time, in seconds.
const MAX_PROCESSOR_TIME: u64 = 600;
/// Maximum depth of a folder that is removed. The folders that the recorders create have two levels.
const MAX_DEPTH: u32 = 16;

/// Serves as a helper if these arguments request it. Must be called before anything else in `main`.
pub fn if_asked(words: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut words = words.into_iter();
    if words.next()? != HELPER {
        return None;
    }
    let words: Vec<String> = words.map_while(|word| word.into_string().ok()).collect();
    let [parent, rights] = words.as_slice() else { return Some(ExitCode::FAILURE) };
    let served = parent.parse().map_err(|_| ErrorKind::InvalidInput.into()).and_then(|parent| serve(parent, rights));
    Some(if served.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn serve(parent: i32, rights: &str) -> io::Result<()> {
    die_with(parent)?;
    close_others()?;
    let rights = Rights::of_word(rights).ok_or(ErrorKind::InvalidInput)?;
    // Descriptor 0 is the folder's handle, and descriptor 1 is the connection to the parent.
    let folder = io::stdin().as_fd().try_clone_to_owned()?;
    let mut socket = UnixStream::from(io::stdout().as_fd().try_clone_to_owned()?);
    let ready = give_up(&rights, parent);
    let is_ready = ready.is_ok();
    wire::write_answer(&mut socket, ready.map(|()| Vec::new()))?;
    let mut server = Server { folder, user: rights.user(), open: None };
    while is_ready && let Some(question) = Question::read(&mut socket)? {
        wire::write_answer(&mut socket, server.answer(&question))?;
    }
    Ok(())
}

/// Requests to be killed when the parent ends, and checks whether the parent has ended already.
fn die_with(parent: i32) -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    let same = rustix::process::getppid().is_some_and(|now| now.as_raw_nonzero().get() == parent);
    if same { Ok(()) } else { Err(ErrorKind::NotConnected.into()) }
}

/// Closes descriptors that `ora` itself has inherited without knowing it.
fn close_others() -> io::Result<()> {
    // SAFETY: takes numbers only (close_range(2)); this process has not opened anything yet that it uses.
    if unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, 0) } == 0 {
        return Ok(());
    }
    // Linux before 5.9. The list is completed before the first descriptor is closed, because it contains the
    // descriptor that the list is read from.
    let numbers =
        std::fs::read_dir("/proc/self/fd")?.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    for number in numbers.collect::<Vec<i32>>().into_iter().filter(|number| *number > 2) {
        // SAFETY: takes a number (close(2)); this process has not opened anything yet that it uses.
        unsafe { libc::close(number) };
    }
    Ok(())
}

/// Takes the process's rights, and limits what this helper can do with them.
fn give_up(rights: &Rights, parent: i32) -> io::Result<()> {
    let bound = |resource, most: u64| {
        // Only root may raise a limit that is already lower.
        let most = rustix::process::getrlimit(resource).maximum.map_or(most, |maximum| maximum.min(most));
        let limits = Rlimit { current: Some(most), maximum: Some(most) };
        rustix::process::setrlimit(resource, limits)
    };
    bound(Resource::As, MAX_MEMORY)?;
    bound(Resource::Cpu, MAX_PROCESSOR_TIME)?;
    bound(Resource::Fsize, 0)?;
    bound(Resource::Core, 0)?;
    rights.take()?;
    // The process's user may kill the helper, but neither read nor trace it.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    rustix::thread::set_no_new_privs(true)?;
    // The change of the user has reset this setting.
    die_with(parent)
}

struct Server {
    folder: OwnedFd,
    user: u32,
    open: Option<File>,
}

impl Server {
    fn answer(&mut self, question: &Question) -> io::Result<Vec<u8>> {
        let path = &question.path;
        match question.operation {
            Operation::List => self.list(path),
            Operation::Open => self.open(path).map(About::bytes),
            Operation::Read => {
                let mut content = vec![0; MAX_BYTES.min(question.bytes as usize)];
                let read = self.file()?.read_at(&mut content, question.offset)?;
                content.truncate(read);
                Ok(content)
            }
            Operation::Data => next_data(self.file()?, question.offset).map(wire::part_bytes),
            Operation::Remove => self.remove(path).map(|()| Vec::new()),
        }
    }

    fn file(&self) -> io::Result<&File> {
        Ok(self.open.as_ref().ok_or(Errno::BADF)?)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<u8>> {
        let folder = self.folder_at(&self.folder, path)?;
        let mut all = Vec::new();
        for (number, entry) in Dir::read_from(&folder)?.enumerate() {
            let entry = entry?;
            let name = entry.file_name();
            if number >= MAX_ENTRIES || all.len() >= MAX_BYTES {
                return Err(ErrorKind::FileTooLarge.into());
            }
            // The folder may have been removed since.
            let Ok(about) = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
            let kind = FileType::from_raw_mode(about.st_mode);
            if wire::is_name(name.to_bytes()) && (kind.is_dir() || kind.is_file()) && about.st_uid == self.user {
                let name = std::ffi::OsStr::from_bytes(name.to_bytes()).into();
                Entry { name, is_folder: kind.is_dir() }.write(&mut all)?;
            }
        }
        Ok(all)
    }

    fn open(&mut self, path: &Path) -> io::Result<About> {
        self.open = None;
        let file = beneath::handle(&self.folder, path)?;
        let about = self.owned(&file, FileType::RegularFile)?;
        self.open = Some(handle::open(&file, OFlags::RDONLY)?);
        Ok(About { size: u64::try_from(about.st_size).unwrap_or(0), inode: about.st_ino })
    }

    /// Opens one of the user's folders.
    fn folder_at(&self, place: &impl AsFd, path: &Path) -> io::Result<OwnedFd> {
        let folder = beneath::handle(place, path)?;
        self.owned(&folder, FileType::Directory)?;
        Ok(openat(&folder, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
    }

    fn owned(&self, file: &OwnedFd, kind: FileType) -> io::Result<Stat> {
        let about = fstat(file)?;
        let as_wanted = FileType::from_raw_mode(about.st_mode) == kind && about.st_uid == self.user;
        if as_wanted { Ok(about) } else { Err(ErrorKind::PermissionDenied.into()) }
    }

    fn remove(&self, name: &Path) -> io::Result<()> {
        if !wire::is_name(name.as_os_str().as_bytes()) {
            return Err(ErrorKind::InvalidInput.into());
        }
        let folder = self.folder_at(&self.folder, name)?;
        let mut left = MAX_ENTRIES;
        self.empty(&folder, MAX_DEPTH, &mut left)?;
        Ok(unlinkat(&self.folder, name, AtFlags::REMOVEDIR)?)
    }

    /// Removes the content of a folder.
    fn empty(&self, folder: &OwnedFd, depth: u32, left: &mut usize) -> io::Result<()> {
        for entry in Dir::read_from(folder)? {
            let entry = entry?;
            let name = Path::new(std::ffi::OsStr::from_bytes(entry.file_name().to_bytes()));
            if !wire::is_name(name.as_os_str().as_bytes()) {
                continue;
            }
            *left = left.checked_sub(1).filter(|_| depth > 0).ok_or(ErrorKind::FileTooLarge)?;
            match unlinkat(folder, name, AtFlags::empty()) {
                Err(Errno::ISDIR | Errno::PERM) => {
                    self.empty(&self.folder_at(folder, name)?, depth - 1, left)?;
                    unlinkat(folder, name, AtFlags::REMOVEDIR)?;
                }
                answer => answer?,
            }
        }
        Ok(())
    }
}

/// The next part of a file, at or after an offset, that isn't a hole.
fn next_data(file: &File, offset: u64) -> io::Result<Option<Range<u64>>> {
    let end = file.metadata()?.len();
    let start = match seek(file, SeekFrom::Data(offset)) {
        Ok(start) => start,
        Err(Errno::NXIO) => return Ok(None),
        // The file system doesn't support holes.
        Err(Errno::INVAL) => return Ok(Some(offset..end).filter(|part| !part.is_empty())),
        Err(error) => return Err(Error::from(error)),
    };
    let end = seek(file, SeekFrom::Hole(start)).unwrap_or(end);
    Ok(Some(start..end).filter(|part| !part.is_empty()))
}

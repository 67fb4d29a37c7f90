//! A helper process that acts with a watched process's rights to files.
//!
//! `ora` may be root. Files that the process's user has written are opened, read and removed by a second instance of `ora`,
//! which runs as that user: [`serve::if_asked`]. Links and exchanged folders then lead only to places that the user could reach
//! without us. As the user may kill the helper and take its place, its answers are hostile input: each is the answer to a
//! request and bounded in bytes, and all of them together are bounded in time.

mod fetch;
pub mod serve;
mod wire;

use std::ffi::OsStr;
use std::io::{self, Error, ErrorKind, Read, Write};
use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

pub use fetch::Bounds;
pub use wire::About;
use wire::{Entry, MAX_BYTES, Operation, Question};

use crate::rights::Rights;

/// Name by which a program recognizes that it is to be a helper.
const HELPER: &str = "ora: files of a watched process";
/// Maximum number of entries of a folder.
pub(crate) const MAX_ENTRIES: usize = 10_000;
/// Time limit for all answers, and the additional time for each byte of content: 20 MB per second.
pub const MAX_WAIT: Duration = Duration::from_secs(30);
const FOR_EACH_BYTE: Duration = Duration::from_nanos(50);
/// Time limit for the end of a killed helper. A helper that waits for a user's file system may never end.
const FOR_ITS_END: Duration = Duration::from_secs(1);

/// The helper process. It ends when the value is dropped, and with the thread that has started it.
#[derive(Debug)]
pub struct Helper {
    child: Child,
    socket: UnixStream,
    deadline: Instant,
}

impl Helper {
    /// Starts a helper for the files beneath a folder.
    ///
    /// # Errors
    /// If it can't be started, or can't have these rights because `ora` runs neither as root nor as the process's
    /// user.
    pub fn start(rights: &Rights, folder: &impl AsFd) -> io::Result<Self> {
        Self::of_program(Path::new("/proc/self/exe"), rights, folder, MAX_WAIT)
    }

    /// Starts a helper of a program that calls [`serve::if_asked`].
    ///
    /// # Errors
    /// As [`Self::start`].
    pub fn of_program(program: &Path, rights: &Rights, folder: &impl AsFd, max_wait: Duration) -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut command = Command::new(program);
        command.arg0(HELPER).arg(std::process::id().to_string()).arg(rights.word()?);
        command.env_clear().current_dir("/");
        // Ctrl-C is meant for `ora`, which shuts down in order.
        command.process_group(0);
        let folder = folder.as_fd().try_clone_to_owned()?;
        command.stdin(Stdio::from(folder)).stdout(Stdio::from(OwnedFd::from(theirs))).stderr(Stdio::null());
        let child = command.spawn()?;
        // Our copy of the other end: while it is open, the helper's end would not be noticed.
        drop(command);
        let mut helper = Self { child, socket: ours, deadline: Instant::now() + max_wait };
        helper.answer(0)?;
        Ok(helper)
    }

    /// Process number of the helper.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Opens a regular file of the process's user by its path beneath the folder. Links are not followed.
    ///
    /// # Errors
    /// If it can't be opened, isn't regular, or belongs to another user.
    pub fn open(&mut self, path: &Path) -> io::Result<About> {
        About::of(&self.ask(&Question::of_path(Operation::Open, path), size_of::<About>())?)
    }

    /// Reads from the open file. Returns the number of bytes, 0 at the end of the file.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn read_at(&mut self, to: &mut [u8], offset: u64) -> io::Result<usize> {
        let most = to.len().min(MAX_BYTES);
        let bytes = u32::try_from(most).map_err(|_| ErrorKind::InvalidInput)?;
        let question = Question { offset, bytes, ..Question::of_path(Operation::Read, Path::new("")) };
        let content = self.ask(&question, most)?;
        to.get_mut(..content.len()).ok_or(ErrorKind::InvalidData)?.copy_from_slice(&content);
        Ok(content.len())
    }

    /// Fills the buffer from the open file.
    ///
    /// # Errors
    /// If the file can't be read, or ends too early.
    pub fn read_exact_at(&mut self, mut to: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !to.is_empty() {
            let read = self.read_at(to, offset)?;
            if read == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            to = to.get_mut(read..).unwrap_or_default();
            offset = offset.saturating_add(read as u64);
        }
        Ok(())
    }

    /// The next part of the open file, at or after an offset, that isn't a hole.
    ///
    /// # Errors
    /// If it can't be determined.
    pub fn data(&mut self, offset: u64) -> io::Result<Option<Range<u64>>> {
        let question = Question { offset, ..Question::of_path(Operation::Data, Path::new("")) };
        wire::part_of(&self.ask(&question, 2 * size_of::<u64>())?, offset)
    }

    /// Removes a subfolder of the folder with all of its content, if it belongs to the process's user.
    ///
    /// # Errors
    /// If something in it can't be removed with the user's rights, or if it has too many entries.
    pub fn remove(&mut self, name: &OsStr) -> io::Result<()> {
        self.ask(&Question::of_path(Operation::Remove, Path::new(name)), 0).map(drop)
    }

    /// The user's folders and regular files in a folder beneath the folder.
    fn list(&mut self, path: &Path) -> io::Result<Vec<Entry>> {
        let most = MAX_BYTES + 2 * usize::from(u8::MAX);
        let entries = Entry::all(&self.ask(&Question::of_path(Operation::List, path), most)?)?;
        if entries.len() > MAX_ENTRIES { Err(ErrorKind::FileTooLarge.into()) } else { Ok(entries) }
    }

    fn ask(&mut self, question: &Question, most: usize) -> io::Result<Vec<u8>> {
        question.write(&mut Timed { socket: &self.socket, deadline: self.deadline })?;
        self.answer(most)
    }

    fn answer(&mut self, most: usize) -> io::Result<Vec<u8>> {
        let content = wire::read_answer(&mut Timed { socket: &self.socket, deadline: self.deadline }, most);
        let content = content.map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset => {
                Error::new(ErrorKind::BrokenPipe, "the helper for the process's files has ended")
            }
            _ => error,
        })?;
        self.deadline += FOR_EACH_BYTE * u32::try_from(content.len()).unwrap_or(0);
        Ok(content)
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let end = Instant::now() + FOR_ITS_END;
        while Instant::now() < end && self.child.try_wait().is_ok_and(|status| status.is_none()) {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// The connection to a helper, until a deadline.
struct Timed<'a> {
    socket: &'a UnixStream,
    deadline: Instant,
}

impl Timed<'_> {
    fn left(&self) -> io::Result<Option<Duration>> {
        let left = self.deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero());
        left.map(Some).ok_or_else(late)
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.socket.set_read_timeout(self.left()?)?;
        self.socket.read(to).map_err(or_late)
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.socket.set_write_timeout(self.left()?)?;
        self.socket.write(from).map_err(or_late)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn or_late(error: Error) -> Error {
    if error.kind() == ErrorKind::WouldBlock { late() } else { error }
}

fn late() -> Error {
    Error::new(ErrorKind::TimedOut, "the process's files can't be read in time")
}

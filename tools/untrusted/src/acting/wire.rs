//! Requests to a helper, and its answers. The answers may be forged: each has a bound that the request sets.

use std::ffi::OsStr;
use std::io::{self, Error, ErrorKind, Read, Write};
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::own_folder;

/// Maximum number of bytes that one request asks for.
pub(super) const MAX_BYTES: usize = 1 << 20;
/// Maximum length of a request's path, in bytes (`PATH_MAX`).
const MAX_PATH: usize = 4096;
/// Number of bytes of a request before its path, and of an answer before its content.
const QUESTION: usize = 16;
const ANSWER: usize = 8;
/// Maximum number of an error (`MAX_ERRNO`).
const MAX_ERROR: i32 = 4095;

/// Kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// List the entries of a folder.
    List = 1,
    /// Open a file.
    Open = 2,
    /// Read from the open file.
    Read = 3,
    /// Find the next part of the open file that isn't a hole.
    Data = 4,
    /// Remove a folder with all of its content.
    Remove = 5,
}

impl Operation {
    fn of(number: u16) -> Option<Self> {
        [Self::List, Self::Open, Self::Read, Self::Data, Self::Remove].into_iter().find(|it| *it as u16 == number)
    }
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Question {
    pub operation: Operation,
    pub path: PathBuf,
    pub offset: u64,
    /// Number of requested bytes.
    pub bytes: u32,
}

impl Question {
    pub(super) fn of_path(operation: Operation, path: &Path) -> Self {
        Self { operation, path: path.to_owned(), offset: 0, bytes: 0 }
    }

    pub(super) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let path = self.path.as_os_str().as_bytes();
        let length = u16::try_from(path.len()).ok().filter(|length| usize::from(*length) <= MAX_PATH);
        let length = length.ok_or(ErrorKind::InvalidFilename)?;
        let mut all = Vec::with_capacity(QUESTION + path.len());
        all.extend((self.operation as u16).to_ne_bytes());
        all.extend(length.to_ne_bytes());
        all.extend(self.bytes.to_ne_bytes());
        all.extend(self.offset.to_ne_bytes());
        all.extend(path);
        to.write_all(&all)
    }

    /// Reads the next request; `None` after the last one.
    pub(super) fn read(from: &mut impl Read) -> io::Result<Option<Self>> {
        let mut head = [0; QUESTION];
        match from.read_exact(&mut head) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
            answer => answer?,
        }
        let mut fields = Fields(&head);
        let operation = Operation::of(u16::from_ne_bytes(fields.bytes()?));
        let length = usize::from(u16::from_ne_bytes(fields.bytes()?));
        let bytes = u32::from_ne_bytes(fields.bytes()?);
        let offset = u64::from_ne_bytes(fields.bytes()?);
        let operation = operation.filter(|_| length <= MAX_PATH).ok_or(ErrorKind::InvalidData)?;
        let mut path = vec![0; length];
        from.read_exact(&mut path)?;
        Ok(Some(Self { operation, path: OsStr::from_bytes(&path).into(), offset, bytes }))
    }
}

/// Writes an answer: the content, or the number of an error.
pub(super) fn write_answer(to: &mut impl Write, answer: io::Result<Vec<u8>>) -> io::Result<()> {
    let (status, content) = match answer {
        Ok(content) => (0, content),
        Err(error) => (error.raw_os_error().unwrap_or_else(|| number_of(error.kind())), Vec::new()),
    };
    let length = u32::try_from(content.len()).map_err(|_| ErrorKind::InvalidData)?;
    to.write_all(&status.to_ne_bytes())?;
    to.write_all(&length.to_ne_bytes())?;
    to.write_all(&content)
}

/// Reads an answer of at most this number of bytes.
pub(super) fn read_answer(from: &mut impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut head = [0; ANSWER];
    from.read_exact(&mut head)?;
    let mut fields = Fields(&head);
    let status = i32::from_ne_bytes(fields.bytes()?);
    let length = usize::try_from(u32::from_ne_bytes(fields.bytes()?));
    match status {
        0 => {}
        1..=MAX_ERROR => return Err(Error::from_raw_os_error(status)),
        _ => return Err(forged()),
    }
    let length = length.ok().filter(|length| *length <= most).ok_or_else(forged)?;
    let mut content = vec![0; length];
    from.read_exact(&mut content)?;
    Ok(content)
}

/// The error for an answer that our helper never gives.
pub(super) fn forged() -> Error {
    Error::new(ErrorKind::InvalidData, "the helper's answer is not one of ours: the process's user has interfered")
}

fn number_of(kind: ErrorKind) -> i32 {
    match kind {
        ErrorKind::PermissionDenied => libc::EACCES,
        ErrorKind::FileTooLarge => libc::EFBIG,
        ErrorKind::InvalidInput => libc::EINVAL,
        _ => libc::EIO,
    }
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub name: PathBuf,
    pub is_folder: bool,
}

impl Entry {
    pub(super) fn write(&self, to: &mut Vec<u8>) -> io::Result<()> {
        let name = self.name.as_os_str().as_bytes();
        to.push(u8::from(self.is_folder));
        to.push(u8::try_from(name.len()).map_err(|_| ErrorKind::InvalidFilename)?);
        to.extend(name);
        Ok(())
    }

    /// The entries of an answer. Each name is checked to lead nowhere else.
    pub(super) fn all(mut content: &[u8]) -> io::Result<Vec<Self>> {
        let mut entries = Vec::new();
        while let [kind, length, rest @ ..] = content {
            let (name, rest) = rest.split_at_checked(usize::from(*length)).ok_or_else(forged)?;
            if !is_name(name) || *kind > 1 {
                return Err(forged());
            }
            entries.push(Self { name: OsStr::from_bytes(name).into(), is_folder: *kind == 1 });
            content = rest;
        }
        if content.is_empty() { Ok(entries) } else { Err(forged()) }
    }
}

/// True if a name is a single component of a path, and doesn't lead upwards.
pub(super) fn is_name(name: &[u8]) -> bool {
    name.len() <= 255 && own_folder::is_name(OsStr::from_bytes(name))
}

/// Facts about the open file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// Size, in bytes.
    pub size: u64,
    /// Inode number.
    pub inode: u64,
}

impl About {
    pub(super) fn bytes(self) -> Vec<u8> {
        [self.size.to_ne_bytes(), self.inode.to_ne_bytes()].concat()
    }

    pub(super) fn of(content: &[u8]) -> io::Result<Self> {
        let mut fields = Fields(content);
        Ok(Self { size: u64::from_ne_bytes(fields.bytes()?), inode: u64::from_ne_bytes(fields.bytes()?) })
    }
}

/// A part of a file as an answer, which is empty if there is none.
pub(super) fn part_bytes(part: Option<Range<u64>>) -> Vec<u8> {
    part.map(|part| [part.start.to_ne_bytes(), part.end.to_ne_bytes()].concat()).unwrap_or_default()
}

/// The part of an answer, which must lie at or after an offset.
pub(super) fn part_of(content: &[u8], offset: u64) -> io::Result<Option<Range<u64>>> {
    if content.is_empty() {
        return Ok(None);
    }
    let mut fields = Fields(content);
    let part = u64::from_ne_bytes(fields.bytes()?)..u64::from_ne_bytes(fields.bytes()?);
    if offset <= part.start && part.start < part.end { Ok(Some(part)) } else { Err(forged()) }
}

/// Bytes that are read field by field.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn bytes<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let (field, rest) = self.0.split_first_chunk().ok_or_else(forged)?;
        self.0 = rest;
        Ok(*field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_and_answers_arrive_as_they_were_sent() {
        let question = Question { operation: Operation::Read, path: "a/b".into(), offset: 1 << 40, bytes: 7 };
        let mut sent = Vec::new();
        question.write(&mut sent).unwrap();
        let mut rest = sent.as_slice();
        assert_eq!(Question::read(&mut rest).unwrap(), Some(question));
        assert_eq!(Question::read(&mut rest).unwrap(), None);
        let mut sent = Vec::new();
        write_answer(&mut sent, Ok(b"content".to_vec())).unwrap();
        assert_eq!(read_answer(&mut sent.as_slice(), 7).unwrap(), b"content");
        read_answer(&mut sent.as_slice(), 6).unwrap_err();
        let mut sent = Vec::new();
        write_answer(&mut sent, Err(ErrorKind::PermissionDenied.into())).unwrap();
        assert_eq!(read_answer(&mut sent.as_slice(), 7).unwrap_err().kind(), ErrorKind::PermissionDenied);
    }

    #[test]
    fn forged_answers_are_refused() {
        for status in [-1, MAX_ERROR + 1, i32::MIN] {
            let answer = [status.to_ne_bytes(), [0; 4]].concat();
            assert_eq!(read_answer(&mut answer.as_slice(), 8).unwrap_err().kind(), ErrorKind::InvalidData);
        }
        read_answer(&mut [0, 0, 0, 0, 9, 0, 0, 0, 1].as_slice(), 16).unwrap_err();
        for name in [&b""[..], b".", b"..", b"a/b", b"/", b"a\0b"] {
            let answer = [&[0, u8::try_from(name.len()).unwrap()], name].concat();
            Entry::all(&answer).unwrap_err();
        }
        for answer in [&[0][..], &[0, 9, b'a'], &[2, 1, b'a']] {
            Entry::all(answer).unwrap_err();
        }
        About::of(&[0; 15]).unwrap_err();
        let part = |start, end| part_of(&part_bytes(Some(start..end)), 100);
        assert_eq!(part(100, 101).unwrap(), Some(100..101));
        part(99, 101).unwrap_err();
        part(100, 100).unwrap_err();
        part(101, 100).unwrap_err();
    }

    #[test]
    fn entries_arrive_as_they_were_sent() {
        let entries =
            [("events", false), ("pid-7", true)].map(|(name, is_folder)| Entry { name: name.into(), is_folder });
        let mut sent = Vec::new();
        entries.iter().try_for_each(|entry| entry.write(&mut sent)).unwrap();
        assert_eq!(Entry::all(&sent).unwrap(), entries);
    }
}

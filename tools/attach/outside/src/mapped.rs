//! A memory mapping of another process, with its path.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use system::maps::{Mapping, unescape};

/// One mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapped {
    /// First address.
    pub start: u64,
    /// Address after the last byte.
    pub end: u64,
    /// True if its content may be executed.
    pub executable: bool,
    /// Offset of its first byte in the file.
    pub offset: u64,
    /// Device of the file: its major and minor number.
    pub device: (u32, u32),
    /// Number of the file; 0 if there is none.
    pub inode: u64,
    /// Path of the file, or the kernel's name in brackets.
    pub path: PathBuf,
    /// True if the file has been deleted.
    pub deleted: bool,
}

impl Mapped {
    pub(crate) fn of(line: &[u8]) -> Option<Self> {
        let device = device(line);
        let mut line = line.to_vec();
        let length = unescape(&mut line);
        let mapping = Mapping::of(line.get(..length)?)?;
        let path = mapping.deleted().unwrap_or(mapping.path);
        Some(Self {
            start: mapping.start,
            end: mapping.end,
            executable: mapping.is_executable,
            offset: mapping.offset,
            device,
            inode: mapping.inode,
            path: OsStr::from_bytes(path).into(),
            deleted: mapping.deleted().is_some(),
        })
    }
}

/// The fourth field of a line, such as `08:01`.
fn device(line: &[u8]) -> (u32, u32) {
    let field = line.split(|byte| *byte == b' ').nth(3).and_then(|field| std::str::from_utf8(field).ok());
    let halves = field.and_then(|field| field.split_once(':')).unwrap_or_default();
    let number = |half| u32::from_str_radix(half, 16).unwrap_or(0);
    (number(halves.0), number(halves.1))
}

//! The list of a process's memory mappings, `/proc/PID/maps` (proc(5)): lines
//! `start-end permissions offset device inode path`.

#![allow(unsafe_code)] // reads a file by system calls

use std::ffi::{CStr, c_int};

mod at;

pub use at::{any_own_mapping_in, own_mapping_at};

/// Path of the calling process's list. It goes through the calling thread: the list of a first thread that has ended is empty.
pub const OWN_MAPPINGS: &CStr = c"/proc/thread-self/maps";

/// The longest line that is read, in bytes: a path, and what comes before it.
const LONGEST: usize = 4096 + 128;

/// One memory mapping of a process.
///
/// ```
/// use system::maps::Mapping;
///
/// let mapping = Mapping::of(b"7f1000-7f2000 r-xp 00026000 fe:01 1234    /usr/lib/libm.so.6").unwrap();
/// assert!(mapping.is_executable && mapping.holds(0x7f_1000) && !mapping.holds(0x7f_2000));
/// assert_eq!((mapping.offset, mapping.path), (0x2_6000, &b"/usr/lib/libm.so.6"[..]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping<'a> {
    /// First address of the mapping.
    pub start: u64,
    /// Address past the last byte of the mapping.
    pub end: u64,
    /// True if the mapping is executable.
    pub is_executable: bool,
    /// Offset of the mapping's first byte in the file, in bytes.
    pub offset: u64,
    /// The file's number; 0: not a mapping of a file.
    pub inode: u64,
    /// The file's path, or a name in brackets that the kernel assigns; empty if there is neither.
    pub path: &'a [u8],
}

impl<'a> Mapping<'a> {
    /// Parses one line, without its line break and already unescaped (see [`unescape`]). `None` if it is not such a line.
    pub fn of(line: &'a [u8]) -> Option<Self> {
        let mut words = line.splitn(6, |byte| *byte == b' ');
        let range = words.next()?;
        let is_executable = words.next()?.get(2) == Some(&b'x');
        let (offset, _device, inode) = (words.next()?, words.next()?, words.next()?);
        let dash = range.iter().position(|byte| *byte == b'-')?;
        Some(Self {
            start: hexadecimal(range.get(..dash)?)?,
            end: hexadecimal(range.get(dash + 1..)?)?,
            is_executable,
            offset: hexadecimal(offset)?,
            inode: number(inode, 10)?,
            path: without_padding(words.next().unwrap_or_default()),
        })
    }

    /// True if the mapping has this address.
    pub fn holds(&self, address: u64) -> bool {
        (self.start..self.end).contains(&address)
    }

    /// The path of the mapped file before it was deleted; `None` if it still exists.
    pub fn deleted(&self) -> Option<&'a [u8]> {
        self.path.strip_suffix(b" (deleted)")
    }
}

/// A path without the blanks before it. Blanks at its end belong to it.
fn without_padding(mut path: &[u8]) -> &[u8] {
    while let Some((b' ', rest)) = path.split_first() {
        path = rest;
    }
    path
}

fn hexadecimal(digits: &[u8]) -> Option<u64> {
    number(digits, 16)
}

/// A number that consists of digits only: Rust's own parser also accepts a sign.
fn number(digits: &[u8], radix: u32) -> Option<u64> {
    let digits = str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    u64::from_str_radix(digits, radix).ok()
}

/// Undoes the kernel's escape of line breaks in a path, in place, and returns the line's new length. The kernel doesn't escape backslashes,
/// so a path that contains these four characters is mistaken for one with a line break. Allocates nothing, and never panics.
pub fn unescape(line: &mut [u8]) -> usize {
    const ESCAPED: &[u8] = b"\\012";
    let (mut from, mut to) = (0, 0);
    while let Some(rest) = line.get(from..).filter(|rest| !rest.is_empty()) {
        let is_escaped = rest.starts_with(ESCAPED);
        let byte = if is_escaped { b'\n' } else { rest.first().copied().unwrap_or(0) };
        if let Some(place) = line.get_mut(to) {
            *place = byte;
        }
        from += if is_escaped { ESCAPED.len() } else { 1 };
        to += 1;
    }
    to
}

/// Calls `show` with each mapping of this process until it returns true. Returns true if it did. Allocates nothing;
/// takes 4 KiB of stack.
pub fn any_own_mapping(show: impl FnMut(Mapping<'_>) -> bool) -> bool {
    // SAFETY: `OWN_MAPPINGS` is a C string, which the call only reads (open(2)).
    let file = unsafe { libc::open(OWN_MAPPINGS.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    if file < 0 {
        return false;
    }
    let found = any_mapping(&mut [0; LONGEST], |into| read(file, into), show);
    // SAFETY: `open` returned this descriptor, and no other code has it.
    unsafe { libc::close(file) };
    found
}

fn read(file: c_int, into: &mut [u8]) -> usize {
    // SAFETY: the kernel writes at most `into.len()` bytes, to `into` (read(2)).
    let got = unsafe { libc::read(file, into.as_mut_ptr().cast(), into.len()) };
    usize::try_from(got).unwrap_or(0)
}

/// Calls `show` with each mapping in what `read` delivers until it returns true. Returns true if it did. `read` fills
/// the front of its argument and returns the number of bytes, 0 at the end. A line that is too long for the buffer is
/// skipped. Async-signal-safe if both functions are.
pub fn any_mapping(
    buffer: &mut [u8],
    mut read: impl FnMut(&mut [u8]) -> usize,
    mut show: impl FnMut(Mapping<'_>) -> bool,
) -> bool {
    let (mut held, mut skipping) = (0, false);
    loop {
        let got = buffer.get_mut(held..).map_or(0, &mut read);
        let filled = held + got;
        let mut begin = 0;
        while let Some(rest) = buffer.get(begin..filled)
            && let Some(length) = rest.iter().position(|byte| *byte == b'\n')
        {
            let line = buffer.get_mut(begin..begin + length).unwrap_or_default();
            let unescaped = unescape(line);
            let line = line.get(..unescaped).unwrap_or_default();
            if !std::mem::take(&mut skipping) && Mapping::of(line).is_some_and(&mut show) {
                return true;
            }
            begin += length + 1;
        }
        held = filled - begin;
        // Not `copy_within`, which can panic.
        for at in 0..held {
            let byte = buffer.get(begin + at).copied().unwrap_or(0);
            if let Some(place) = buffer.get_mut(at) {
                *place = byte;
            }
        }
        if held == buffer.len() {
            (held, skipping) = (0, true);
        }
        if got == 0 {
            return false;
        }
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_types, clippy::disallowed_macros)] // no program's thread runs this
mod tests {
    use super::*;

    #[test]
    fn a_line_break_in_a_path_is_one() {
        let mut text: &[u8] = b"1-2 r-xp 3 0:0 5 /a\\012b\\012\n1-2 r-xp 3 0:0 5 /\\01\\\\012\n";
        let mut paths = Vec::new();
        let read = |into: &mut [u8]| std::io::Read::read(&mut text, into).unwrap();
        any_mapping(&mut [0; 64], read, |mapping| {
            paths.push(mapping.path.to_vec());
            false
        });
        assert_eq!(paths, [&b"/a\nb\n"[..], b"/\\01\\\n"]);
    }

    #[test]
    fn a_line_is_taken_apart() {
        let line = b"7f1000-7f2000 r-xp 00026000 fe:01 1234                       /usr/lib/a b.so";
        let found = Mapping {
            start: 0x7f_1000,
            end: 0x7f_2000,
            is_executable: true,
            offset: 0x2_6000,
            inode: 1234,
            path: b"/usr/lib/a b.so",
        };
        assert_eq!(Mapping::of(line), Some(found));
        assert!(found.holds(0x7f_1000) && !found.holds(0x7f_2000));
        assert_eq!(Mapping::of(b"1000-2000 r-xp 00000000 00:00 0                  [vdso]").unwrap().path, b"[vdso]");
        let gone = Mapping::of(b"1000-2000 r--p 00000000 fe:01 12   /usr/lib/a.so (deleted)").unwrap();
        assert_eq!((gone.is_executable, gone.deleted()), (false, Some(&b"/usr/lib/a.so"[..])));
        let nameless = Mapping::of(b"1000-2000 rw-p 00000000 00:00 0 ").unwrap();
        assert_eq!((nameless.is_executable, nameless.path), (false, &b""[..]));
        for other in [
            &b""[..],
            b"nonsense",
            b"1000 r-xp 0 0 0 x",
            b"1000-20x0 r-xp 0 0 0 x",
            b"1-2 r-xp 0 0 inode x",
            b"+1-2 r-xp 0 0 0 x",
        ] {
            assert_eq!(Mapping::of(other), None);
        }
    }

    #[test]
    fn lines_are_whole_however_they_arrive_and_too_long_ones_are_left_out() {
        let line = |at: usize, path: &str| format!("{at}-{} r-xp 0 00:00 0 {path}\n", at + 1);
        let text = [line(1, "one"), "\n".into(), line(2, ""), line(3, &"x".repeat(90)), line(4, "last")].concat();
        for step in [1, 3, 64] {
            let (mut at, mut starts) = (0, Vec::new());
            let read = |room: &mut [u8]| {
                let n = step.min(room.len()).min(text.len() - at);
                room[..n].copy_from_slice(&text.as_bytes()[at..at + n]);
                at += n;
                n
            };
            any_mapping(&mut [0; 60], read, |mapping| {
                starts.push(mapping.start);
                false
            });
            assert_eq!(starts, [1, 2, 4], "{step}");
        }
    }
}

//! Splits bytes into entries by the library's rules, and determines what ends the walk.

use std::fmt;

use super::names;

/// Bytes of an entry's head.
pub(super) const HEAD: usize = 16;

/// One entry as it is in the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    pub(super) offset: usize,
    pub(super) sz: i32,
    pub(super) r: i32,
    pub(super) ec: i32,
    pub(super) rsz: i32,
    pub(super) mem: &'a [u8],
}

/// End of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// At the closing zero; this number of bytes follow.
    Zero { offset: usize, following: usize },
    /// At an invalid size.
    Size { offset: usize, sz: i32 },
    /// The bytes end in the middle of an entry.
    Short { offset: usize, sz: i32, r: Option<i32>, left: usize },
    /// The bytes end where an entry, or the closing zero, should start.
    End { offset: usize, left: usize },
}

impl<'a> Entry<'a> {
    /// The entry of `sz` bytes at `offset`, if the bytes are there.
    pub(super) fn at(bytes: &'a [u8], offset: usize, sz: usize) -> Option<Self> {
        let entry = bytes.get(offset..)?.get(..sz)?;
        Some(Self {
            offset,
            sz: int(entry, 0)?,
            r: int(entry, 4)?,
            ec: int(entry, 8)?,
            rsz: int(entry, 12)?,
            mem: entry.get(HEAD..)?,
        })
    }
}

/// Reads an `int` of the buffer.
pub(super) fn int(bytes: &[u8], at: usize) -> Option<i32> {
    bytes.get(at..)?.first_chunk().map(|bytes| i32::from_ne_bytes(*bytes))
}

/// Reads eight bytes of the buffer.
pub(super) fn long(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|bytes| u64::from_ne_bytes(*bytes))
}

/// Splits a buffer into entries.
pub(super) fn walk(bytes: &[u8]) -> (Vec<Entry<'_>>, Stop) {
    let mut entries = Vec::new();
    let mut offset = 0;
    loop {
        let left = bytes.len() - offset;
        let Some(sz) = int(bytes, offset) else { return (entries, Stop::End { offset, left }) };
        let length = match usize::try_from(sz) {
            Ok(0) => return (entries, Stop::Zero { offset, following: left - 4 }),
            Ok(length @ HEAD..) if length.is_multiple_of(4) => length,
            _ => return (entries, Stop::Size { offset, sz }),
        };
        let Some(entry) = Entry::at(bytes, offset, length) else {
            return (entries, Stop::Short { offset, sz, r: int(bytes, offset + 4), left });
        };
        entries.push(entry);
        offset += length;
    }
}

impl Stop {
    /// True if the buffer ends as it should.
    pub(super) fn is_good(self) -> bool {
        matches!(self, Self::Zero { .. })
    }

    pub(super) fn offset(self) -> usize {
        match self {
            Self::Zero { offset, .. }
            | Self::Size { offset, .. }
            | Self::Short { offset, .. }
            | Self::End { offset, .. } => offset,
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Zero { following: 0, .. } => write!(out, "closing zero"),
            Self::Zero { following, .. } => {
                write!(out, "closing zero; the {following} bytes after it are not part of the list")
            }
            Self::Size { sz, .. } => {
                write!(out, "MALFORMED: sz {sz} ({:#x}): {}", sz, wrong(sz))?;
                write!(
                    out,
                    ". The call ends here with -1: this entry and what follows stay untouched, what came before stands"
                )
            }
            Self::Short { sz, r, left, .. } => {
                write!(out, "CUT: an entry of sz {sz}")?;
                if let Some(name) = r.and_then(names::request) {
                    write!(out, ", {name},")?;
                }
                write!(out, " begins here, but only {left} bytes are left. The library would read past them")
            }
            Self::End { left: 0, .. } => {
                write!(
                    out,
                    "NO CLOSING ZERO: the bytes end here. The library takes what follows in memory for the next sz"
                )
            }
            Self::End { left, .. } => write!(
                out,
                "NO CLOSING ZERO: {left} bytes are left, too few for an sz. The library takes them and what follows in \
                 memory for one"
            ),
        }
    }
}

/// Reason why an entry can't have this size.
fn wrong(sz: i32) -> &'static str {
    match sz {
        ..0 => "a size is never negative",
        0..16 => "an entry has at least 16 bytes, its head",
        _ => "a size is a multiple of 4",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(words: &[i32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    #[test]
    fn entries_are_taken_apart_up_to_the_closing_zero() {
        let buffer = bytes(&[16, 0, -1, 7, 20, 3, 1, 2, 5, 0, 9]);
        let (entries, stop) = walk(&buffer);
        let heads: Vec<_> = entries.iter().map(|e| (e.offset, e.sz, e.r, e.ec, e.rsz, e.mem.len())).collect();
        assert_eq!(heads, [(0, 16, 0, -1, 7, 0), (16, 20, 3, 1, 2, 4)]);
        assert_eq!(stop, Stop::Zero { offset: 36, following: 4 });
    }

    #[test]
    fn bad_sizes_and_missing_bytes_stop_the_walk_where_they_are() {
        for sz in [1, 15, 17, 18, -1, i32::MIN, i32::MAX] {
            assert_eq!(walk(&bytes(&[16, 0, 0, 0, sz, 0])).1, Stop::Size { offset: 16, sz });
        }
        assert_eq!(walk(&bytes(&[20, 3, 0, 0])).1, Stop::Short { offset: 0, sz: 20, r: Some(3), left: 16 });
        assert_eq!(walk(&bytes(&[16])).1, Stop::Short { offset: 0, sz: 16, r: None, left: 4 });
        assert_eq!(walk(&bytes(&[16, 0, 0, 0])).1, Stop::End { offset: 16, left: 0 });
        assert_eq!(walk(&[0, 0, 0]).1, Stop::End { offset: 0, left: 3 });
    }
}

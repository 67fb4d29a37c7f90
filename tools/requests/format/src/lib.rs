//! The records of a request log (described in words in `docs/reference/request-log.md`). The recorder writes them into the
//! file that [`FILE_VARIABLE`] names, and the command reads them.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

/// The environment variable that names the file. If it isn't set, nothing is recorded.
pub const FILE_VARIABLE: &str = "ORA_REQUEST_LOG";

/// Magic number at the start of every record.
pub const MAGIC: [u8; 6] = *b"ORAREQ";
/// Incremented when a field changes its meaning.
pub const VERSION: u16 = 1;
/// Maximum number of bytes of a buffer in a record.
pub const MAX_BYTES: usize = 64 * 1024;
/// Number of bytes that are kept of an entry that does not fit: its head, which the library reads as well.
pub const ENTRY_HEAD: usize = 16;

/// Kinds of records.
pub mod kind {
    /// The start of the file. Text: the program and its arguments, each closed by a zero byte.
    pub const LOG: u32 = 0;
    /// The start of a program. Text: the path of the library that requests are passed to, and the program's, each
    /// closed by a zero byte.
    pub const PROGRAM: u32 = 1;
    /// A call of a collector. Bytes: its buffer, as the collector passed it.
    pub const CALL: u32 = 2;
    /// The return of a call. Bytes: the same number of the buffer's bytes as in the call's record.
    pub const RETURN: u32 = 3;
}

/// Ends of the walk through a buffer.
pub mod end {
    /// The walk ended at the closing zero.
    pub const ZERO: u32 = 0;
    /// There is no buffer: the pointer is null.
    pub const NULL: u32 = 1;
    /// The pointer is not a multiple of 4.
    pub const ALIGNMENT: u32 = 2;
    /// The walk ended at an invalid size, which is the last thing kept.
    pub const SIZE: u32 = 3;
    /// The buffer is longer than [`super::MAX_BYTES`]: the record contains its start, up to the head of the entry that
    /// did not fit.
    pub const CUT: u32 = 4;
    /// The bytes could not be read.
    pub const UNREADABLE: u32 = 5;
}

/// The fixed part of a record, which text or bytes follow. All numbers are native-endian.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Magic number, [`MAGIC`].
    pub magic: [u8; 6],
    /// Version of the format, [`VERSION`].
    pub version: u16,
    /// Number of bytes of the record, including the head.
    pub size: u32,
    /// Kind of the record, one of [`kind`].
    pub kind: u32,
    /// Process number.
    pub pid: u32,
    /// Thread number of the kernel.
    pub tid: u32,
    /// Time by CLOCK_MONOTONIC, in nanoseconds.
    pub time_ns: u64,
    /// Number of the call in its process, starting at 1; the same in its CALL and its RETURN.
    pub call: u64,
    /// The pointer that the collector passed.
    pub address: u64,
    /// End of the walk, one of [`end`].
    pub end: u32,
    /// RETURN: the function's return value.
    pub result: i32,
    /// Number of records that this process has lost so far because writing to the file failed.
    pub lost: u32,
    /// Always zero.
    pub reserved: u32,
}

/// Size of a [`Head`] in bytes.
pub const HEAD: usize = size_of::<Head>();
const _: () = assert!(HEAD == 64);

/// An empty head: of its fields, only the magic number, the version and the size have values.
pub const BLANK: Head = Head {
    magic: MAGIC,
    version: VERSION,
    size: 64,
    kind: kind::LOG,
    pid: 0,
    tid: 0,
    time_ns: 0,
    call: 0,
    address: 0,
    end: end::ZERO,
    result: 0,
    lost: 0,
    reserved: 0,
};

impl Head {
    /// The head as it is stored in the file.
    pub fn to_bytes(&self) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        let [low, high] = self.version.to_ne_bytes();
        let [m0, m1, m2, m3, m4, m5] = self.magic;
        let first = u64::from_ne_bytes([m0, m1, m2, m3, m4, m5, low, high]);
        let pair = |a: u32, b: u32| {
            let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = (a.to_ne_bytes(), b.to_ne_bytes());
            u64::from_ne_bytes([a0, a1, a2, a3, b0, b1, b2, b3])
        };
        let words = [
            first,
            pair(self.size, self.kind),
            pair(self.pid, self.tid),
            self.time_ns,
            self.call,
            self.address,
            pair(self.end, self.result.cast_unsigned()),
            pair(self.lost, self.reserved),
        ];
        for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_ne_bytes());
        }
        bytes
    }

    /// The head at the start of `bytes`; `None` if there are too few bytes, or if they are something else.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; HEAD] = bytes.first_chunk()?;
        if !bytes.starts_with(&MAGIC) {
            return None;
        }
        let long = |at: usize| bytes.get(at..)?.first_chunk().map(|bytes| u64::from_ne_bytes(*bytes));
        let word = |at: usize| bytes.get(at..)?.first_chunk().map(|bytes| u32::from_ne_bytes(*bytes));
        Some(Self {
            magic: MAGIC,
            version: bytes.get(6..)?.first_chunk().map(|bytes| u16::from_ne_bytes(*bytes))?,
            size: word(8)?,
            kind: word(12)?,
            pid: word(16)?,
            tid: word(20)?,
            time_ns: long(24)?,
            call: long(32)?,
            address: long(40)?,
            end: word(48)?,
            result: word(52)?.cast_signed(),
            lost: word(56)?,
            reserved: word(60)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_as_it_was_written() {
        let head = Head {
            size: 68,
            kind: kind::RETURN,
            pid: 11,
            tid: 12,
            time_ns: 1 << 40,
            call: 3,
            address: 0x7fff_1234_5678,
            end: end::SIZE,
            result: -1,
            lost: 4,
            ..BLANK
        };
        let bytes = head.to_bytes();
        assert_eq!(Head::from_bytes(&bytes), Some(head));
        assert_eq!((&bytes[..8], &bytes[8..12]), (&b"ORAREQ\x01\0"[..], &68u32.to_ne_bytes()[..]));
        assert_eq!(bytes[52..56], (-1i32).to_ne_bytes());
        assert_eq!(Head::from_bytes(&bytes[..63]), None);
        assert_eq!(Head::from_bytes(&[b'o'; 64]), None);
    }
}

//! Bound for the tables that are read from one process: of symbols, strings, relocations and unwinding rules, of all its objects
//! together. A process of a few megabytes can map any number of objects whose headers all name the same long table.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::deadline::Deadline;
use crate::memory::Memory;

/// Maximum number of bytes of all tables.
const MAX_BYTES: u64 = 1 << 30;
/// Minimum number of bytes that reading an object counts as: so at most 16,384 objects are read.
const MIN_BYTES: u64 = 64 << 10;
/// Maximum number of bytes of a name.
const LONGEST_NAME: usize = 4096;

/// Bytes that may still be read.
#[derive(Debug)]
pub(crate) struct Tables {
    left: AtomicU64,
    /// Nothing is read after this.
    until: Option<Deadline>,
}

impl Default for Tables {
    fn default() -> Self {
        Self { left: AtomicU64::new(MAX_BYTES), until: None }
    }
}

impl Tables {
    /// A bound after whose deadline nothing is read.
    pub(crate) fn until(deadline: Deadline) -> Self {
        Self { until: Some(deadline), ..Self::default() }
    }

    /// Counts an object that is read. Returns false if no more may be read.
    pub(crate) fn open(&self) -> bool {
        self.take(MIN_BYTES)
    }

    /// Reads a part of a table, all or nothing.
    pub(crate) fn bytes(&self, memory: Memory, address: u64, length: usize) -> Option<Vec<u8>> {
        if !self.take(length as u64) {
            return None;
        }
        memory.bytes(address, length).ok()
    }

    /// Reads a part of a table, up to the end of the mapped memory.
    pub(crate) fn bytes_up_to(&self, memory: Memory, address: u64, length: usize) -> Option<Vec<u8>> {
        if !self.take(length as u64) {
            return None;
        }
        let mut bytes = vec![0; length];
        let got = memory.read_some(address, &mut bytes).ok()?;
        bytes.truncate(got);
        Some(bytes)
    }

    fn take(&self, bytes: u64) -> bool {
        if self.until.is_some_and(Deadline::is_over) {
            return false;
        }
        let less = |left: u64| left.checked_sub(bytes);
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }
}

/// A name in a table of strings, truncated if it is too long. It isn't copied until it is needed: symbols may share
/// one long name.
pub(crate) fn name(strings: &[u8], offset: usize) -> Option<&[u8]> {
    let rest = strings.get(offset..)?;
    rest.get(..rest.len().min(LONGEST_NAME))?.split(|byte| *byte == 0).next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Process;
    use std::time::Duration;

    #[test]
    fn all_tables_of_a_process_together_have_a_bound() {
        let memory = Memory(Process { pid: std::process::id() });
        let words = std::hint::black_box(Box::new([7_u64; 4]));
        let address = words.as_ptr().addr() as u64;
        let tables = Tables { left: AtomicU64::new(40), until: None };
        let lengths = [32, 32, 8].map(|length| tables.bytes(memory, address, length).map(|bytes| bytes.len()));
        assert_eq!(lengths, [Some(32), None, Some(8)]);
        assert!(!tables.open() && Tables::default().open());
    }

    #[test]
    fn a_name_is_cut() {
        assert_eq!(name(&[b'A'; 10_000], 1).map(<[u8]>::len), Some(LONGEST_NAME));
        assert_eq!(name(b"\0one\0two", 1), Some(b"one".as_slice()));
        assert_eq!((name(b"one", 3), name(b"one", 4)), (Some(b"".as_slice()), None));
    }

    #[test]
    fn nothing_is_read_once_the_deadline_has_passed() {
        let own = Memory(Process { pid: std::process::id() });
        let bytes = [7_u8; 8];
        let address = bytes.as_ptr().addr() as u64;
        let read = |time: u64| Tables::until(Deadline::after(Duration::from_secs(time))).bytes(own, address, 8);
        assert_eq!((read(60), read(0)), (Some(vec![7; 8]), None));
    }
}

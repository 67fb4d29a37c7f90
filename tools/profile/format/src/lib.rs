//! Format of the data that `ora profile` stores about a process.
//!
//! Each process has a folder of its own, with one file, [`FILE`]: a sequence of records of 64-bit words in the
//! machine's byte order. A record's first word, its head, is written last, so that a process may die at any
//! instruction: a place with head 0 contains nothing, and a reader continues with the next word. A file that was
//! truncated loses its last record.
//!
//! The order of records is irrelevant, except that [`Record::Begin`] is the first: a sample may come before its
//! stack and its region. Records with the same id that occur twice are equal.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod read;
mod record;
pub mod simulated;
pub mod variable;
mod write;

pub use read::{Foreign, Reader, each_record};
pub use record::{Cut, Frames, Moment, Object, Record, Sample, info};
pub use write::Writable;

/// The file in a process's folder.
pub const FILE: &str = "records";
/// Changed with every change of the layout.
pub const VERSION: u64 = 3;
/// The oldest version that is read. Version 2 does not have [`Record::Thread::routine`].
pub const OLDEST_VERSION: u64 = 2;
/// The first record's second word: "ORA PROF".
pub const MAGIC: u64 = u64::from_le_bytes(*b"ORA PROF");
/// No record has more words than this.
pub const WORDS: usize = 4096;

//! Format of the data that `ora profile` keeps of a process.
//!
//! Each process has a folder of its own, with one file, [`FILE`]: records behind each other, of 64-bit words in the
//! machine's order. A record's first word, its head, is written last, so that a process may die at any instruction: a
//! place with head 0 holds nothing, and a reader goes on with the next word. A file that was cut off loses its last
//! record.
//!
//! The order of records means nothing, but for [`Record::Begin`], the first: a sample may stand before its stack and
//! its region. Records of one id that stand twice are equal.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod read;
mod record;
pub mod simulated;
pub mod variable;
mod write;

pub use read::{Foreign, Reader};
pub use record::{Cut, Frames, Moment, Object, Record, Sample, info};
pub use write::Writable;

/// The file in a process's folder.
pub const FILE: &str = "records";
/// Changes with every change of the layout.
pub const VERSION: u64 = 3;
/// The oldest version that is read. Version 2 has no [`Record::Thread::routine`].
pub const OLDEST_VERSION: u64 = 2;
/// The first record's second word: "ORA PROF".
pub const MAGIC: u64 = u64::from_le_bytes(*b"ORA PROF");
/// No record has more words than this.
pub const WORDS: usize = 4096;

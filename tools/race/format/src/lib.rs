//! Format of the data that `ora race` stores about a process, and the reader of ThreadSanitizer's logs
//! ([`sanitizer_log`]).
//!
//! Each process writes a file `PID.jsonl` in the folder that [`variable::FOLDER`] names: one JSON object per line,
//! each written whole by one `write` to a file opened with `O_APPEND`. So a process may die at any instruction and
//! loses at most its last line. A forked child opens a file of its own. A process that executes another program
//! appends to the same file: a second [`Line::Process`] starts the new program.
//!
//! Order matters in one respect: a [`Line::Module`] comes before the first race with an address in it. A module that
//! is loaded at an address of an earlier one replaces it for the lines after it.
//!
//! Addresses are strings of hexadecimal digits with `0x`. An address of code is a return address, which is after the
//! instruction that it refers to, unless the access that contains it says `exact`.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod address;
mod line;
mod raw_path;
mod read;
pub mod sanitizer_log;
pub mod variable;

pub use address::Address;
pub use line::{Access, Construct, End, Line, Location, Module, Mutex, Process, Race, Region, Since, Suppressed};
pub use read::{Lines, read};

/// Version of the format; changed whenever the meaning of a key changes. New keys may be added without a change.
pub const VERSION: u32 = 1;
/// Extension of a process's file name, after its number.
pub const EXTENSION: &str = "jsonl";
/// Reason for which a race is only possible: both threads have flushed, which may have passed the value.
pub const FLUSHED: &str = "both threads have executed a flush, which may order the accesses and can't be followed";
/// Reason for which a race is only possible: the block may be a buffer that the thread's tasks and sections use in turn.
pub const OWN_BLOCK: &str = "same thread, in a block that it allocated in the region";

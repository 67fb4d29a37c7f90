//! Format of the data that `ora race` keeps of a process, and the reader of ThreadSanitizer's logs ([`sanitizer_log`]).
//!
//! Each process writes a file `PID.jsonl` in the folder that [`variable::FOLDER`] names: one JSON object a line, each
//! written whole by one `write` to a file opened with `O_APPEND`. So a process may die at any instruction and loses at
//! most its last line. A forked child opens a file of its own. A process that executes another program appends to the
//! same file: a second [`Line::Process`] begins the new program.
//!
//! Order matters in one way: a [`Line::Module`] stands before the first race with an address in it. A module that is
//! loaded at an address of a former one replaces it for the lines behind.
//!
//! Addresses are strings of hexadecimal digits with `0x`. An address of code is a return address, unless the access that
//! holds it says `exact`: it lies behind the instruction that it stands for.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod address;
mod line;
mod read;
pub mod sanitizer_log;
pub mod variable;

pub use address::Address;
pub use line::{Access, Construct, End, Line, Location, Module, Mutex, Process, Race, Region, Since, Suppressed};
pub use read::{Lines, read};

/// Version of the format; it changes with every change of a key's meaning. New keys may come without.
pub const VERSION: u32 = 1;
/// Ending of a process's file name, behind its number.
pub const EXTENSION: &str = "jsonl";
/// Reason for which a race is a possible one only: both threads have flushed, which may have handed the value over.
pub const FLUSHED: &str = "both threads have executed a flush, which may order the accesses and can't be followed";

//! Format of the events that `ora trace` stores for a process.
//!
//! A process has one folder, as for `ora profile`. Its file `records` ([`profile_format`]) describes the process and its
//! code. Next to it, [`FILE`] has the events. It starts with a [`Header`], in the first [`GRAIN`] bytes; chunks follow,
//! each at a multiple of [`GRAIN`]. A chunk belongs to one lane: a sequence of threads, one after the other. It starts
//! with a [`ChunkHeader`]; then come events of 16 bytes ([`Event`]), up to the first word 0.
//!
//! The file is mapped by the process, so a process may die at any instruction: the first word of a chunk and of an
//! event is written last. All words have the machine's byte order.
//!
//! Regions and tasks have an [`id`], which needs no word at their start: it consists of the lane, and the number that
//! the lane has started.
//!
//! `ora trace` packs the file of a process that has ended: the same header, with another version; chunks of the same events in the same
//! order, without holes, each at a multiple of 8 bytes. A packed chunk has its events as columns, compressed (LZ4).
//!
//! [`profile_format`]: ../profile_format/index.html
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod chunk;
mod chunk_header;
mod columns;
mod event;
mod header;
mod kind;
mod layout;
mod packed;
mod packer;
mod read;
mod stream;
pub mod variable;

pub use chunk::{Chunk, Events};
pub use chunk_header::{CHUNK_MAGIC, CHUNK_WORDS, ChunkHeader, MAX_CHUNK_BYTES, MAX_EVENTS, PACKED_MAGIC};
pub use event::{Event, LONGEST, MAX_OPERAND, id, lane_of};
pub use header::{Clock, GRAIN, HEADER_WORDS, Header, MAGIC, PACKED_VERSION, Pair, VERSION, WINDOWS, place};
pub use kind::{Kind, task_flag};
pub use packer::Packer;
pub use read::{Foreign, Trace};
pub use stream::{ChunkStream, StreamError};

/// The file in a process's folder.
pub const FILE: &str = "events";

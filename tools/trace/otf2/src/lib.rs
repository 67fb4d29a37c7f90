//! Writes traces in the Open Trace Format 2 (OTF2), which Vampir, Scalasca and ViTE read.
//!
//! An archive is a folder: `traces.otf2` is its anchor, `traces.def` has the definitions, and `traces/N.evt` the events of
//! location N. [`Archive`] creates it. Definitions get numbers, by which events refer to them.
//!
//! ```
//! use otf2_writer::{Archive, Paradigm, Role};
//!
//! let folder = tempfile::tempdir()?;
//! let mut archive = Archive::create(folder.path())?;
//! let node = archive.node("machine");
//! let process = archive.process("./program", node);
//! let function = archive.region("work", "program.c", 7, Role::FUNCTION, Paradigm::OPENMP);
//! let mut thread = archive.location("thread 0", process)?;
//! thread.enter(1_000, function)?;
//! thread.leave(2_000, function)?;
//! archive.add(thread)?;
//! archive.finish(0, 2_000, 0)?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Times are in nanoseconds, and must not decrease within a location. The layout is that of OTF2 3.0 (trace format 2); its
//! own library reads it (`otf2-print`).
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod archive;
mod chunks;
mod location;
mod paradigm;
mod record;
mod references;
mod role;

pub use archive::Archive;
pub use location::{Location, Task};
pub use paradigm::Paradigm;
pub use references::{Comm, Node, Process, Region};
pub use role::Role;

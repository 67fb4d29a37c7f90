//! Writes traces in the Open Trace Format 2 (OTF2), which Vampir, Scalasca and ViTE read.
//!
//! An archive is a folder: `traces.otf2` is its anchor, `traces.def` has the definitions, and `traces/N.evt` the events of
//! location N. [`Archive`] makes it. Definitions get numbers, by which events name them.
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

mod archive;
mod chunks;
mod location;
mod record;

pub use archive::{Archive, Comm, Node, Process, Region};
pub use location::{Location, Task};

/// Role of a region (`OTF2_RegionRole`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Role(pub u8);

impl Role {
    /// A function.
    pub const FUNCTION: Self = Self(1);
    /// A loop that threads share.
    pub const LOOP: Self = Self(3);
    /// Any piece of code.
    pub const CODE: Self = Self(4);
    /// A parallel region.
    pub const PARALLEL: Self = Self(5);
    /// Another work-sharing region.
    pub const WORKSHARE: Self = Self(8);
    /// A single region.
    pub const SINGLE: Self = Self(9);
    /// A masked region.
    pub const MASTER: Self = Self(11);
    /// A critical section.
    pub const CRITICAL: Self = Self(12);
    /// An atomic update.
    pub const ATOMIC: Self = Self(14);
    /// A barrier of the program's.
    pub const BARRIER: Self = Self(15);
    /// A barrier at the end of a region.
    pub const IMPLICIT_BARRIER: Self = Self(16);
    /// An ordered region.
    pub const ORDERED: Self = Self(18);
    /// An explicit task.
    pub const TASK: Self = Self(20);
    /// A wait for tasks.
    pub const TASK_WAIT: Self = Self(22);
}

/// Paradigm of a region or lock (`OTF2_Paradigm`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Paradigm(pub u8);

impl Paradigm {
    /// OpenMP.
    pub const OPENMP: Self = Self(3);
}

//! What `ora profile` has left behind.

mod facts;
mod folders;
mod objects;
mod process;

use std::io;
use std::path::PathBuf;

use profile_data::Foreign;

use crate::printable::Shown;

pub use facts::Facts;
pub use folders::folders;
pub use objects::{Kind, Object, Objects};
pub use process::{Process, Region, Stack, Thread, ThreadEnd};

/// Why there is nothing to report.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The folder holds no profile.
    #[error("{}: no profile of `ora profile` in there", .0.shown())]
    Nothing(PathBuf),
    /// The system's words.
    #[error("{}: {}", .0.shown(), .1)]
    Unreadable(PathBuf, #[source] io::Error),
    /// The file is another program's, or another version's.
    #[error("{}: {}", .0.shown(), .1)]
    Foreign(PathBuf, #[source] Foreign),
}

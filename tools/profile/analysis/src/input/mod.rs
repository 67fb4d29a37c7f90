//! Input: the profile that `ora profile` has written.

mod ahead;
mod facts;
mod folders;
mod objects;
mod process;
mod runtime;

use std::io;
use std::path::{Path, PathBuf};

use profile_format::Foreign;

use terminal::printable::Shown;

pub use ahead::ahead;
pub use facts::Facts;
pub use folders::folders;
pub use objects::{Kind, Object, Objects};
pub use process::{DEEPEST, Process, Region, Stack, Thread, ThreadEnd};

/// Reason why there is nothing to report.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The folder does not contain a profile.
    #[error("{}: no profile of `ora profile` in this folder. Name the folder that it has written", .0.shown())]
    Nothing(PathBuf),
    /// The system refuses access.
    #[error("{}", refused(.0, .1))]
    Unreadable(PathBuf, #[source] io::Error),
    /// The file is another program's, or another version's.
    #[error("{}: {}", .0.shown(), .1)]
    Foreign(PathBuf, #[source] Foreign),
}

/// Message about a path that the system refuses, with the next step.
fn refused(path: &Path, error: &io::Error) -> String {
    let path = path.shown();
    match error.kind() {
        io::ErrorKind::NotFound => {
            format!(
                "cannot read {path}: it does not exist. Check the name; `ora profile -- PROGRAM` writes a profile to ora-profile"
            )
        }
        io::ErrorKind::NotADirectory => {
            format!("cannot read {path}: it is no folder. Name the folder that `ora profile` has written")
        }
        io::ErrorKind::PermissionDenied => {
            format!("cannot read {path}: permission denied. Ask its owner for access, or run `ora report` as that user")
        }
        _ => {
            let why = error.to_string();
            let why = why.split(" (os error").next().unwrap_or_default();
            format!("cannot read {path}: {why}. Check the disk, or take the profile again")
        }
    }
}

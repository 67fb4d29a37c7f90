//! Input: the profile that `ora profile` has written.

mod facts;
mod folders;
mod objects;
mod process;
mod runtime;

use std::io;
use std::path::{Path, PathBuf};

use profile_data::Foreign;

use crate::printable::Shown;

pub use facts::Facts;
pub use folders::folders;
pub use objects::{Kind, Object, Objects};
pub use process::{Process, Region, Stack, Thread, ThreadEnd};

/// Reason why there is nothing to report.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The folder holds no profile.
    #[error("{}: no profile of `ora profile` in there. Name the folder that it has written", .0.shown())]
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
            format!("there is no {path}. Check the name; `ora profile -- PROGRAM` makes a profile, in ora-profile")
        }
        io::ErrorKind::NotADirectory => format!("{path} is no folder. Name the folder that `ora profile` has written"),
        io::ErrorKind::PermissionDenied => format!("you may not read {path}. Ask its owner, or become that user"),
        _ => {
            let why = error.to_string();
            let why = why.split(" (os error").next().unwrap_or_default();
            format!("cannot read {path}: {why}. Is the disk in order?")
        }
    }
}

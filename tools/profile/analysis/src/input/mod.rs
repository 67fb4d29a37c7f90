//! Input: the profile that `ora profile` has written.

mod ahead;
mod doacross;
mod facts;
mod folders;
mod objects;
mod pieces;
mod process;
mod recorded_file;
mod runtime;

use std::io;
use std::path::{Path, PathBuf};

use profile_format::Foreign;

use terminal::printable::Shown;

pub use ahead::ahead;
pub use facts::Facts;
pub use folders::folders;
pub use objects::{Kind, Object, Objects};
pub use pieces::Pieces;
pub use process::{DEEPEST, Process, Region, Stack, Thread, ThreadEnd};
pub use runtime::Libraries;

/// Reason why there is nothing to report.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The folder has no files.
    #[error("{}: the folder is empty. Name the folder of a profile by `ora profile`, or of a trace by `ora trace`", .0.shown())]
    Empty(PathBuf),
    /// The folder has other files.
    #[error("{}: there is neither a profile by `ora profile` nor a trace by `ora trace` in this folder. Name the folder of one", .0.shown())]
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
                "cannot read {path}: it does not exist. Check the name: without -o, `ora profile` writes to ora-profile, and `ora trace` to ora-trace"
            )
        }
        io::ErrorKind::NotADirectory => {
            format!(
                "cannot read {path}: it is not a folder. Name the folder that `ora profile` or `ora trace` has written"
            )
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

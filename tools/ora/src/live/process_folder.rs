//! The recording of a process that sees other files than `ora`, or is another user's: the process writes it to a folder of its own, and
//! `ora` fetches it with the process's rights.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use attach_outside::Refusal;
use attach_outside::process_folder::ProcessFolder;
use attach_outside::target::Target;
use untrusted::acting::{Bounds, Helper};
use untrusted::own_folder::OwnFolder;
use untrusted::rights::Rights;

use crate::recording_folder::is_process;

/// The folder. It is removed with the value.
#[derive(Debug)]
pub(super) struct FolderOfProcess {
    made: ProcessFolder,
    rights: Rights,
}

impl FolderOfProcess {
    /// Has the process make it.
    ///
    /// # Errors
    /// If the process can make none.
    pub(super) fn make(target: &Target) -> Result<Self, Refusal> {
        Ok(Self { made: ProcessFolder::make(target)?, rights: target.other().rights().clone() })
    }

    /// Its path, as the process sees it.
    pub(super) fn inside(&self) -> &Path {
        &self.made.inside
    }

    /// Copies the folders of the process's recordings to another folder.
    ///
    /// # Errors
    /// If one can't be read or written, or is larger than a recording can be.
    pub(super) fn fetch(&self, to: &OwnFolder) -> io::Result<()> {
        let is_recording = |name: &OsStr| name.to_str().is_some_and(is_process);
        Helper::start(&self.rights, &self.made.folder)?.fetch(to, Bounds::default(), is_recording)
    }
}

impl Drop for FolderOfProcess {
    fn drop(&mut self) {
        let helper = Helper::start(&self.rights, &self.made.place);
        // What the process has exchanged meanwhile stays where it is.
        let _ = helper.and_then(|mut helper| helper.remove(OsStr::new(&self.made.name)));
    }
}

//! Recording of a process that sees other files than `ora`, or that belongs to another user: the process writes it to a folder of its own,
//! and `ora` fetches it with the process's permissions.

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

/// Folder that is removed on drop.
#[derive(Debug)]
pub(super) struct FolderOfProcess {
    made: ProcessFolder,
    rights: Rights,
}

impl FolderOfProcess {
    /// Makes the process create the folder.
    ///
    /// # Errors
    /// If the process can't create one.
    pub(super) fn make(target: &Target) -> Result<Self, Refusal> {
        Ok(Self { made: ProcessFolder::make(target)?, rights: target.other().rights().clone() })
    }

    /// Path of the folder, as the process sees it.
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
        // Anything that the process has replaced meanwhile is left alone.
        let _ = helper.and_then(|mut helper| helper.remove(OsStr::new(&self.made.name)));
    }
}

//! A folder that a process creates for a recording, because it sees other files than `ora` or belongs to another
//! user.
//!
//! The system calls are the process's own, so it creates the folder where its rights allow it, and ownership does not change. `ora`
//! takes handles of the folder and of its parent. The process chooses what these refer to: they must only be used with the process's
//! rights (`untrusted::acting`).

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use untrusted::descriptor::OtherProcess;

use crate::chosen_thread::any_thread;
use crate::refusal::Refusal;
use crate::remote_call::Caller;
use crate::target::Target;

/// Folders that are tried.
const FOLDERS: [&str; 4] = ["/tmp", "/var/tmp", "/dev/shm", "/run"];
/// Maximum number of names that are tried in each.
const NAMES: u32 = 10;

/// The folder.
#[derive(Debug)]
pub struct ProcessFolder {
    /// Its path, as the process sees it.
    pub inside: PathBuf,
    /// Its name in its parent.
    pub name: String,
    /// Handle of its parent folder.
    pub place: OwnedFd,
    /// Its handle.
    pub folder: OwnedFd,
}

impl ProcessFolder {
    /// Makes the process create it.
    ///
    /// # Errors
    /// If no thread can be used, or the process can't create a folder in any of the usual places.
    pub fn make(target: &Target) -> Result<Self, Refusal> {
        let (pid, other) = (target.process.pid, target.other());
        let (mut caller, text) = any_thread(target, target.deadline)?;
        let made = FOLDERS.iter().find_map(|place| make_in(&mut caller, text, pid, Path::new(place), other).ok());
        // After an error the process has ended, or the thread restores itself.
        caller.release().map_err(|_| Refusal::Ended(pid))?;
        made.ok_or(Refusal::OtherFiles(pid))
    }
}

fn make_in(caller: &mut Caller, text: u64, pid: u32, place: &Path, other: &OtherProcess) -> io::Result<ProcessFolder> {
    let place_handle = handle(caller, text, place, other)?;
    for number in 0..NAMES {
        let name = format!("ora-{}-{pid}-{number}", std::process::id());
        let inside = place.join(&name);
        match make(caller, text, &inside) {
            Ok(()) => {
                let folder = handle(caller, text, &inside, other)?;
                return Ok(ProcessFolder { inside, name, place: place_handle, folder });
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn make(caller: &mut Caller, text: u64, path: &Path) -> io::Result<()> {
    write_path(caller, text, path)?;
    let here = i64::from(libc::AT_FDCWD).cast_unsigned();
    caller.system_call(libc::SYS_mkdirat, [here, text, 0o700, 0, 0, 0]).map(drop)
}

/// A handle of a folder that the process opens.
fn handle(caller: &mut Caller, text: u64, path: &Path, other: &OtherProcess) -> io::Result<OwnedFd> {
    write_path(caller, text, path)?;
    let here = i64::from(libc::AT_FDCWD).cast_unsigned();
    let flags = libc::O_PATH | libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_CLOEXEC;
    let number = caller.system_call(libc::SYS_openat, [here, text, flags.unsigned_abs().into(), 0, 0, 0])?;
    let taken = i32::try_from(number).map_err(io::Error::other).and_then(|number| other.folder(number));
    caller.system_call(libc::SYS_close, [number, 0, 0, 0, 0, 0])?;
    taken
}

fn write_path(caller: &Caller, text: u64, path: &Path) -> io::Result<()> {
    caller.write_text(text, path.as_os_str().as_encoded_bytes())
}

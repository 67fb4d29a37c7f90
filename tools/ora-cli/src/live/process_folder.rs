//! A folder that a process sees which sees other files than `ora`: it writes its recording there, and `ora` fetches it.
//!
//! The folder is made through `/proc/PID/root`, and belongs to the process's user. It stays open here, so that it can be read when the
//! process has ended. What is in it comes from the process: links are not followed.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, chown};
use std::path::{Path, PathBuf};

use remote::process::Process;
use remote::target::Target;

/// Folders that are tried.
const PLACES: [&str; 4] = ["/tmp", "/var/tmp", "/dev/shm", "/run"];
/// Most names that are tried in each.
const NAMES: u32 = 100;

/// The folder. It is removed with the value.
#[derive(Debug)]
pub(super) struct ProcessFolder {
    /// Its path, as the process sees it.
    inside: PathBuf,
    place: File,
    name: String,
    folder: File,
}

impl ProcessFolder {
    /// Makes it. `None`: there is no folder in which both may make files.
    pub(super) fn make(target: &Target) -> Option<Self> {
        let process = target.process;
        // The files in /proc/PID are the process's user's and group's.
        let owner = fs::metadata(process.file("task")).ok()?;
        PLACES.into_iter().find_map(|place| Self::make_in(process, place, (owner.uid(), owner.gid())).ok())
    }

    fn make_in(process: Process, place: &str, (user, group): (u32, u32)) -> io::Result<Self> {
        let folder = open_folder(&process.path(Path::new(place)))?;
        for number in 0..NAMES {
            let name = format!("ora-{}-{}-{number}", std::process::id(), process.pid);
            let path = path_of(&folder).join(&name);
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            }
            let made = chown(&path, Some(user), Some(group)).and_then(|()| open_folder(&path));
            return match made {
                Ok(made) => Ok(Self { inside: Path::new(place).join(&name), place: folder, name, folder: made }),
                Err(error) => {
                    let _ = fs::remove_dir(&path);
                    Err(error)
                }
            };
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Its path, as the process sees it.
    pub(super) fn inside(&self) -> &Path {
        &self.inside
    }

    /// Copies the folders of the process's recordings to another folder.
    ///
    /// # Errors
    /// If one can't be read or written.
    pub(super) fn fetch(&self, to: &Path) -> io::Result<()> {
        for entry in fs::read_dir(path_of(&self.folder))? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                let (from, to) = (open_folder(&entry.path())?, to.join(entry.file_name()));
                fs::create_dir(&to)?;
                copy_files(&from, &to)?;
            }
        }
        Ok(())
    }
}

impl Drop for ProcessFolder {
    fn drop(&mut self) {
        // Follows no links.
        let _ = fs::remove_dir_all(path_of(&self.place).join(&self.name));
    }
}

/// Opens a folder itself, not what a link leads to.
fn open_folder(path: &Path) -> io::Result<File> {
    File::options().read(true).custom_flags(libc::O_DIRECTORY | libc::O_NOFOLLOW).open(path)
}

/// Path of an open folder for this process.
fn path_of(folder: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()))
}

/// Copies the ordinary files of a folder.
fn copy_files(from: &File, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(path_of(from))? {
        let entry = entry?;
        // A pipe in its place would be waited for.
        let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
        let mut source = OpenOptions::new().read(true).custom_flags(flags).open(entry.path())?;
        if source.metadata()?.is_file() {
            let mut copy = OpenOptions::new().write(true).create_new(true).open(to.join(entry.file_name()))?;
            io::copy(&mut source, &mut copy)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn made_in(place: &Path) -> ProcessFolder {
        let own = Process { pid: std::process::id() };
        let about = fs::metadata(place).unwrap();
        ProcessFolder::make_in(own, place.to_str().unwrap(), (about.uid(), about.gid())).unwrap()
    }

    #[test]
    fn what_was_written_is_fetched_and_nothing_stays() {
        let (place, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let made = made_in(place.path());
        let inside = made.inside().join("pid-7");
        fs::create_dir(&inside).unwrap();
        fs::write(inside.join("events"), "content").unwrap();
        made.fetch(to.path()).unwrap();
        assert_eq!(fs::read_to_string(to.path().join("pid-7/events")).unwrap(), "content");
        drop(made);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }

    #[test]
    fn links_that_the_process_has_put_there_lead_nowhere() {
        let (place, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let secret = place.path().join("secret");
        fs::create_dir(&secret).unwrap();
        fs::write(secret.join("file"), "secret").unwrap();
        let made = made_in(place.path());
        symlink(&secret, made.inside().join("pid-1")).unwrap();
        made.fetch(to.path()).unwrap();
        assert_eq!(fs::read_dir(to.path()).unwrap().count(), 0, "a link to a folder is left out");
        fs::create_dir(made.inside().join("pid-2")).unwrap();
        symlink(secret.join("file"), made.inside().join("pid-2/events")).unwrap();
        made.fetch(to.path()).unwrap_err();
        assert!(!to.path().join("pid-2/events").exists());
        drop(made);
        assert!(secret.join("file").exists());
    }
}

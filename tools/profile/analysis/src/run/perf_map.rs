//! Copies of `/tmp/perf-PID.map`, in which processes name code that they generated at run time. By the time of a
//! report the file may be gone, or belong to another process.

use std::fs;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use symbols::CODE_MAP_FILE;
use untrusted::recording::Folder;
use untrusted::regular;

/// Larger files are not copied: a report doesn't read them.
const MAX_SIZE: u64 = 256 << 20;

/// Copies the map of each process of the profile, by its folder, if this user has written one since the program was
/// started.
pub fn keep(folders: &[PathBuf], started: SystemTime) {
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        if let Some(pid) = pid(&name) {
            // Without it, addresses appear in place of names.
            let _ = copy(Path::new(&format!("/tmp/perf-{pid}.map")), folder, started);
        }
    }
}

/// The process whose folder has this name: 77 of `rank-0.pid-77.2`.
fn pid(folder: &str) -> Option<u32> {
    let (_, number) = folder.split_once("pid-")?;
    number.split('.').next()?.parse().ok()
}

/// Anybody may create files in /tmp: the map is used only if the process's user has written it, during that process's
/// time.
fn copy(from: &Path, folder: &Path, started: SystemTime) -> io::Result<()> {
    if fs::symlink_metadata(from)?.is_symlink() {
        return Ok(());
    }
    let map = regular::open(from)?;
    let about = map.metadata()?;
    // The folder may belong to the user of a process that root has attached to: links in it are not followed.
    let folder = Folder::open(folder)?;
    if about.uid() == folder.user() && about.modified()? >= started {
        io::copy(&mut map.take(MAX_SIZE), &mut folder.create(CODE_MAP_FILE)?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_is_in_the_folders_name() {
        let table = [("pid-7", Some(7)), ("rank-0.pid-77.2", Some(77)), ("pid-", None), ("rank-3", None)];
        assert_eq!(table.map(|(name, _)| pid(name)), table.map(|(_, pid)| pid));
    }

    #[test]
    fn maps_of_other_times_and_links_stay_where_they_are() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path();
        let (map, link, kept) = (folder.join("a.map"), folder.join("b.map"), folder.join(CODE_MAP_FILE));
        fs::write(&map, "10 10 f\n").unwrap();
        std::os::unix::fs::symlink(&map, &link).unwrap();
        let written = fs::metadata(&map).unwrap().modified().unwrap();
        let later = written + std::time::Duration::from_secs(1);
        copy(&map, folder, later).unwrap();
        copy(&link, folder, written).unwrap();
        let none = !kept.exists();
        copy(&map, folder, written).unwrap();
        let text = fs::read_to_string(&kept);
        assert!(none && text.unwrap() == "10 10 f\n");
    }

    #[test]
    fn a_link_in_place_of_the_copy_leads_nowhere() {
        let scratch = tempfile::tempdir().unwrap();
        let [map, secret, folder] = ["a.map", "secret", "folder"].map(|name| scratch.path().join(name));
        fs::write(&map, "10 10 f\n").unwrap();
        fs::write(&secret, "secret").unwrap();
        fs::create_dir(&folder).unwrap();
        std::os::unix::fs::symlink(&secret, folder.join(CODE_MAP_FILE)).unwrap();
        copy(&map, &folder, SystemTime::UNIX_EPOCH).unwrap_err();
        assert_eq!(fs::read(&secret).unwrap(), b"secret");
        let link = scratch.path().join("link");
        std::os::unix::fs::symlink(scratch.path(), &link).unwrap();
        copy(&map, &link, SystemTime::UNIX_EPOCH).unwrap_err();
    }
}

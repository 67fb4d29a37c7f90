//! The folders of processes in a profile.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use profile_format::FILE;

use super::InputError;
use untrusted::recording::MAX_PROCESSES;
use untrusted::regular;

/// The processes' folders: those given, and those within the given folders. Ranks are ordered by number.
///
/// # Errors
/// If one of them can't be read, or does not contain a profile.
pub fn folders(given: &[PathBuf]) -> Result<Vec<PathBuf>, InputError> {
    let mut found = Vec::new();
    for folder in given {
        found.extend(processes(folder)?);
    }
    let mut seen = BTreeSet::new();
    found.retain(|folder| seen.insert(folder.canonicalize().unwrap_or_else(|_| folder.clone())));
    Ok(found)
}

fn processes(folder: &Path) -> Result<Vec<PathBuf>, InputError> {
    let unreadable = |error| InputError::Unreadable(folder.to_owned(), error);
    match has_begun(folder) {
        Ok(true) => return Ok(vec![folder.to_owned()]),
        Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Err(InputError::Unreadable(folder.join(FILE), error));
        }
        Ok(false) | Err(_) => {}
    }
    let (mut found, mut is_empty) = (Vec::new(), true);
    for (number, entry) in fs::read_dir(folder).map_err(unreadable)?.enumerate() {
        if number >= MAX_PROCESSES {
            let message = format!("it has more than the {MAX_PROCESSES} entries that a recording may have");
            return Err(unreadable(io::Error::new(ErrorKind::FileTooLarge, message)));
        }
        let path = entry.map_err(unreadable)?.path();
        is_empty = false;
        // An unreadable folder counts as none; reading a file in it reports the error.
        if has_begun(&path).unwrap_or_else(|_| path.join(FILE).is_file()) {
            found.push(path);
        }
    }
    if found.is_empty() {
        return Err(if is_empty { InputError::Empty } else { InputError::Nothing }(folder.to_owned()));
    }
    found.sort_by_cached_key(|path| numbers(path));
    Ok(found)
}

/// True if a process has left records in the folder. A file of zeros belongs to a process that had no disk space, or
/// no memory, for its first record.
fn has_begun(folder: &Path) -> io::Result<bool> {
    let mut first = Vec::new();
    regular::open(&folder.join(FILE))?.take(8).read_to_end(&mut first)?;
    Ok(first.iter().any(|byte| *byte != 0))
}

/// The numbers in a folder's name, so that `rank-10` comes after `rank-9`; then the name.
fn numbers(path: &Path) -> (Vec<u64>, String) {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let numbers = name.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect();
    (numbers, name)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use rustix::fs::{CWD, Mode, mkfifoat};

    use super::*;

    #[test]
    fn a_folder_counts_where_a_process_has_left_records() {
        let folder = tempfile::tempdir().unwrap();
        let all = folder.path();
        let make = |name: &str, bytes: &[u8]| {
            fs::create_dir_all(all.join(name)).unwrap();
            fs::write(all.join(name).join(FILE), bytes).unwrap();
        };
        make("pid-1", b"records");
        make("pid-2", &[0; 4096]);
        make("pid-3", b"");
        fs::create_dir(all.join("empty")).unwrap();
        fs::write(all.join("file"), "words").unwrap();
        fs::create_dir_all(all.join("pid-4").join(FILE)).unwrap();
        // A loop of symbolic links can't be read.
        symlink("loop", all.join("loop")).unwrap();
        let found = folders(&[all.to_owned()]);
        let named = folders(&[all.join("pid-4")]);
        assert_eq!(found.unwrap(), [all.join("pid-1")]);
        assert!(matches!(named, Err(InputError::Unreadable(path, _)) if path == all.join("pid-4").join(FILE)));
    }

    #[test]
    fn entries_that_are_no_recordings_stop_no_report() {
        let folder = tempfile::tempdir().unwrap();
        let all = folder.path();
        let make = |name: &str| {
            let process = all.join(name);
            fs::create_dir(&process).unwrap();
            process.join(FILE)
        };
        fs::write(make("pid-1"), b"records").unwrap();
        let pipe = |path: &Path| mkfifoat(CWD, path, Mode::RWXU).unwrap();
        pipe(&make("pid-2"));
        pipe(&all.join("pipe"));
        let _sockets = [make("pid-3"), all.join("socket")].map(|path| UnixListener::bind(path).unwrap());
        symlink("/dev/zero", make("pid-4")).unwrap();
        symlink("/dev/tty", make("pid-5")).unwrap();
        symlink("..", all.join("around")).unwrap();
        let sparse = fs::File::create(make("pid-6")).unwrap();
        sparse.set_len(1 << 40).unwrap();
        assert_eq!(folders(&[all.to_owned()]).unwrap(), [all.join("pid-1")]);
        // If it is given by name, it is reported as unreadable.
        for name in ["pid-2", "pid-3", "pid-4", "pid-5"] {
            assert!(matches!(folders(&[all.join(name)]), Err(InputError::Unreadable(..))), "{name}");
        }
    }

    #[test]
    fn ranks_stand_in_the_order_of_their_numbers() {
        let mut names =
            ["rank-10.pid-7", "rank-9.pid-8", "rank-9.pid-8.2", "rank-0.pid-9"].map(|name| Path::new("d").join(name));
        names.sort_by_cached_key(|path| numbers(path));
        let names = names.map(|path| path.file_name().unwrap().to_string_lossy().into_owned());
        assert_eq!(names, ["rank-0.pid-9", "rank-9.pid-8", "rank-9.pid-8.2", "rank-10.pid-7"]);
    }
}

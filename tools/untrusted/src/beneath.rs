//! Files beneath a folder, opened by paths from outside: links are never followed, and paths can't lead out of the
//! folder.

use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{FileType, Mode, OFlags, ResolveFlags, fstat, openat, openat2};
use rustix::io::Errno;

/// A handle of the file at a path beneath a folder, or of the folder itself if the path is empty. Paths with links, also at the end,
/// are rejected.
///
/// # Errors
/// If the file doesn't exist, a component is a link, or the path could lead out of the folder.
pub(crate) fn handle(folder: &impl AsFd, path: &Path) -> io::Result<OwnedFd> {
    let path = path.strip_prefix("/").unwrap_or(path);
    if path.components().any(|part| !matches!(part, Component::Normal(_))) {
        return Err(ErrorKind::InvalidInput.into());
    }
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let reached = match openat2(folder, path, flags, Mode::empty(), resolve) {
        // Linux before 5.6, or a system call filter that doesn't know the call.
        Err(Errno::NOSYS | Errno::PERM) => step_by_step(folder, path)?,
        answer => answer?,
    };
    // Both ways open a link at the end of the path itself, as a handle.
    if FileType::from_raw_mode(fstat(&reached)?.st_mode).is_symlink() { Err(Errno::LOOP.into()) } else { Ok(reached) }
}

/// Does the same as `openat2`, with one system call for each component.
fn step_by_step(folder: &impl AsFd, path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut parts = path.components().peekable();
    let mut reached = openat(folder, ".", flags | OFlags::DIRECTORY, Mode::empty())?;
    while let Some(part) = parts.next() {
        // A link in the middle of the path isn't a folder.
        let on_the_way = if parts.peek().is_some() { OFlags::DIRECTORY } else { OFlags::empty() };
        reached = openat(&reached, part.as_os_str(), flags | on_the_way, Mode::empty())?;
    }
    Ok(reached)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::CWD;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn neither_links_nor_dots_lead_out_of_a_folder() {
        let place = tempfile::tempdir().unwrap();
        let inside = place.path().join("inside");
        fs::create_dir_all(inside.join("a/b")).unwrap();
        fs::write(inside.join("a/b/file"), "").unwrap();
        fs::write(place.path().join("secret"), "").unwrap();
        symlink("../secret", inside.join("link")).unwrap();
        symlink("a", inside.join("to-a")).unwrap();
        let folder = openat(CWD, &inside, OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).unwrap();
        for path in ["a", "a/b", "a/b/file"] {
            handle(&folder, Path::new(path)).unwrap();
            step_by_step(&folder, Path::new(path)).unwrap();
        }
        handle(&folder, Path::new("link")).unwrap_err();
        for path in ["to-a/b/file", "none", "a/b/file/x"] {
            handle(&folder, Path::new(path)).unwrap_err();
            step_by_step(&folder, Path::new(path)).unwrap_err();
        }
        handle(&folder, Path::new("")).unwrap();
        handle(&folder, Path::new("/a/b")).unwrap();
        for path in ["..", "../secret", "a/../../secret"] {
            handle(&folder, Path::new(path)).unwrap_err();
        }
    }
}

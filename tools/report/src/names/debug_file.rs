//! Debug information in separate files: by the build id, or by the name and the checksum that the file has.
//!
//! The places are those of GDB's manual, "Debugging Information in Separate Files".

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use object::{Object, ReadCache};

/// Where systems keep them.
pub(super) const ROOT: &str = "/usr/lib/debug";

/// The file that has the debug information of `path`, with this build id (empty: none) and this link.
pub(super) fn find(root: &Path, path: &Path, build_id: &[u8], link: Option<(&[u8], u32)>) -> Option<PathBuf> {
    by_build_id(root, build_id).or_else(|| by_link(root, path, build_id, link?))
}

fn by_build_id(root: &Path, build_id: &[u8]) -> Option<PathBuf> {
    let (first, rest) = build_id.split_first().filter(|(_, rest)| !rest.is_empty())?;
    let rest: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
    let path = root.join(format!(".build-id/{first:02x}/{rest}.debug"));
    has_build_id(&path, build_id).then_some(path)
}

fn by_link(root: &Path, path: &Path, build_id: &[u8], (name, sum): (&[u8], u32)) -> Option<PathBuf> {
    let name = std::str::from_utf8(name).ok().filter(|name| !name.is_empty())?;
    // Where the file is, not where a link to it is.
    let path = path.canonicalize().ok()?;
    let folder = path.parent()?;
    let below = root.join(folder.strip_prefix("/").unwrap_or(folder));
    let candidates = [folder.join(name), folder.join(".debug").join(name), below.join(name)];
    candidates.into_iter().filter(|candidate| *candidate != path).find(|candidate| {
        // Equal build ids say the same, and are quicker to read.
        (!build_id.is_empty() && has_build_id(candidate, build_id)) || checksum(candidate) == Some(sum)
    })
}

/// What several debug files share (`dwz`), by the name and the build id that one of them has.
pub(super) fn shared(root: &Path, debug: &Path) -> Option<PathBuf> {
    with_object(debug, |object| {
        let (name, build_id) = object.gnu_debugaltlink().ok()??;
        let name = Path::new(std::str::from_utf8(name).ok()?);
        let beside = debug.canonicalize().ok()?.parent()?.join(name);
        has_build_id(&beside, build_id).then_some(beside).or_else(|| by_build_id(root, build_id))
    })
    .flatten()
}

fn has_build_id(path: &Path, build_id: &[u8]) -> bool {
    with_object(path, |object| object.build_id().ok().flatten() == Some(build_id)).unwrap_or(false)
}

fn checksum(path: &Path) -> Option<u32> {
    let mut file = File::open(path).ok()?;
    let mut buffer = vec![0; 1 << 18];
    let mut sum = crc32fast::Hasher::new();
    loop {
        match file.read(&mut buffer).ok()? {
            0 => return Some(sum.finalize()),
            count => sum.update(buffer.get(..count)?),
        }
    }
}

/// A file of code, of which only what is asked for is read.
pub(super) type Parsed<'a> = object::File<'a, &'a ReadCache<File>>;

/// `None` where it can't be opened or is something else.
pub(super) fn with_object<T>(path: &Path, ask: impl FnOnce(&Parsed<'_>) -> T) -> Option<T> {
    let cache = ReadCache::new(File::open(path).ok()?);
    let parsed = object::File::parse(&cache).ok()?;
    Some(ask(&parsed))
}

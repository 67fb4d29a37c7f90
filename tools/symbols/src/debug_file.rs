//! Separate debug files, found by build id, or by the name and checksum in the file.
//!
//! The places are those of GDB's manual, "Debugging Information in Separate Files".

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

use object::Object;
use untrusted::bounded_file::BoundedFile;
use untrusted::regular::{self, LARGEST_CODE};

/// Folders of debug files, in addition to the places next to the files.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// The system's folder.
    pub(super) root: PathBuf,
    /// Cache of debuginfod's clients (GDB, `perf`).
    pub(super) fetched: Option<PathBuf>,
}

impl Default for Places {
    fn default() -> Self {
        let fetched = fetched(|name| std::env::var_os(name).filter(|value| !value.is_empty()));
        Self { root: PathBuf::from("/usr/lib/debug"), fetched }
    }
}

/// Folder of the clients' cache (`debuginfod_find_debuginfo(3)`, "CACHE").
fn fetched(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let within = |name: &str, folder: &str| variable(name).map(|path| Path::new(&path).join(folder));
    within("DEBUGINFOD_CACHE_PATH", "")
        .or_else(|| within("XDG_CACHE_HOME", "debuginfod_client"))
        .or_else(|| within("HOME", ".cache/debuginfod_client"))
}

impl Places {
    /// Finds the file with the debug information of `path`, by this build id (empty: none) and this link.
    pub(super) fn find(&self, path: &Path, build_id: &[u8], link: Option<(&[u8], u32)>) -> Option<PathBuf> {
        self.by_build_id(build_id).or_else(|| self.by_link(path, build_id, link?))
    }

    fn by_build_id(&self, build_id: &[u8]) -> Option<PathBuf> {
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let (first, rest) = build_id.split_at_checked(1).filter(|(_, rest)| !rest.is_empty())?;
        let system = self.root.join(format!(".build-id/{}/{}.debug", hex(first), hex(rest)));
        let fetched = self.fetched.as_ref().map(|folder| folder.join(hex(build_id)).join("debuginfo"));
        [Some(system), fetched].into_iter().flatten().find(|path| has_build_id(path, build_id))
    }

    fn by_link(&self, path: &Path, build_id: &[u8], (name, sum): (&[u8], u32)) -> Option<PathBuf> {
        let name = std::str::from_utf8(name).ok().filter(|name| !name.is_empty())?;
        // The location of the file, not of a link to it.
        let path = path.canonicalize().ok()?;
        let folder = path.parent()?;
        let below = self.root.join(folder.strip_prefix("/").unwrap_or(folder));
        let candidates = [folder.join(name), folder.join(".debug").join(name), below.join(name)];
        candidates.into_iter().filter(|candidate| *candidate != path).find(|candidate| {
            // Equal build ids identify the file as well as checksums do, and are quicker to read.
            (!build_id.is_empty() && has_build_id(candidate, build_id)) || checksum(candidate) == Some(sum)
        })
    }

    /// Finds the file that several debug files share (`dwz`), by the name and build id in one of them.
    pub(super) fn shared(&self, debug: &Path) -> Option<PathBuf> {
        with_object(debug, |object| {
            let (name, build_id) = object.gnu_debugaltlink().ok()??;
            let name = Path::new(std::str::from_utf8(name).ok()?);
            let beside = debug.canonicalize().ok()?.parent()?.join(name);
            has_build_id(&beside, build_id).then_some(beside).or_else(|| self.by_build_id(build_id))
        })
        .flatten()
    }
}

fn has_build_id(path: &Path, build_id: &[u8]) -> bool {
    with_object(path, |object| object.build_id().ok().flatten() == Some(build_id)).unwrap_or(false)
}

fn checksum(path: &Path) -> Option<u32> {
    let mut file = regular::open_up_to(path, LARGEST_CODE).ok()?;
    let mut buffer = vec![0; 1 << 18];
    let mut sum = crc32fast::Hasher::new();
    loop {
        match file.read(&mut buffer).ok()? {
            0 => return Some(sum.finalize()),
            count => sum.update(buffer.get(..count)?),
        }
    }
}

/// A file of code that is read on demand.
pub(super) type Parsed<'a> = object::File<'a, &'a BoundedFile>;

/// Opens a file and calls `ask` with it. `None` if it can't be opened or is not an object file.
pub(super) fn with_object<T>(path: &Path, ask: impl FnOnce(&Parsed<'_>) -> T) -> Option<T> {
    let file = BoundedFile::new(regular::open_up_to(path, LARGEST_CODE).ok()?);
    let parsed = object::File::parse(&file).ok()?;
    Some(ask(&parsed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_fetched_lies_where_the_environment_says() {
        let all = [("DEBUGINFOD_CACHE_PATH", "/c"), ("XDG_CACHE_HOME", "/x"), ("HOME", "/h")];
        let folder = |from: usize| {
            let value = |name: &str| all.iter().skip(from).find(|(own, _)| *own == name).map(|(_, value)| value.into());
            fetched(value).map(|path| path.display().to_string())
        };
        let expected = ["/c/", "/x/debuginfod_client", "/h/.cache/debuginfod_client"];
        assert_eq!([0, 1, 2].map(folder), expected.map(|path| Some(path.to_owned())));
        assert_eq!(folder(3), None);
    }
}

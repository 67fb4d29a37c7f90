//! Names of answers, which may contain `%p`, `%r` and `%h`.
#![cfg_attr(not(test), expect(clippy::disallowed_methods, reason = "of the system, or of `ora` itself in `/proc`"))]

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::launcher;

/// Values of the letters in a pattern.
struct Values {
    /// The rank; "0" without a launcher.
    rank: String,
    /// The machine's name.
    host: String,
    /// Process id of `ora`.
    process: u32,
}

impl Values {
    fn here() -> Self {
        Self {
            rank: launcher::rank().unwrap_or_else(|| "0".to_owned()),
            host: fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned(),
            process: std::process::id(),
        }
    }

    fn of(&self, letter: u8) -> Option<Cow<'_, str>> {
        Some(match letter {
            b'p' => self.process.to_string().into(),
            b'r' => (&*self.rank).into(),
            b'h' => (&*self.host).into(),
            b'%' => "%".into(),
            _ => return None,
        })
    }
}

/// Expands a name to a path: `%p` is the process of `ora`, `%r` the rank, `%h` the machine, `%%` a percent sign.
pub(crate) fn expand(name: &Path) -> PathBuf {
    expand_with(name, &Values::here()).0
}

/// Like `expand`, for a file: if a launcher has started several ranks, each has its own file. The rank precedes the file's extension,
/// unless the name contains `%r` or `%p`.
pub(crate) fn expand_file(name: &Path) -> PathBuf {
    let (path, told_apart) = expand_with(name, &Values::here());
    match launcher::one_of_several().filter(|_| !told_apart) {
        Some(rank) => with_rank(&path, &rank),
        None => path,
    }
}

/// Returns the path, and true if the name is distinct for each process.
fn expand_with(name: &Path, values: &Values) -> (PathBuf, bool) {
    let mut out = Vec::new();
    let mut told_apart = false;
    let mut rest = name.as_os_str().as_bytes();
    while let [first, behind @ ..] = rest {
        rest = behind;
        let letter = behind.first().copied().unwrap_or_default();
        match (first, values.of(letter)) {
            (b'%', Some(value)) => {
                out.extend_from_slice(value.as_bytes());
                told_apart |= matches!(letter, b'p' | b'r');
                rest = behind.get(1..).unwrap_or_default();
            }
            _ => out.push(*first),
        }
    }
    (OsString::from_vec(out).into(), told_apart)
}

fn with_rank(path: &Path, rank: &str) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(".");
    name.push(rank);
    if let Some(extension) = path.extension() {
        name.push(OsStr::new("."));
        name.push(extension);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_stand_for_the_process_the_rank_and_the_machine() {
        let values = Values { rank: "3".into(), host: "node".into(), process: 77 };
        for (name, path, told_apart) in [
            ("out.json", "out.json", false),
            ("%h/out-%r.json", "node/out-3.json", true),
            ("%p.%h", "77.node", true),
            ("100%%", "100%", false),
            ("50%", "50%", false),
            ("%x", "%x", false),
        ] {
            assert_eq!(expand_with(Path::new(name), &values), (PathBuf::from(path), told_apart), "{name}");
        }
    }

    #[test]
    fn a_rank_stands_before_the_extension() {
        for (name, path) in [("a/out.json", "a/out.1.json"), ("out", "out.1"), ("/dev/full", "/dev/full.1")] {
            assert_eq!(with_rank(Path::new(name), "1"), Path::new(path));
        }
    }
}

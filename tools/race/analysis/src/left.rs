//! Files that the processes of a run have left: lines of the detector, and logs of ThreadSanitizers that are linked
//! into programs.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use race_format::sanitizer_log::{self, Report};
use race_format::{EXTENSION, Lines};
use terminal::printable::Shown as _;
use untrusted::regular;

/// Maximum number of files of a run that are read, and of bytes in them.
const MAX_FILES: usize = 100_000;
const MAX_BYTES: u64 = 4 << 30;
/// Prefix of the names of ThreadSanitizer's logs.
pub(crate) const LOG: &str = "sanitizer";

/// Content of the files.
#[derive(Debug, Default)]
pub struct Left {
    /// Lines of each file that a process has written, by name.
    pub(crate) files: Vec<Lines>,
    /// Races in the log of a ThreadSanitizer that is linked into the program, by process.
    pub(crate) logs: HashMap<u32, Vec<Report>>,
}

/// Receivers of texts for the user.
#[derive(Clone, Copy)]
pub struct Receivers<'a> {
    /// Receives a sentence from `ora`.
    pub say: &'a dyn Fn(&str),
    /// Receives text from ThreadSanitizer.
    pub show: &'a dyn Fn(&str),
}

/// Reads what is in a folder. If `all`, ThreadSanitizer's reports of races are also shown.
///
/// # Errors
/// If the folder can't be read.
pub fn read(folder: &Path, all: bool, receivers: Receivers<'_>) -> Result<Left> {
    let logs = logs(folder, all, receivers)?;
    Ok(Left { files: files(folder, receivers)?, logs })
}

/// The files in a folder, by name: the lines of each process.
fn files(folder: &Path, receivers: Receivers<'_>) -> Result<Vec<Lines>> {
    let mut paths = names(folder)?;
    paths.retain(|path| path.extension() == Some(OsStr::new(EXTENSION)));
    paths.sort_by_key(|path| {
        let number = path.file_stem().and_then(OsStr::to_str).and_then(|stem| stem.parse::<u64>().ok());
        (number, path.clone())
    });
    let mut left = MAX_BYTES;
    Ok(paths
        .iter()
        .filter_map(|path| content(path, &mut left, receivers))
        .map(|bytes| race_format::read(&bytes))
        .collect())
}

/// Paths of the entries of a folder.
fn names(folder: &Path) -> Result<Vec<PathBuf>> {
    let unread = || format!("cannot read what the program has left in {}", folder.shown());
    let entries = fs::read_dir(folder).with_context(unread)?.take(MAX_FILES);
    entries.map(|entry| Ok(entry.with_context(unread)?.path())).collect()
}

/// Content of a file that the program has left. Anything but a regular file is reported and skipped: the program may
/// have put anything there.
fn content(path: &Path, left: &mut u64, receivers: Receivers<'_>) -> Option<Vec<u8>> {
    match regular::read(path, *left) {
        Ok(bytes) => {
            *left -= bytes.len() as u64;
            Some(bytes)
        }
        Err(error) => {
            (receivers.say)(&format!("{} is left out of the races: {error}", path.shown()));
            None
        }
    }
}

/// ThreadSanitizer's logs in a folder, by process. The parts that are not about races, or all of them, are shown.
fn logs(folder: &Path, all: bool, receivers: Receivers<'_>) -> Result<HashMap<u32, Vec<Report>>> {
    let mut logs = HashMap::new();
    let mut left = MAX_BYTES;
    for path in names(folder)? {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let number = name.strip_prefix(LOG).and_then(|rest| rest.strip_prefix('.')?.parse().ok());
        let Some(number) = number else { continue };
        let Some(bytes) = content(&path, &mut left, receivers) else { continue };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let log = sanitizer_log::read(&text);
        (receivers.show)(if all { &text } else { &log.rest });
        logs.insert(number, log.reports);
    }
    Ok(logs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_by_the_number_of_the_process_and_pipes_are_skipped() {
        let folder = tempfile::tempdir().unwrap();
        assert!(std::process::Command::new("mkfifo").arg(folder.path().join("8.jsonl")).status().unwrap().success());
        for (name, reason) in [("10.jsonl", "b"), ("9.jsonl", "a"), ("x.tmp", "c")] {
            let line = format!("{{\"type\":\"suppressed\",\"count\":1,\"reason\":\"{reason}\"}}\n");
            fs::write(folder.path().join(name), line).unwrap();
        }
        let receivers =
            Receivers { say: &|text| assert!(text.contains("8.jsonl is left out"), "{text}"), show: &|_| {} };
        let files = files(folder.path(), receivers).unwrap();
        let reasons: Vec<String> = files.iter().map(|file| format!("{:?}", file.lines)).collect();
        assert_eq!(reasons.len(), 2, "{reasons:?}");
        assert!(reasons[0].contains("\"a\"") && reasons[1].contains("\"b\""), "{reasons:?}");
    }
}

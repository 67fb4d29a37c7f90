//! Differential checks of each parser of untrusted bytes. The second parser is a simple one, or comes from another project: the `object`
//! crate for ELF, a plain split for lists of mappings. Other checks compare what was written with what is read back.
//!
//! [`PARSERS`] lists them. Each function accepts arbitrary bytes and panics on a difference. The coverage-guided target and the replay of
//! the corpus call only these functions.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // a panic is a finding

mod decode;
mod elf;
mod input;
mod lone_stack;
mod maps;
mod opari;
mod profile;
mod race;
pub mod recordings;
mod trace;
mod tune;
mod unwind;

use std::path::{Path, PathBuf};
use std::{fs, panic};

/// A check: panics if a parser reads a file's bytes incorrectly.
pub type Check = fn(&[u8]);

/// Parsers: the name, which is also that of the corpus folder, and the check.
pub const PARSERS: [(&str, Check); 9] = [
    ("decode", decode::check),
    ("elf", elf::check),
    ("maps", maps::check),
    ("opari", opari::check),
    ("profile", profile::check),
    ("race", race::check),
    ("trace", trace::check),
    ("tune", tune::check),
    ("unwind", unwind::check),
];

/// Check for the parser of this name.
pub fn check_of(name: &str) -> Option<Check> {
    PARSERS.iter().find(|(known, _)| *known == name).map(|(_, check)| *check)
}

/// Folder of the corpora, which contains a folder of files for each parser.
pub fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus-parsers")
}

/// Checks a parser with the files of its corpus; returns their number.
///
/// # Panics
/// If a file fails, whose name is printed first, or can't be read.
pub fn replay(name: &str, check: Check) -> usize {
    let mut files: Vec<_> = fs::read_dir(corpus().join(name)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for path in &files {
        let file = fs::read(path).unwrap();
        let failed = panic::catch_unwind(|| check(&file)).is_err();
        assert!(!failed, "{name}: {} fails", path.display());
    }
    files.len()
}

//! Corpus in the repository: files that together reach all the coverage that the guided target has ever reached, and files that once found
//! a bug.

use crate::play::play;
use std::fs;
use std::path::Path;

/// Plays every file; returns their number. The name of a failing file is printed on stderr first.
///
/// # Panics
/// If a file fails, or can't be read.
pub fn play_all() -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let entries = fs::read_dir(&folder).expect("there is a corpus");
    let mut files = entries.map(|entry| entry.expect("it can be read").path()).collect::<Vec<_>>();
    files.sort();
    for path in &files {
        let file = fs::read(path).expect("it can be read");
        let named = Named(path);
        play(&file);
        std::mem::forget(named);
    }
    files.len()
}

/// Prints the file's name if a panic unwinds past it.
struct Named<'a>(&'a Path);

impl Drop for Named<'_> {
    fn drop(&mut self) {
        eprintln!("while playing {}", self.0.display());
    }
}

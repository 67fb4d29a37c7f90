//! Recordings with structured damage, on which every reader of recordings is run: numbers that are 0, maximal or repeated, records that
//! refer to themselves or to each other, wrong lengths, a different order. The same seed gives the same recording.

mod damage;
pub mod outputs;
mod profile_file;
mod random;
pub mod real;
pub mod simulated;
mod trace_file;
pub mod well_formed;

use std::fs;
use std::io;
use std::path::Path;

use profile_analysis::user_model::View;
use symbols::{CODE_MAP_FILE, Files};

use outputs::Written;
pub use profile_file::HOSTILE_NAMES;
use random::Random;

/// Files of a process.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Profile records of the process.
    pub records: Vec<u8>,
    /// Events of the process, if it has any.
    pub events: Option<Vec<u8>>,
    /// Names of the code that the process generated (`perf.map`).
    pub made: Vec<u8>,
}

impl Recording {
    /// Returns the recording with the damage that a seed selects.
    pub fn damaged(&self, seed: u64) -> Self {
        let mut random = Random::new(seed);
        // Damage to one of the files is enough to find a fault; damage to both shows whether the readers agree.
        let which = random.below(3);
        let events = self
            .events
            .as_ref()
            .map(|events| if which == 0 { events.clone() } else { trace_file::damaged(events, &mut random) });
        let is_whole = which == 1 && events.is_some();
        let records = if is_whole { self.records.clone() } else { profile_file::damaged(&self.records, &mut random) };
        Self { records, events, made: self.made.clone() }
    }

    /// Reads the files of a process's folder.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let events = folder.join(trace_format::FILE);
        let events = if events.is_file() { Some(fs::read(events)?) } else { None };
        let made = fs::read(folder.join(CODE_MAP_FILE)).unwrap_or_default();
        Ok(Self { records: fs::read(folder.join(profile_format::FILE))?, events, made })
    }

    /// Returns the recording with this name in place of all others: of programs, machines, objects and functions.
    pub fn named(&self, name: &[u8]) -> Self {
        let records = profile_file::named(&self.records, name);
        let line: Vec<u8> = name.iter().map(|byte| if *byte == b'\n' { b' ' } else { *byte }).collect();
        Self { records, events: self.events.clone(), made: [simulated::MADE_AT, &line].concat() }
    }

    /// Writes the files to a folder, which is created.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        fs::write(folder.join(profile_format::FILE), &self.records)?;
        fs::write(folder.join(CODE_MAP_FILE), &self.made)?;
        self.events.as_ref().map_or(Ok(()), |events| fs::write(folder.join(trace_format::FILE), events))
    }
}

/// Damages one of the recordings, and writes it in every format.
///
/// # Panics
/// If the system refuses temporary files, a reader panics, or the output is not well-formed.
pub fn play(recordings: &[Recording], seed: u64, folder: &Path, files: &Files) {
    let at = usize::try_from(seed).unwrap_or(0) % recordings.len();
    let view = [View::User, View::Expert, View::Machine][usize::try_from(seed / 7 % 3).unwrap_or(0)];
    well_formed::check(&written(&recordings[at].damaged(seed), view, folder, files));
}

/// Writes a recording in every format.
///
/// # Panics
/// If the system refuses temporary files, or a reader panics.
pub fn written(recording: &Recording, view: View, folder: &Path, files: &Files) -> Written {
    let process = folder.join("recording/pid-1");
    recording.write(&process).unwrap();
    let written = outputs::all(&folder.join("recording"), folder, view, files);
    for folder in ["recording", "otf2", "parquet"] {
        _ = fs::remove_dir_all(process.parent().unwrap().with_file_name(folder));
    }
    written
}

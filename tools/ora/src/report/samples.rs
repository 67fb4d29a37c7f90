//! Samples of a recording.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::Result;
use profile_analysis::input::{InputError, Object, Process, ahead};
use profile_analysis::json;
use profile_analysis::profile::{Profile, build};
use profile_analysis::user_model;
use profile_format::FILE;
use symbols::{Files, INSTRUMENTED_FILE, Instrumented, Names, ProcessNames};
use terminal::progress::Progress;

use crate::args::View;

/// Size in bytes of records above which reading takes a while.
const LARGE: u64 = 8_000_000;
/// There is nothing to report.
pub(super) const NO_PROFILE: u8 = 2;

/// Document of `ora report --json` for the processes of a profile.
///
/// # Errors
/// If they can't be read.
pub(crate) fn document(folders: Vec<PathBuf>) -> Result<String> {
    Ok(json::document(&profile_analysis::Report::of(&read(View::User, folders)?))?)
}

/// Reads the samples of these processes.
///
/// # Errors
/// If they can't be read.
pub(crate) fn read(view: View, folders: Vec<PathBuf>) -> Result<Profile, InputError> {
    let view = match view {
        View::User => user_model::View::User,
        View::Expert => user_model::View::Expert,
        View::Machine => user_model::View::Machine,
    };
    // A process's folder is in that of the profile.
    let written: BTreeSet<PathBuf> = folders
        .iter()
        .filter_map(|folder| Some(folder.canonicalize().ok()?.parent()?.join(INSTRUMENTED_FILE)))
        .collect();
    let files = Files::default().with_instrumented(Instrumented::read(written.iter().map(PathBuf::as_path)));
    let mut names = |process: &Process| -> Box<dyn Names> {
        Box::new(ProcessNames::new(&files, process.objects.iter().map(Object::record)).with_made(&process.made))
    };
    let bytes = |folder: &PathBuf| folder.join(FILE).metadata().map_or(0, |file| file.len());
    let large = folders.iter().map(bytes).sum::<u64>() > LARGE;
    let mut progress = Progress::alone();
    ahead(&folders, |processes| {
        let told = (1..).zip(&folders).zip(processes).map(|((number, folder), process)| {
            if large {
                let size = bytes(folder) / 1_000_000;
                progress.show(&format!("reading process {number} of {} ({size} MB)", folders.len()));
            }
            process
        });
        build(told, view, &mut names)
    })
}

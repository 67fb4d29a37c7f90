//! All outputs of `ora report` for a recording, generated in this process.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use profile_analysis::input::{Libraries, Object, Process, ahead, folders};
use profile_analysis::out::{Clock, Stacks, firefox as samples_for_firefox, flame, folded, parquet};
use profile_analysis::profile::{Profile, build};
use profile_analysis::user_model::View;
use profile_analysis::{Report, json, text};
use symbols::source::Sources;
use symbols::{Files, INSTRUMENTED_FILE, Instrumented, Names, ProcessNames};
use terminal::page::Paper;
use trace_analysis::{Samples, firefox, html, is_trace, open, otf2, paraver, perfetto};

/// Written text, by the name of the option or of the file.
#[derive(Debug, Default)]
pub struct Written {
    /// Documents in JSON.
    pub json: Vec<(&'static str, Vec<u8>)>,
    /// Documents in XML or HTML.
    pub markup: Vec<(&'static str, Vec<u8>)>,
    /// Lines of text.
    pub text: Vec<(&'static str, Vec<u8>)>,
}

/// Maximum number of rows of a table: the default.
const ROWS: usize = 20;

/// Reads the recordings in a folder, and writes them in every format. Formats that need more than one file are written to the folder `out`.
/// An error is an acceptable answer.
pub fn all(folder: &Path, out: &Path, view: View, files: &Files) -> Written {
    let mut written = Written::default();
    let Ok(folders) = folders(&[folder.to_owned()]) else { return written };
    let (mut timelines, mut libraries) = (Vec::new(), Libraries::default());
    for folder in folders.iter().filter(|folder| is_trace(folder)) {
        timelines.extend(open(folder, files, &mut libraries).ok());
    }
    if !timelines.is_empty() {
        _ = otf2::write(&out.join("otf2"), &timelines);
        let path = out.join("trace.prv");
        _ = paraver::write(&path, &timelines);
        for (name, path) in [("pcf", path.with_extension("pcf")), ("row", path.with_extension("row")), ("prv", path)] {
            written.text.push((name, fs::read(path).unwrap_or_default()));
        }
        for timeline in &timelines {
            let page = trace_analysis::text::page(timeline, ROWS).render(Paper::default());
            written.text.push(("text of events", page.into_bytes()));
        }
    }
    if let Ok(profile) = profile(folders, view, files) {
        let stacks = Stacks::of(&profile);
        let report = Report::of(&profile);
        of_samples(&mut written, &stacks, &report, out);
        let samples = Samples::of(&profile, &stacks);
        let with_events = timelines.len();
        written.json.extend(trace_analysis::json::document(&timelines, Some(&report), ROWS).ok().map(of_text));
        samples.complete(&mut timelines);
        let mut sources = Sources::default();
        let of_profile = profile_analysis::html::document(&report, &mut sources);
        written.markup.push(("html", bytes(|to| page::write(to, &of_profile))));
        let of_all = html::document(&timelines, Some(&samples), &mut sources);
        written.markup.push(("html of events", bytes(|to| page::write(to, &of_all))));
        bytes(|to| perfetto::write(to, &timelines, Some(&samples)));
        if with_events > 0 {
            written.json.push(("firefox", bytes(|to| firefox::write(to, &timelines, Some(&samples)))));
        }
    }
    written
}

fn of_text(text: String) -> (&'static str, Vec<u8>) {
    ("json of events", text.into_bytes())
}

fn of_samples(written: &mut Written, stacks: &Stacks<'_>, report: &Report<'_>, out: &Path) {
    let title = flame::Title { program: stacks.recording().program, below: "time".to_owned() };
    let mut picture = Vec::new();
    if flame::write(&mut picture, &title, stacks.weighted(), Clock::Wall).is_ok() {
        written.markup.push(("flame", picture));
    }
    written.text.push(("folded", bytes(|mut to| folded::write(&mut to, stacks.weighted(), Clock::Wall))));
    let mut document = Vec::new();
    if samples_for_firefox::write(&mut document, &stacks.recording(), stacks.weighted()).is_ok() {
        written.json.push(("firefox", document));
    }
    _ = parquet::write(&out.join("parquet"), report);
    written.json.extend(json::document(report).ok().map(|text| ("json", text.into_bytes())));
    written.text.push(("text", text::page(report, ROWS).render(Paper::default()).into_bytes()));
    written.text.push(("summary", terminal::printable::text(&text::summary(report)).into_owned().into_bytes()));
}

fn bytes(write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> Vec<u8> {
    let mut bytes = Vec::new();
    _ = write(&mut bytes);
    bytes
}

fn profile(folders: Vec<PathBuf>, view: View, files: &Files) -> Result<Profile, profile_analysis::input::InputError> {
    let beside: BTreeSet<PathBuf> =
        folders.iter().filter_map(|folder| Some(folder.parent()?.join(INSTRUMENTED_FILE))).collect();
    // Read as the command reads it, but not used: all recordings share the files with names.
    _ = Instrumented::read(beside.iter().map(PathBuf::as_path));
    let mut names = |process: &Process| -> Box<dyn Names> {
        Box::new(ProcessNames::new(files, process.objects.iter().map(Object::record)).with_made(&process.made))
    };
    ahead(&folders, |processes| build(processes, view, &mut names))
}

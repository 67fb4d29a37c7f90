//! Totals of a traced run: counts over all its processes.

use std::collections::BTreeSet;
use std::path::Path;

use report::printable::Shown;
use report::regular;
use trace_data::{FILE, Kind, Trace};

use crate::recording_folder::RecordingFolder;

/// Totals over all processes of a trace.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) processes: usize,
    pub(crate) threads: u64,
    pub(crate) events: u64,
    /// Events that found no room.
    pub(crate) lost: u64,
    /// Events that rings have overwritten.
    pub(crate) overwritten: u64,
    /// Regions that took longer than `--slow`.
    pub(crate) windows: usize,
    /// Processes that have ended without exit handlers, or run still.
    pub(crate) open: usize,
    /// Error number that has ended a recording; 0: none.
    pub(crate) error: u64,
    pub(crate) bytes: u64,
    /// Files that can't be read.
    pub(crate) unreadable: Vec<String>,
}

impl Totals {
    /// Totals of the processes that have left events.
    pub(crate) fn of(place: &RecordingFolder) -> Self {
        let mut totals = Self::default();
        let traced = place.processes().into_iter().filter(|folder| timeline::is_trace(folder));
        traced.for_each(|folder| totals.add(&folder.join(FILE)));
        totals
    }

    fn add(&mut self, path: &Path) {
        let bytes = match regular::read(path) {
            Ok(bytes) => bytes,
            Err(error) => return self.unreadable.push(format!("{}: {error}", path.shown())),
        };
        let trace = match Trace::new(&bytes) {
            Ok(trace) => trace,
            Err(error) => return self.unreadable.push(format!("{}: {error}", path.shown())),
        };
        self.processes += 1;
        self.bytes += bytes.len() as u64;
        self.lost += trace.header.lost;
        self.overwritten += trace.header.overwritten;
        self.windows += trace.header.windows.len();
        self.open += usize::from(trace.header.end.is_none());
        self.error = self.error.max(trace.header.error);
        let mut threads = BTreeSet::new();
        for chunk in trace.chunks() {
            threads.insert((chunk.header.lane, u64::from(chunk.header.tid)));
            for event in chunk.events() {
                if event.kind == Kind::ThreadBegin {
                    threads.insert((chunk.header.lane, event.word));
                }
                self.events += u64::from(!matches!(event.kind, Kind::Recorder | Kind::ClockPair));
            }
        }
        self.threads += threads.iter().filter(|(_, tid)| *tid != 0).count() as u64;
    }
}

//! Totals of a traced run: counts over all its processes.

use std::collections::BTreeSet;
use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use terminal::printable::Shown;
use trace_format::{Chunk, ChunkStream, FILE, Header, Kind};
use untrusted::regular;

use super::packed_file::PackedFile;
use crate::open::is_trace;

/// Totals over all processes of a trace.
#[derive(Debug, Default)]
pub struct Totals {
    /// Processes that have left events.
    pub processes: usize,
    /// Threads of these processes.
    pub threads: u64,
    /// Events of all threads.
    pub events: u64,
    /// Events that could not be stored.
    pub lost: u64,
    /// Events that rings have overwritten.
    pub overwritten: u64,
    /// Regions that took longer than `--slow`.
    pub slow_regions: u64,
    /// Those of them whose events are kept.
    pub windows: u64,
    /// Processes that have ended without exit handlers, or are still running.
    pub open: usize,
    /// Error number of the failure that ended a recording; 0 if there was none.
    pub error: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// Reason why a file stays unpacked.
    pub unpacked: Option<io::Error>,
    /// Files that can't be read.
    pub unreadable: Vec<String>,
}

impl Totals {
    /// Counts what the processes have recorded in these folders, and packs the files of those that have ended.
    pub fn of(folders: &[PathBuf]) -> Self {
        Self::when(folders, |header| header.end.is_some())
    }

    /// Like [`Totals::of`], for a copy, to which no process writes.
    pub fn of_copy(folders: &[PathBuf]) -> Self {
        Self::when(folders, |_| true)
    }

    fn when(folders: &[PathBuf], is_complete: fn(&Header) -> bool) -> Self {
        let mut totals = Self::default();
        let traced = folders.iter().filter(|folder| is_trace(folder));
        for path in traced.map(|folder| folder.join(FILE)) {
            if let Err(error) = totals.add(&path, is_complete) {
                totals.unreadable.push(format!("{}: {error}", path.shown()));
            }
        }
        totals
    }

    fn add(&mut self, path: &Path, is_complete: fn(&Header) -> bool) -> Result<(), Box<dyn Error>> {
        let mut stream = ChunkStream::new(regular::open(path)?)?;
        let header = &stream.header;
        self.processes += 1;
        self.lost += header.lost;
        self.overwritten += header.overwritten;
        self.slow_regions += header.slow_regions;
        self.windows += header.windows.len() as u64;
        self.open += usize::from(header.end.is_none());
        self.error = self.error.max(header.error);
        let mut threads = BTreeSet::new();
        // Already packed: another `ora` that waited for the same process got there first.
        let is_wanted = is_complete(header) && !header.is_packed;
        let mut packed = is_wanted.then(|| PackedFile::begin(path, &stream.header_bytes));
        while let Some(chunk) = stream.next_chunk()? {
            self.add_chunk(&chunk, &mut threads);
            if let Some(Ok(file)) = &mut packed
                && let Err(error) = file.add(&chunk)
            {
                packed = Some(Err(error));
            }
        }
        let packed = packed.map(|packed| packed.and_then(PackedFile::finish)).transpose();
        self.bytes += packed.as_ref().ok().copied().flatten().unwrap_or(stream.bytes);
        self.unpacked = self.unpacked.take().or(packed.err());
        self.threads += threads.iter().filter(|(_, tid)| *tid != 0).count() as u64;
        Ok(())
    }

    fn add_chunk(&mut self, chunk: &Chunk<'_>, threads: &mut BTreeSet<(u32, u64)>) {
        threads.insert((chunk.header.lane, u64::from(chunk.header.tid)));
        for event in chunk.events() {
            if event.kind == Kind::ThreadBegin {
                threads.insert((chunk.header.lane, event.word));
            }
            self.events += u64::from(!matches!(event.kind, Kind::Recorder | Kind::ClockPair));
        }
    }
}

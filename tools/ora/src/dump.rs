//! `ora trace --dump PID`: copies the content of a flight recorder while the program continues.
//!
//! The recorder's file is copied; no thread is stopped, and no code runs in the process. Threads write to the file in the meantime: a chunk
//! that has been restarted is omitted from the copy.
//!
//! The files belong to the process's user, who may replace them at any time. They are opened and read with that user's permissions
//! ([`untrusted::acting`]), without following links, and the file of events is the one that the process has mapped.
#![cfg_attr(
    not(test),
    expect(clippy::disallowed_methods, reason = "the user of `ora` has named them on the command line")
)]

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Seek as _};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use attach_outside::Refusal;
use attach_outside::process::Process;
use terminal::printable::Shown;
use trace_analysis::run::{self, Totals};
use trace_format::{CHUNK_WORDS, ChunkHeader, ChunkStream, FILE, MAGIC};
use untrusted::acting::{Bounds, Helper};
use untrusted::descriptor::OtherProcess;
use untrusted::own_folder::OwnFolder;

use crate::args;
use crate::exit::Exit;
use crate::live;
use crate::output::{Answer, Output};
use crate::recording_folder::{Recording, RecordingFolder, is_process};

/// Size of a chunk's header in bytes.
const HEADER: usize = 8 * CHUNK_WORDS;
/// Size of an event in bytes.
const EVENT: usize = 16;
/// Maximum size in bytes of a hole at the end that is kept: no chunk is longer.
const LONGEST_END: u64 = 1 << 22;
/// Maximum number of mapped files with that name that are tried.
const MAX_FILES: usize = 64;

/// Copies what the process `pid` has recorded so far to a new folder.
///
/// # Errors
/// If the process doesn't exist, isn't traced or may not be examined, or if the copy can't be written.
pub(crate) fn dump(args: &args::Trace, pid: u32) -> Result<Exit> {
    let mut from = Recorded::of(Process { pid })?;
    let place = RecordingFolder::choose(args.output.as_deref(), Recording::Trace)?;
    // The process has chosen the name of its folder.
    let usual = OsString::from(format!("pid-{pid}"));
    let name = from.folder.file_name().filter(|name| name.to_str().is_some_and(is_process)).map(OsStr::to_owned);
    let name = name.unwrap_or(usual);
    let to = place.opened().make(&name);
    to.and_then(|to| from.copy(&to).inspect_err(|_| drop(place.opened().remove(&name))))
        .inspect_err(|_| place.leave())
        .with_context(|| format!("cannot copy the trace to {}", place.folder().join(&name).shown()))?;
    let totals = Totals::of_copy(&place.processes());
    Output::Stderr.write(&Answer::Page(run::dumped(&place.shown(), &totals, pid), args.screen))?;
    Ok(Exit::Code(0))
}

/// Folder that a process records to, and a helper that reads it with the process's permissions.
#[derive(Debug)]
struct Recorded {
    helper: Helper,
    /// Path of the folder for the helper.
    folder: PathBuf,
    /// Size of the file of events, which is open.
    size: u64,
}

impl Recorded {
    /// Finds the folder of a process, whose file of events is mapped.
    fn of(process: Process) -> Result<Self> {
        let pid = process.pid;
        let not_allowed = || format!("cannot examine process {pid}: run ora as the user who runs it, or as root");
        let gone = |error: &io::Error| {
            matches!(error.kind(), ErrorKind::NotFound) || error.raw_os_error() == Some(libc::ESRCH)
        };
        let other = match OtherProcess::open(pid) {
            Err(error) if gone(&error) => return Err(live::failure(Refusal::NoProcess(pid)).into()),
            answer => answer.with_context(not_allowed)?,
        };
        let mappings = match process.mappings() {
            Err(error) if gone(&error) => return Err(live::failure(Refusal::NoProcess(pid)).into()),
            answer => answer.with_context(not_allowed)?,
        };
        if mappings.is_empty() {
            bail!("process {pid} has ended, or is a kernel thread: there is nothing to copy");
        }
        let is_events = |path: &Path| path.file_name().is_some_and(|name| name == FILE);
        let mapped = mappings.into_iter().rev().filter(|it| it.inode != 0 && !it.deleted && is_events(&it.path));
        let mut files: Vec<_> = mapped.map(|it| (it.inode, it.path)).collect();
        files.dedup();
        files.truncate(MAX_FILES);
        // The path of a mapping is relative to the process's root or, if that is a folder in ours, to ours.
        for root in [other.root(), File::open("/").map(Into::into)] {
            let mut helper = Helper::start(other.rights(), &root.with_context(not_allowed)?)
                .with_context(|| format!("cannot read files with the rights of process {pid}"))?;
            for (inode, path) in &files {
                let size = open_mapped(&mut helper, path, *inode).or_else(|error| match error.kind() {
                    // This is not about the file: the helper has been killed or stopped.
                    ErrorKind::BrokenPipe | ErrorKind::TimedOut | ErrorKind::ConnectionReset => Err(error),
                    _ => Ok(None),
                });
                let size = size.with_context(|| format!("cannot read files with the rights of process {pid}"))?;
                if let Some(size) = size {
                    let folder = path.parent().unwrap_or(Path::new("/")).to_owned();
                    return Ok(Self { helper, folder, size });
                }
            }
        }
        bail!(
            "process {pid} is not being traced. Start it with `ora trace --last 10s -- PROGRAM`, then ask again; `ora attach` \
             watches a process that wasn't"
        )
    }

    /// Copies the files to one of our folders.
    fn copy(&mut self, to: &OwnFolder) -> io::Result<()> {
        let mut bounds = Bounds::default();
        let events = to.file(OsStr::new(FILE))?;
        let end = self.helper.copy_rest(&events, 0, &mut bounds)?;
        // The last chunk may be full by the time it is read again; the reserved space after it is empty.
        let copied = end.max(self.size.min(end.saturating_add(LONGEST_END)));
        events.set_len(copied)?;
        make_whole(&events, |offset, bytes| self.helper.read_exact_at(bytes, offset))?;
        // A full chunk is copied to the end of the file before its memory is reused.
        self.helper.copy_rest(&events, copied, &mut bounds)?;
        // Chunks that are there now may follow one that was not full before.
        make_whole(&events, |offset, bytes| self.helper.read_exact_at(bytes, offset))?;
        // Done last, so that everything the events refer to exists.
        self.helper.fetch_files(&self.folder, to, &mut bounds, &mut |name| name != FILE)
    }
}

/// Opens the file of a mapping, and returns its size. `None` if another file has its path, or it contains no events.
///
/// # Errors
/// If it can't be opened or read.
fn open_mapped(helper: &mut Helper, path: &Path, inode: u64) -> io::Result<Option<u64>> {
    let about = helper.open(path)?;
    let mut start = [0; 8];
    helper.read_exact_at(&mut start, 0)?;
    let is_it = about.inode == inode && u64::from_ne_bytes(start) == MAGIC;
    Ok(is_it.then_some(about.size))
}

/// Repairs the parts that changed while the file was copied; `read` reads them again.
///
/// A chunk that is followed by another one of its lane is full, but may not have been when it was copied, or when a part of it was. The last
/// chunk of a lane ends where the first event is missing. If a chunk's header has changed since,
/// it may contain some newer events as well: its first word is cleared, so that readers skip it. A thread clears that word before it reuses
/// a chunk under a new number.
fn make_whole(copy: &File, mut read: impl FnMut(u64, &mut [u8]) -> io::Result<()>) -> io::Result<()> {
    let chunks = chunks(copy)?;
    let mut newest = BTreeMap::new();
    for (_, header) in &chunks {
        let number: &mut u64 = newest.entry(header.lane).or_default();
        *number = header.number.max(*number);
    }
    let length = copy.metadata()?.len();
    for (offset, header) in chunks {
        let end = offset.saturating_add(u64::from(header.bytes));
        let went_on = newest.get(&header.lane).is_some_and(|number| header.number < *number);
        let mut words = [0; HEADER];
        copy.read_exact_at(&mut words, offset)?;
        if end <= length {
            let mut chunk = vec![0; header.bytes as usize];
            copy.read_exact_at(&mut chunk, offset)?;
            if let Some(hole) = hole(&chunk) {
                if went_on {
                    read(offset, &mut chunk)?;
                } else {
                    chunk.get_mut(hole..).unwrap_or_default().fill(0);
                }
                copy.write_all_at(&chunk, offset)?;
            }
        }
        let mut now = [0; HEADER];
        read(offset, &mut now)?;
        if now != words {
            copy.write_all_at(&[0; 8], offset)?;
        }
    }
    Ok(())
}

/// Position in a chunk of the first event that is missing.
fn hole(chunk: &[u8]) -> Option<usize> {
    let events = chunk.get(HEADER..)?.chunks_exact(EVENT);
    Some(HEADER + EVENT * events.into_iter().position(|event| event == [0; EVENT])?)
}

/// Position and header of each chunk of a file.
fn chunks(file: &File) -> io::Result<Vec<(u64, ChunkHeader)>> {
    let mut source = file;
    source.rewind()?;
    let Ok(mut stream) = ChunkStream::new(source) else { return Ok(Vec::new()) };
    let mut chunks = Vec::new();
    while let Some(chunk) = stream.next_chunk()? {
        chunks.push((chunk.offset as u64, chunk.header));
    }
    Ok(chunks)
}

#[cfg(test)]
mod tests {

    use trace_format::{GRAIN, HEADER_WORDS, VERSION, place};

    use super::*;

    const CHUNK: u32 = 8192;

    fn header(lane: u32, number: u64) -> [u8; HEADER] {
        let header = ChunkHeader { bytes: CHUNK, lane, number, begin_ns: 1, ..ChunkHeader::default() };
        let mut all = [0; HEADER];
        all.chunks_mut(8).zip(header.words()).for_each(|(to, word)| to.copy_from_slice(&word.to_ne_bytes()));
        all
    }

    /// Builds a file of chunks with these headers and these bytes as events.
    fn file(of: &[([u8; HEADER], &[u8])]) -> Vec<u8> {
        let mut words = vec![0_u64; HEADER_WORDS];
        (words[place::MAGIC], words[place::VERSION]) = (MAGIC, VERSION);
        let mut file: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        file.resize(GRAIN, 0);
        for (header, events) in of {
            let end = file.len() + CHUNK as usize;
            file.extend(header);
            file.extend(*events);
            file.resize(end, 0);
        }
        file
    }

    /// Copy of a file that has changed since, after the repair.
    fn mended(copied: &[([u8; HEADER], &[u8])], now: &[([u8; HEADER], &[u8])]) -> File {
        let (copy, now) = (tempfile::tempfile().unwrap(), file(now));
        copy.write_all_at(&file(copied), 0).unwrap();
        let read = |offset: u64, to: &mut [u8]| {
            let offset = usize::try_from(offset).unwrap();
            to.copy_from_slice(&now[offset..offset + to.len()]);
            Ok(())
        };
        make_whole(&copy, read).unwrap();
        copy
    }

    #[test]
    fn a_chunk_that_was_begun_anew_is_left_out() {
        // The first chunk continues, the second one has been reused, and the third one is being cleared.
        let copied = [0, 1, 2].map(|lane| (header(lane, 5), &[][..]));
        let now = [(header(0, 5), &[][..]), (header(1, 8), &[]), ([0; HEADER], &[])];
        let copy = mended(&copied, &now);
        assert_eq!(chunks(&copy).unwrap().into_iter().map(|(offset, _)| offset).collect::<Vec<_>>(), [GRAIN as u64]);
    }

    #[test]
    fn a_chunk_behind_which_there_is_another_one_is_full() {
        let events = |copy: &File, offset: u64| -> u64 {
            let mut events = [0; CHUNK as usize - HEADER];
            copy.read_exact_at(&mut events, offset + HEADER as u64).unwrap();
            events.iter().map(|it| u64::from(*it)).sum()
        };
        let full = [1; CHUNK as usize - HEADER];
        // When the first lane's chunk was copied, it contained few events; its thread filled it before the next one was copied.
        let copied = [(header(0, 5), &full[..32]), (header(0, 6), &full[..16]), (header(1, 0), &full[..48])];
        let now = [(header(0, 5), &full[..]), (header(0, 6), &full[..64]), (header(1, 0), &full[..80])];
        let copy = mended(&copied, &now);
        let lengths: Vec<u64> = chunks(&copy).unwrap().into_iter().map(|(offset, _)| events(&copy, offset)).collect();
        assert_eq!(lengths, [full.len() as u64, 16, 48]);
        // Its end was copied when it was full, and what is before that earlier.
        let mut hole = full;
        hole[32..64].fill(0);
        let copied_in_parts = [(header(0, 5), &hole[..]), (header(0, 6), &hole[..80]), copied[2]];
        let copy = mended(&copied_in_parts, &now);
        let lengths: Vec<u64> = chunks(&copy).unwrap().into_iter().map(|(offset, _)| events(&copy, offset)).collect();
        assert_eq!(lengths, [full.len() as u64, 32, 48], "the last chunk ends where an event is missing");
        // The chunk was reused in between.
        let copy = mended(&copied, &[(header(0, 7), &full[..16]), now[1], now[2]]);
        assert_eq!(chunks(&copy).unwrap().iter().map(|(_, header)| header.number).collect::<Vec<_>>(), [6, 0]);
    }
}

//! `ora trace --dump PID`: what a flight recorder has, while the program goes on.
//!
//! The recorder's file is copied; nobody is stopped, and nothing runs in the process. Threads write to it meanwhile: a chunk
//! that was begun anew is left out of the copy.
//!
//! The files belong to the process's user, who may exchange them meanwhile. They are opened and read with that user's rights
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

/// Bytes of a chunk's header.
const HEADER: usize = 8 * CHUNK_WORDS;
/// Bytes of an event.
const EVENT: usize = 16;
/// Most bytes of a hole at the end that are kept: no chunk is longer.
const LONGEST_END: u64 = 1 << 22;
/// Most mapped files of that name that are tried.
const MAX_FILES: usize = 64;

/// Copies what the process `pid` has recorded so far to a new folder.
///
/// # Errors
/// If there is no such process, it isn't traced, may not be looked at, or the copy can't be written.
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

/// The folder that a process records to, and a helper that reads it with the process's rights.
#[derive(Debug)]
struct Recorded {
    helper: Helper,
    /// Path of the folder, as the helper has it.
    folder: PathBuf,
    /// Size of the file of events, which is open.
    size: u64,
}

impl Recorded {
    /// The folder of a process: its file of events is mapped.
    fn of(process: Process) -> Result<Self> {
        let pid = process.pid;
        let not_allowed = || format!("cannot look at process {pid}: run ora as the user who runs it, or as root");
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
        // A path of a mapping counts from the process's root or, where that is a folder of ours, from ours.
        for root in [other.root(), File::open("/").map(Into::into)] {
            let mut helper = Helper::start(other.rights(), &root.with_context(not_allowed)?)
                .with_context(|| format!("cannot read files with the rights of process {pid}"))?;
            for (inode, path) in &files {
                let size = open_mapped(&mut helper, path, *inode).or_else(|error| match error.kind() {
                    // Nothing of the file: somebody has ended the helper, or stopped it.
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

    /// Copies the files to a folder of ours.
    fn copy(&mut self, to: &OwnFolder) -> io::Result<()> {
        let mut bounds = Bounds::default();
        let events = to.file(OsStr::new(FILE))?;
        let end = self.helper.copy_rest(&events, 0, &mut bounds)?;
        // The last chunk may be full by the time that it is read anew; what is reserved after it is nothing.
        let copied = end.max(self.size.min(end.saturating_add(LONGEST_END)));
        events.set_len(copied)?;
        make_whole(&events, |offset, bytes| self.helper.read_exact_at(bytes, offset))?;
        // A full chunk is copied to the end of the file before its memory is used again.
        self.helper.copy_rest(&events, copied, &mut bounds)?;
        // Afterwards: what the events refer to is there.
        self.helper.fetch_files(&self.folder, to, &mut bounds, &mut |name| name != FILE)
    }
}

/// Opens the file of a mapping, and returns its size. `None`: another file is at its path, or it has no events.
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

/// Mends what has changed while the file was copied; `read` reads it anew.
///
/// A chunk that another one of its lane follows is full, but perhaps was not when it was copied. One whose header has
/// changed since perhaps has some newer events as well: its first word is cleared, so that readers pass it over. A thread clears
/// that word before it uses a chunk again, under a new number.
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
        if went_on && end <= length && ends_with_room(copy, end)? {
            let mut chunk = vec![0; header.bytes as usize];
            read(offset, &mut chunk)?;
            copy.write_all_at(&chunk, offset)?;
        }
        let mut now = [0; HEADER];
        read(offset, &mut now)?;
        if now != words {
            copy.write_all_at(&[0; 8], offset)?;
        }
    }
    Ok(())
}

/// True if a chunk that ends there has room for an event.
fn ends_with_room(copy: &File, end: u64) -> io::Result<bool> {
    let mut last = [0; EVENT];
    copy.read_exact_at(&mut last, end.saturating_sub(EVENT as u64))?;
    Ok(last == [0; EVENT])
}

/// Place and header of each chunk of a file.
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

    /// A file of chunks with these headers, whose events are these bytes.
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

    /// The copy of a file that has become another one.
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
        // The first one goes on, the second one is used again, the third one is being cleared.
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
        // When the first lane's chunk was copied, it had few events; its thread filled it before the next one was copied.
        let copied = [(header(0, 5), &full[..32]), (header(0, 6), &full[..16]), (header(1, 0), &full[..48])];
        let now = [(header(0, 5), &full[..]), (header(0, 6), &full[..64]), (header(1, 0), &full[..80])];
        let copy = mended(&copied, &now);
        let lengths: Vec<u64> = chunks(&copy).unwrap().into_iter().map(|(offset, _)| events(&copy, offset)).collect();
        assert_eq!(lengths, [full.len() as u64, 16, 48]);
        // It was used again in between.
        let copy = mended(&copied, &[(header(0, 7), &full[..16]), now[1], now[2]]);
        assert_eq!(chunks(&copy).unwrap().iter().map(|(_, header)| header.number).collect::<Vec<_>>(), [6, 0]);
    }
}

//! `ora trace --dump PID`: what a flight recorder has, while the program goes on.
//!
//! The recorder's file is copied; nobody is stopped, and nothing runs in the process. Threads write to it meanwhile: a chunk
//! that was begun anew is left out of the copy.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use remote::Refusal;
use remote::process::Process;
use report::printable::Shown;

use trace_data::{CHUNK_WORDS, ChunkHeader, FILE, Trace};

use super::summary;
use super::totals::Totals;
use crate::args;
use crate::exit::Exit;
use crate::output::{Answer, Output};
use crate::recording_folder::{Recording, RecordingFolder};

/// Bytes of a chunk's header.
const HEADER: usize = 8 * CHUNK_WORDS;
/// Bytes of an event.
const EVENT: usize = 16;

/// Copies what the process `pid` has recorded so far to a new folder.
///
/// # Errors
/// If there is no such process, it isn't traced, may not be looked at, or the copy can't be written.
pub(crate) fn dump(args: &args::Trace, pid: u32) -> Result<Exit> {
    let from = folder_of(Process { pid })?;
    let name = from.file_name().unwrap_or_default();
    let place = RecordingFolder::choose(args.output.as_deref(), Recording::Trace)?;
    let to = place.folder().join(name);
    let copied = fs::create_dir(&to).and_then(|()| copy(&from, &to));
    copied.inspect_err(|_| place.leave()).with_context(|| format!("cannot copy the trace to {}", to.shown()))?;
    let totals = Totals::of_copy(&place);
    Output::Stderr.write(&Answer::Page(summary::dumped(&place, &totals, pid), args.screen))?;
    Ok(Exit::Code(0))
}

/// The folder that a process records to: its header is mapped there.
fn folder_of(process: Process) -> Result<PathBuf> {
    let pid = process.pid;
    let mappings = match process.mappings() {
        Ok(mappings) if !mappings.is_empty() => mappings,
        Ok(_) => bail!("process {pid} has ended, or is a kernel thread: there is nothing to copy"),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            bail!(Refusal::NoProcess(pid))
        }
        Err(error) => {
            return Err(error)
                .with_context(|| format!("cannot look at process {pid}: run ora as the user who runs it, or as root"));
        }
    };
    let is_file = |path: &Path| path.file_name().is_some_and(|name| name == FILE);
    let folders = mappings.iter().filter(|it| it.inode != 0 && is_file(&it.path)).filter_map(|it| {
        let path = process.path(&it.path);
        let mut start = [0; 8];
        File::open(&path).and_then(|mut file| file.read_exact(&mut start)).ok()?;
        (u64::from_ne_bytes(start) == trace_data::MAGIC).then(|| path.parent().map(Path::to_owned)).flatten()
    });
    let mut folders: Vec<_> = folders.collect();
    folders.dedup();
    match folders.pop() {
        Some(folder) => Ok(folder),
        None => bail!(
            "process {pid} is not being traced. Start it with `ora trace --last 10s -- PROGRAM`, then ask again; `ora attach` \
             watches a process that wasn't"
        ),
    }
}

/// Copies the files of a process's folder.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let events = events(&from.join(FILE))?;
    // Afterwards: what the events refer to is there.
    for entry in fs::read_dir(from)?.flatten().filter(|entry| entry.file_name() != FILE) {
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    fs::write(to.join(FILE), events)
}

/// The bytes of a file of events, at about one moment.
fn events(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    make_whole(&mut bytes, |offset, to| file.read_exact_at(to, offset as u64))?;
    // A full chunk is copied to the end of the file before its memory is used again.
    file.seek(SeekFrom::Start(bytes.len() as u64))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Mends what has changed while the file was copied; `read` reads it anew.
///
/// A chunk behind which its lane has another one is full, but perhaps was not when it was copied. One whose header has
/// changed since perhaps has some newer events, too: its first word is cleared, so that it is none. A thread clears that word before
/// it uses a chunk again, under a new number.
fn make_whole(copy: &mut [u8], mut read: impl FnMut(usize, &mut [u8]) -> io::Result<()>) -> io::Result<()> {
    let chunks = chunks(copy);
    let mut newest = BTreeMap::new();
    for (_, header, _) in &chunks {
        let number: &mut u64 = newest.entry(header.lane).or_default();
        *number = header.number.max(*number);
    }
    for (offset, header, words) in chunks {
        let Some(chunk) = copy.get_mut(offset..offset + header.bytes as usize) else { continue };
        let went_on = newest.get(&header.lane).is_some_and(|number| header.number < *number);
        if went_on && chunk.ends_with(&[0; EVENT]) {
            read(offset, chunk)?;
        }
        let mut now = [0; HEADER];
        read(offset, &mut now)?;
        if now != words
            && let Some(first) = chunk.first_chunk_mut::<8>()
        {
            first.fill(0);
        }
    }
    Ok(())
}

/// Place and header of each chunk, and the header's words.
fn chunks(bytes: &[u8]) -> Vec<(usize, ChunkHeader, [u8; HEADER])> {
    let Ok(trace) = Trace::new(bytes) else { return Vec::new() };
    let words = |offset: usize| bytes.get(offset..)?.first_chunk::<HEADER>().copied();
    trace.chunks().filter_map(|chunk| Some((chunk.offset, chunk.header, words(chunk.offset)?))).collect()
}

#[cfg(test)]
mod tests {
    use trace_data::{ChunkHeader, GRAIN, HEADER_WORDS, MAGIC, VERSION, place};

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
    fn mended(copied: &[([u8; HEADER], &[u8])], now: &[([u8; HEADER], &[u8])]) -> Vec<u8> {
        let (mut copy, now) = (file(copied), file(now));
        let read = |offset: usize, to: &mut [u8]| {
            to.copy_from_slice(&now[offset..offset + to.len()]);
            Ok(())
        };
        make_whole(&mut copy, read).unwrap();
        copy
    }

    #[test]
    fn a_chunk_that_was_begun_anew_is_left_out() {
        // The first one goes on, the second one is used again, the third one is being cleared.
        let copied = [0, 1, 2].map(|lane| (header(lane, 5), &[][..]));
        let now = [(header(0, 5), &[][..]), (header(1, 8), &[]), ([0; HEADER], &[])];
        let copy = mended(&copied, &now);
        assert_eq!(chunks(&copy).into_iter().map(|(offset, ..)| offset).collect::<Vec<_>>(), [GRAIN]);
    }

    #[test]
    fn a_chunk_behind_which_there_is_another_one_is_full() {
        let events = |copy: &[u8], offset: usize| {
            copy[offset + HEADER..offset + CHUNK as usize].iter().map(|it| u64::from(*it)).sum()
        };
        let full = [1; CHUNK as usize - HEADER];
        // When the first lane's chunk was copied, it had few events; its thread filled it before the next one was copied.
        let copied = [(header(0, 5), &full[..32]), (header(0, 6), &full[..16]), (header(1, 0), &full[..48])];
        let now = [(header(0, 5), &full[..]), (header(0, 6), &full[..64]), (header(1, 0), &full[..80])];
        let copy = mended(&copied, &now);
        let lengths: Vec<u64> = chunks(&copy).into_iter().map(|(offset, ..)| events(&copy, offset)).collect();
        assert_eq!(lengths, [full.len() as u64, 16, 48]);
        // It was used again in between.
        let copy = mended(&copied, &[(header(0, 7), &full[..16]), now[1], now[2]]);
        assert_eq!(chunks(&copy).iter().map(|(_, header, _)| header.number).collect::<Vec<_>>(), [6, 0]);
    }
}

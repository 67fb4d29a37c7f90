//! `ora trace --dump PID`: what a flight recorder has, while the program goes on.
//!
//! The recorder's file is copied; nobody is stopped, and nothing runs in the process. Threads write to it meanwhile: a chunk
//! that was begun anew is left out of the copy.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use remote::Refusal;
use remote::process::Process;
use report::printable::Shown;
use trace_data::{CHUNK_WORDS, FILE, Trace};

use super::summary;
use super::totals::Totals;
use crate::args;
use crate::exit::Exit;
use crate::output::{Answer, Output};
use crate::recording_folder::{Recording, RecordingFolder};

/// Bytes of a chunk's header.
const HEADER: usize = 8 * CHUNK_WORDS;

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
    let totals = Totals::of(&place);
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
    leave_out_begun_anew(&mut bytes, |offset| {
        let mut now = [0; HEADER];
        file.read_exact_at(&mut now, offset as u64).map(|()| now)
    })?;
    // A full chunk is copied to the end of the file before its memory is used again.
    file.seek(SeekFrom::Start(bytes.len() as u64))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Clears the first word of each chunk in a copy whose header isn't `now` the same: perhaps it has some newer events, too. A thread
/// clears that word before it uses a chunk again, under a new number.
fn leave_out_begun_anew(copy: &mut [u8], mut now: impl FnMut(usize) -> io::Result<[u8; HEADER]>) -> io::Result<()> {
    for (offset, header) in chunks(copy) {
        if header != now(offset)?
            && let Some(first) = copy.get_mut(offset..offset + 8)
        {
            first.fill(0);
        }
    }
    Ok(())
}

/// Place and header of each chunk.
fn chunks(bytes: &[u8]) -> Vec<(usize, [u8; HEADER])> {
    let Ok(trace) = Trace::new(bytes) else { return Vec::new() };
    let header = |offset: usize| bytes.get(offset..)?.first_chunk::<HEADER>().copied();
    trace.chunks().filter_map(|chunk| Some((chunk.offset, header(chunk.offset)?))).collect()
}

#[cfg(test)]
mod tests {
    use trace_data::{ChunkHeader, GRAIN, HEADER_WORDS, MAGIC, VERSION, place};

    use super::*;

    fn header(lane: u32, number: u64) -> [u8; HEADER] {
        let bytes = u32::try_from(GRAIN).unwrap_or(0);
        let header =
            ChunkHeader { bytes, lane, number, begin: 0, begin_ns: 1, regions: 0, tasks: 0, tid: 0, thread_kind: 0 };
        let mut all = [0; HEADER];
        all.chunks_mut(8).zip(header.words()).for_each(|(to, word)| to.copy_from_slice(&word.to_ne_bytes()));
        all
    }

    #[test]
    fn a_chunk_that_was_begun_anew_is_left_out() {
        let mut words = vec![0_u64; HEADER_WORDS];
        (words[place::MAGIC], words[place::VERSION]) = (MAGIC, VERSION);
        let mut copy: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        copy.resize(GRAIN, 0);
        for lane in 0..3 {
            copy.extend(header(lane, 5));
            copy.resize(copy.len().next_multiple_of(GRAIN), 0);
        }
        // The first one goes on, the second one is used again, the third one is being cleared.
        let now = [header(0, 5), header(1, 8), [0; HEADER]];
        leave_out_begun_anew(&mut copy, |offset| Ok(now[offset / GRAIN - 1])).unwrap();
        assert_eq!(chunks(&copy).into_iter().map(|(offset, _)| offset).collect::<Vec<_>>(), [GRAIN]);
    }
}

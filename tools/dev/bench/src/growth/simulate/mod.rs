//! Recordings of programs that never ran. Their code is real, functions of this program, so that names are looked up.

mod code;
mod profile;
mod trace;

use std::fs;
use std::path::Path;

use anyhow::Result;

use super::command::Recording;
use super::dimension::Source;
use code::Code;

/// Threads of a process.
const THREADS: u32 = 4;
/// Events of one rank of a job.
const EVENTS_OF_RANK: u64 = 400;

/// Process of a job.
#[derive(Clone, Copy)]
struct Rank {
    number: u64,
    /// Number of ranks.
    of: u64,
}

/// Writes a recording with `size` events or ranks into a folder.
pub(super) fn write(folder: &Path, source: Source, size: u64, recording: Recording) -> Result<()> {
    let code = Code::of_this_program()?;
    let (ranks, events) = if source == Source::Ranks { (size, EVENTS_OF_RANK) } else { (1, size) };
    for number in 0..ranks {
        let place = folder.join(format!("rank-{number}.pid-{}", 1000 + number));
        fs::create_dir_all(&place)?;
        let rank = Rank { number, of: ranks };
        let samples = if recording == Recording::Profile { events } else { 0 };
        fs::write(place.join(profile_format::FILE), profile::records(&code, rank, samples))?;
        if recording == Recording::Trace {
            fs::write(place.join(trace_format::FILE), trace::events(&code, rank, events))?;
        }
    }
    Ok(())
}

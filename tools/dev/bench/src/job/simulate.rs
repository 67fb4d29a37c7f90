//! The folders of a job that never ran. Its code is real: functions of this program, so that names are looked up.

use std::path::Path;
use std::{env, fs};

use anyhow::{Context, Result};
use object::{Object as _, ObjectSection, ObjectSymbol, SymbolKind};
use profile_format::simulated::Simulated;
use profile_format::{FILE, Object, Record, Sample, info};
use serde::Serialize;

/// Stacks of a rank, and the instances of its parallel regions.
const STACKS: u64 = 400;
const REGIONS: u64 = 200;
/// Places that begin regions.
const PLACES: u64 = 20;
/// States: work, in a region's last barrier, outside of regions.
const WORK: u32 = 2;
const BARRIER: u32 = 3;
const SERIAL: u32 = 6;
/// Begin of the addresses of each object.
const PROGRAM: u64 = 1 << 32;
const RUNTIME: u64 = 2 << 32;
const MPI: u64 = 3 << 32;

/// Size of a job.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Size {
    pub(super) ranks: u32,
    pub(super) threads: u32,
    /// Samples of each thread.
    pub(super) samples: u32,
}

/// The code of all ranks.
struct Code {
    path: String,
    build_id: Vec<u8>,
    text: (u64, u64),
    functions: Vec<u64>,
}

/// Writes a folder for each rank. The result is the number of bytes.
///
/// # Errors
/// If this program can't be read, or a folder can't be written.
pub(super) fn write(folder: &Path, size: Size) -> Result<u64> {
    let code = Code::of_this_program()?;
    let mut bytes = 0;
    for rank in 0..size.ranks {
        let place = folder.join(format!("rank-{rank}.pid-{}", 1000 + rank));
        fs::create_dir_all(&place)?;
        let records = code.rank(rank, size).bytes;
        bytes += records.len() as u64;
        fs::write(place.join(FILE), records)?;
    }
    Ok(bytes)
}

impl Code {
    fn of_this_program() -> Result<Self> {
        let path = env::current_exe()?;
        let bytes = fs::read(&path)?;
        let file = object::File::parse(&*bytes)?;
        let text = file.section_by_name(".text").context("this program has no code")?;
        let text = (text.address(), text.address() + text.size());
        let functions = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() >= 32);
        let mut functions: Vec<u64> = functions.map(|symbol| symbol.address()).collect();
        functions.retain(|address| (text.0..text.1).contains(address));
        let build_id = file.build_id()?.unwrap_or_default().to_owned();
        Ok(Self { path: path.display().to_string(), build_id, text, functions })
    }

    /// A place in a function of the program.
    fn call(&self, number: u64) -> u64 {
        let count = self.functions.len().max(1) as u64;
        let place = usize::try_from(number % count).unwrap_or_default();
        PROGRAM + self.functions.get(place).copied().unwrap_or_default() + 9
    }

    fn rank(&self, rank: u32, size: Size) -> Simulated {
        let mut file = Simulated::of(&[
            self.object(),
            elsewhere(RUNTIME, "/simulated/libgomp.so.1"),
            elsewhere(MPI, "/simulated/libmpi.so.40"),
        ]);
        for (key, value) in [
            (info::PID, (1000 + rank).to_string()),
            (info::RANK, rank.to_string()),
            (info::RANKS, size.ranks.to_string()),
            (info::HOST, format!("node{}", rank / 4)),
        ] {
            file.add(Record::Info { key, value: value.as_bytes() });
        }
        for thread in 0..size.threads {
            file.add(Record::Thread { thread, tid: 1000 + rank + thread, begun_ns: 1_000_000, routine: 0 });
        }
        self.samples(&mut file, rank, size);
        file.add(Record::End { ended_ns: 10_000_000 * u64::from(size.samples) + 1_000_000 });
        file
    }

    fn object(&self) -> Object<'_> {
        let (start, end) = (PROGRAM + self.text.0, PROGRAM + self.text.1);
        Object { start, end, bias: PROGRAM, since_ns: 0, build_id: &self.build_id, path: self.path.as_bytes() }
    }

    fn samples(&self, file: &mut Simulated, rank: u32, size: Size) {
        let below = [self.call(1), self.call(2)];
        let stack = |number: u64, primary: bool| {
            let depth = 4 + number % 20;
            let mut frames: Vec<u64> = (0..depth).map(|frame| self.call(number % 50 * 31 + frame * 7)).collect();
            frames.push(RUNTIME + 64);
            frames.extend(below.into_iter().filter(|_| primary));
            frames
        };
        let stacks: Vec<u32> = (0..STACKS).map(|number| file.stack(&stack(number, number % 2 == 0))).collect();
        let barrier = file.stack(&[RUNTIME + 128, RUNTIME + 64]);
        let in_mpi = file.stack(&[MPI + 64, below[0], below[1]]);
        for region in 1..=REGIONS {
            let fork = [RUNTIME + 64, self.call(100 + region % PLACES), below[0], below[1]];
            file.region(region, 0, 0, &fork);
        }
        for number in 0..u64::from(size.samples) {
            for thread in 0..size.threads {
                let chosen = number * 131 + u64::from(thread) * 17 + u64::from(rank);
                // One rank of a hundred has more to do: it is in MPI for less.
                let talks = number % 4 == 3 && rank % 100 != 7;
                let work = stacks.get(usize::try_from(chosen % STACKS).unwrap_or_default()).copied().unwrap_or(1);
                let (state, region, stack) = match chosen % 5 {
                    _ if talks && thread == 0 => (SERIAL, 0, in_mpi),
                    0 => (BARRIER, 1 + number % REGIONS, barrier),
                    _ => (WORK, 1 + number % REGIONS, work),
                };
                let sample = Sample { at_ns: number * 10_000_000, ..plain(thread, region, state, stack) };
                file.add(Record::Sample(sample));
            }
        }
    }
}

fn elsewhere(start: u64, path: &'static str) -> Object<'static> {
    Object { start, end: start + 4096, bias: start, since_ns: 0, build_id: b"", path: path.as_bytes() }
}

fn plain(thread: u32, region: u64, state: u32, stack: u32) -> Sample {
    let moment = profile_format::Moment::Tick;
    Sample { thread, moment, state, stack, at_ns: 0, wall_ns: 10_000_000, cpu_ns: 10_000_000, wait: 0, region }
}

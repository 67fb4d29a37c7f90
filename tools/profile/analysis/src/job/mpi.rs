//! Time in MPI, by the frames of the samples' stacks: no function of MPI is wrapped.

use profile_format::Sample;
use rustc_hash::FxHashMap;
use untrusted::figure;

use crate::input::{Pieces, Process, Thread};

/// Time of a process in calls of MPI, excluding those of the library's own helper threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MpiTime {
    /// Wall-clock time of the process's first thread.
    pub wall_ns: u64,
    /// CPU time of all threads that were asked for.
    pub cpu_ns: u64,
}

impl MpiTime {
    /// Sums those of a process's samples that have a frame in a library of MPI. `None` if no such library is loaded. `counts` returns true
    /// for threads whose CPU time counts.
    pub fn of(process: &Process, samples: &Pieces<Sample>, counts: impl Fn(&Thread) -> bool) -> Option<Self> {
        if !process.objects.iter().any(|object| is_mpi(&object.path)) {
            return None;
        }
        let first = process.threads.first().map(|thread| thread.number);
        let counted: Vec<u32> = process.threads.iter().filter(|thread| counts(thread)).map(|one| one.number).collect();
        let mut known = FxHashMap::default();
        let mut time = Self::default();
        for sample in samples.iter() {
            let (is_first, is_counted) = (Some(sample.thread) == first, counted.binary_search(&sample.thread).is_ok());
            if !is_first && !is_counted {
                continue;
            }
            let key = (sample.stack, process.objects.era(sample.at_ns));
            if *known.entry(key).or_insert_with(|| is_in_mpi(process, sample.stack, sample.at_ns)) {
                time.wall_ns = figure::sum(time.wall_ns, if is_first { sample.wall_ns } else { 0 });
                time.cpu_ns = figure::sum(time.cpu_ns, if is_counted { sample.cpu_ns } else { 0 });
            }
        }
        Some(time)
    }
}

fn is_in_mpi(process: &Process, stack: u32, at_ns: u64) -> bool {
    let addresses = process.stack(stack).map(|stack| stack.addresses).unwrap_or_default();
    addresses.iter().zip(0_u64..).any(|(address, number)| {
        // For a return address, the call before it is meant.
        let object = process.objects.at(address.saturating_sub(number.min(1)), at_ns);
        object.is_some_and(|object| is_mpi(&object.path))
    })
}

/// Libraries that programs call: `libmpi.so.40`, `libmpich.so.12`, `libmpi_mpifh.so`, `libmpifort.so.12`. What these load
/// is below them on the stack.
fn is_mpi(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let rest = name.strip_prefix("libmpi").or_else(|| name.strip_prefix("libpmpi"));
    let Some(rest) = rest.filter(|rest| rest.contains(".so")) else { return false };
    let rest = ["ch", "fort", "cxx", "f90"].iter().find_map(|part| rest.strip_prefix(part)).unwrap_or(rest);
    !rest.starts_with(|c: char| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use profile_format::simulated::Simulated;
    use profile_format::{Object, Reader};

    use super::*;

    #[test]
    fn libraries_of_mpi_are_known_by_their_file() {
        for name in
            ["libmpi.so.40", "libmpich.so.12", "libmpi_mpifh.so.40", "libmpifort.so.12", "libmpi_cray.so", "libpmpi.so"]
        {
            assert!(is_mpi(&format!("/usr/lib/{name}")), "{name}");
        }
        for name in ["libmpir.so.23", "libmpichoice.so", "libmpi", "mpirun", "libmpi.so.d/libm.so.6"] {
            assert!(!is_mpi(&format!("/usr/lib/{name}")), "{name}");
        }
    }

    #[test]
    fn time_below_a_frame_of_mpi_is_time_in_mpi() {
        let object = |(start, path): (u64, &'static str)| Object {
            start,
            end: start + 1000,
            bias: 0,
            since_ns: 0,
            build_id: b"",
            path: path.as_bytes(),
        };
        let objects = [(1000, "/p/prog"), (2000, "/l/libmpi.so.40"), (3000, "/l/libfabric.so.1")].map(object);
        let mut file = Simulated::of(&objects);
        let [polls, works] = [&[3100, 2100, 1100][..], &[3100, 1100]].map(|frames| file.stack(frames));
        // The last byte of a call before the next library.
        let edge = file.stack(&[3100, 3000, 1100]);
        for (thread, stack) in [(0, polls), (0, polls), (0, works), (1, polls), (2, polls), (0, edge)] {
            file.sample(thread, 0, 6, stack);
        }
        let process = Process::read(Reader::new(&file.bytes).unwrap());
        let found = MpiTime::of(&process, &process.samples, |thread| thread.number < 2);
        assert_eq!(found, Some(MpiTime { wall_ns: 30_000_000, cpu_ns: 40_000_000 }));
        let alone = Process::read(Reader::new(&Simulated::of(&objects[..1]).bytes).unwrap());
        assert_eq!(MpiTime::of(&alone, &alone.samples, |_| true), None);
    }
}

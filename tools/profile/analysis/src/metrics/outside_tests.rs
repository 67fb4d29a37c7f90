//! Tests of the threads outside OpenMP: those of the program and its libraries, but none of a runtime's pool.

use profile_format::simulated::Simulated;
use profile_format::{Moment, Record};

use super::tests::profile;
use crate::report::Report;
use crate::state::State;
use crate::user_model::View;

/// Addresses in the program, in libgomp, in the library, and of frames in libc that are below each new thread's.
const PROGRAM: u64 = 1400;
const LIBGOMP: u64 = 2100;
const LIBRARY: u64 = 3100;
const NEW: [u64; 2] = [5200, 5300];

/// A process whose first thread has been in a region, and whose thread 1 was created for `routine`. That thread has
/// one sample, outside regions, with this stack.
fn process(routine: u64, stack: &[u64]) -> Simulated {
    let mut file = Simulated::new();
    file.region(1, 0, 0, &[4100, 3100, 1200, 1100, 5300, 1900]);
    let work = file.stack(&[PROGRAM, 1300, LIBGOMP, 3100, 1200, 1100, 5300, 1900]);
    for (thread, routine) in [(0, 0), (1, routine)] {
        file.add(Record::Thread { thread, tid: 100 + thread, begun_ns: 1, routine });
    }
    file.time((0, 1), State::WORK.0, work, Moment::Tick, (10, 10));
    if !stack.is_empty() {
        let stack = file.stack(stack);
        file.time((1, 0), State::SERIAL.0, stack, Moment::Tick, (10, 10));
    }
    file
}

#[test]
fn a_pools_thread_is_in_openmp_also_without_a_sample_there() {
    let beginning = [&[LIBRARY], &NEW[..]].concat();
    let in_runtime = [&[LIBGOMP], &NEW[..]].concat();
    let own = [&[PROGRAM], &NEW[..]].concat();
    for (routine, stack, outside) in [
        (LIBGOMP, &[][..], false),
        (LIBGOMP, &beginning, false),
        // The library's own function comes before the pool's.
        (LIBRARY, &beginning, false),
        // The thread existed before the profiler.
        (0, &in_runtime, false),
        (0, &own, true),
        (PROGRAM, &own, true),
        (PROGRAM, &[], true),
    ] {
        let profile = profile(&process(routine, stack), View::User);
        let found: Vec<bool> = profile.threads.iter().map(|thread| thread.outside).collect();
        assert_eq!(found, [false, outside], "{routine} {stack:?}");
        let report = Report::of(&profile);
        let inside_ms = if outside || stack.is_empty() { 10 } else { 20 };
        assert_eq!(report.sums.total.cpu_ns, inside_ms * 1_000_000, "{routine} {stack:?}");
        assert_eq!(report.outside.threads.len(), usize::from(outside));
    }
}

//! The function that a call in the program calls, from the bytes before its return address.
//!
//! Memory is read through `/proc/thread-self/mem`, where a wrong guess is an error and not a crash. That takes microseconds, so
//! what is found is kept in [`MEANINGS`](super::meanings::MEANINGS).

use std::ffi::CStr;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use system::arch::{CALL_BYTES, STUB_BYTES, Target, call_before, linkage_slot};

use super::meanings::Meaning;
use stat_layout::loaded::place;

use crate::symbols;

/// Calls whose chunks are created within the same call.
const TASKLOOPS: [&CStr; 2] = [c"GOMP_taskloop", c"GOMP_taskloop_ull"];

/// Calls that run tasks created elsewhere. A creation that is reported within one of these belongs to a chunk of a
/// taskloop that another thread called.
const WAITS: [&CStr; 23] = [
    c"GOMP_barrier",
    c"GOMP_barrier_cancel",
    c"GOMP_taskwait",
    c"GOMP_taskwait_depend",
    c"GOMP_taskgroup_end",
    c"GOMP_parallel",
    c"GOMP_parallel_end",
    c"GOMP_parallel_reductions",
    c"GOMP_parallel_sections",
    c"GOMP_parallel_loop_static",
    c"GOMP_parallel_loop_dynamic",
    c"GOMP_parallel_loop_guided",
    c"GOMP_parallel_loop_runtime",
    c"GOMP_parallel_loop_nonmonotonic_dynamic",
    c"GOMP_parallel_loop_nonmonotonic_guided",
    c"GOMP_parallel_loop_nonmonotonic_runtime",
    c"GOMP_parallel_loop_maybe_nonmonotonic_runtime",
    c"GOMP_loop_end",
    c"GOMP_loop_end_cancel",
    c"GOMP_sections_end",
    c"GOMP_sections_end_cancel",
    c"GOMP_single_copy_start",
    c"GOMP_workshare_task_reduction_unregister",
];

/// Addresses of these functions; 0 if a function does not exist.
#[derive(Debug)]
pub(super) struct Entries {
    taskloops: [AtomicU64; TASKLOOPS.len()],
    waits: [AtomicU64; WAITS.len()],
}

/// The addresses in this process.
pub(super) static ENTRIES: Entries =
    Entries { taskloops: [const { AtomicU64::new(0) }; 2], waits: [const { AtomicU64::new(0) }; WAITS.len()] };

impl Entries {
    /// Looks them up. To be called while the process starts: later another thread may hold the dynamic linker's lock.
    pub(super) fn find(&self) {
        let found = TASKLOOPS.iter().zip(&self.taskloops).chain(WAITS.iter().zip(&self.waits));
        found.for_each(|(name, slot)| slot.store(symbols::address(name), Relaxed));
    }

    /// The meaning of a creation that is reported within the call that returns to this address. Takes microseconds.
    #[cold]
    #[inline(never)]
    pub(super) fn meaning(&self, returns_to: u64) -> Meaning {
        self.meaning_of(callee(returns_to).unwrap_or(0), returns_to)
    }

    fn meaning_of(&self, callee: u64, returns_to: u64) -> Meaning {
        let one_of = |them: &[AtomicU64]| callee != 0 && them.iter().any(|entry| entry.load(Relaxed) == callee);
        let place = if one_of(&self.waits) { place::CHUNK } else { returns_to };
        Meaning { place, taskloop: one_of(&self.taskloops) }
    }
}

/// The function that is called by the instruction before this address.
fn callee(returns_to: u64) -> Option<u64> {
    let memory = File::open("/proc/thread-self/mem").ok()?;
    callee_in(|address, bytes| memory.read_exact_at(bytes, address).is_ok(), returns_to)
}

fn callee_in(read: impl Fn(u64, &mut [u8]) -> bool, returns_to: u64) -> Option<u64> {
    let word = |at: usize| {
        let mut bytes = [0; 8];
        read(at as u64, &mut bytes).then(|| u64::from_le_bytes(bytes))
    };
    let mut before = [0; CALL_BYTES];
    if !read(returns_to.checked_sub(CALL_BYTES as u64)?, &mut before) {
        return None;
    }
    match call_before(before, usize::try_from(returns_to).ok()?)? {
        Target::Slot(slot) => word(slot),
        Target::Code(target) => {
            let mut stub = [0; STUB_BYTES];
            if !read(target as u64, &mut stub) {
                return None;
            }
            linkage_slot(&stub, target).map_or(Some(target as u64), word)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(never)]
    fn called() -> i32 {
        std::hint::black_box(7)
    }

    #[inline(never)]
    fn calls() -> i32 {
        called() + 1
    }

    #[test]
    fn calls_are_followed_to_the_function() {
        assert!(std::hint::black_box(calls()) > 0);
        let (begin, function) = (calls as *const () as u64, called as *const () as u64);
        assert!((begin..begin + 64).filter_map(callee).any(|callee| callee == function));
        // Nothing is mapped there.
        assert_eq!([callee(3), callee(0x1020)], [None; 2]);
        // A call of a form that can't be followed.
        assert_eq!(
            callee_in(
                |_, bytes| {
                    bytes.fill(0);
                    true
                },
                0x1020
            ),
            None
        );
    }

    #[test]
    fn a_creation_below_a_wait_is_a_chunk_of_a_taskloop_elsewhere() {
        let entries = Entries {
            taskloops: [AtomicU64::new(5), AtomicU64::new(0)],
            waits: std::array::from_fn(|entry| AtomicU64::new(if entry == 3 { 6 } else { 0 })),
        };
        let meaning = |callee| {
            let Meaning { place, taskloop } = entries.meaning_of(callee, 0x7000);
            (place, taskloop)
        };
        assert_eq!(meaning(5), (0x7000, true));
        assert_eq!(meaning(6), (place::CHUNK, false));
        assert_eq!([meaning(7), meaning(0)], [(0x7000, false); 2]);
    }
}

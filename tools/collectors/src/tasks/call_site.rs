//! The function that a call in the program calls, from the bytes in front of its return address.
//!
//! Done once for each place and thread. Memory is read through `/proc/self/mem`, where a wrong guess is an error and not a
//! crash.

use std::ffi::CStr;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::books::Meaning;
use crate::attach;
use crate::loaded::place;

/// Calls whose chunks come into being under the same call.
const TASKLOOPS: [&CStr; 2] = [c"GOMP_taskloop", c"GOMP_taskloop_ull"];

/// Calls in which tasks run that were created elsewhere. A creation that is reported in one of these is a chunk's of a
/// taskloop that another thread has called.
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

/// Addresses of these functions; 0: none.
#[derive(Debug)]
pub(super) struct Entries {
    taskloops: [AtomicU64; TASKLOOPS.len()],
    waits: [AtomicU64; WAITS.len()],
}

/// Those of this process.
pub(super) static ENTRIES: Entries =
    Entries { taskloops: [const { AtomicU64::new(0) }; 2], waits: [const { AtomicU64::new(0) }; WAITS.len()] };

impl Entries {
    /// Looks them up. To be called while the process starts: later another thread may hold the dynamic linker's lock.
    pub(super) fn find(&self) {
        let found = TASKLOOPS.iter().zip(&self.taskloops).chain(WAITS.iter().zip(&self.waits));
        found.for_each(|(name, slot)| slot.store(attach::address(name), Relaxed));
    }

    /// The meaning of a creation that is reported below the call that returns to this address.
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
    let memory = File::open("/proc/self/mem").ok()?;
    callee_in(|address, bytes| memory.read_exact_at(bytes, address).is_ok(), returns_to)
}

fn callee_in(read: impl Fn(u64, &mut [u8]) -> bool, returns_to: u64) -> Option<u64> {
    let mut before = [0; 6];
    if !read(returns_to.checked_sub(6)?, &mut before) {
        return None;
    }
    let word = |at: u64| {
        let mut bytes = [0; 8];
        read(at, &mut bytes).then(|| u64::from_le_bytes(bytes))
    };
    // Intel's manual: FF /2 with a displacement from the next instruction; E8 with one.
    if let [0xff, 0x15, a, b, c, d] = before {
        return word(beyond(returns_to, [a, b, c, d]));
    }
    let [_, 0xe8, a, b, c, d] = before else { return None };
    let target = beyond(returns_to, [a, b, c, d]);
    let mut stub = [0; 16];
    if !read(target, &mut stub) {
        return None;
    }
    // A stub of the linker jumps through a slot: `endbr64` and `bnd` may come first (System V ABI, x86-64, "PLT").
    let skipped = [&[0xf3, 0x0f, 0x1e, 0xfa, 0xf2][..], &[0xf3, 0x0f, 0x1e, 0xfa], &[0xf2], &[]];
    let skipped = skipped.into_iter().find(|begin| stub.starts_with(begin)).map_or(0, <[u8]>::len);
    match stub.get(skipped..skipped + 6) {
        Some(&[0xff, 0x25, a, b, c, d]) => word(beyond(target + skipped as u64 + 6, [a, b, c, d])),
        _ => Some(target),
    }
}

fn beyond(next: u64, displacement: [u8; 4]) -> u64 {
    next.wrapping_add_signed(i64::from(i32::from_le_bytes(displacement)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads from a piece of memory that begins at 0x1000.
    fn memory(bytes: &[u8]) -> impl Fn(u64, &mut [u8]) -> bool {
        move |address, to| {
            let Some(at) = address.checked_sub(0x1000) else { return false };
            let at = usize::try_from(at).unwrap();
            let Some(from) = bytes.get(at..at + to.len()) else { return false };
            to.copy_from_slice(from);
            true
        }
    }

    #[test]
    fn calls_are_followed_to_the_function() {
        let slot = 0x7777_u64.to_le_bytes();
        let mut bytes = [0x90; 128];
        bytes[0x60..0x68].copy_from_slice(&slot);
        // call *0x54(%rip), which returns to 0x100c and reads 0x1060
        bytes[0x06..0x0c].copy_from_slice(&[0xff, 0x15, 0x54, 0, 0, 0]);
        // call 0x1020, which returns to 0x1015; there: endbr64; bnd jmp *0x35(%rip)
        bytes[0x10..0x15].copy_from_slice(&[0xe8, 0x0b, 0, 0, 0]);
        bytes[0x20..0x2b].copy_from_slice(&[0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0x35, 0, 0, 0]);
        // call 0x1040: a function
        bytes[0x16..0x1b].copy_from_slice(&[0xe8, 0x25, 0, 0, 0]);
        // call -0x100000: nowhere
        bytes[0x1b..0x20].copy_from_slice(&[0xe8, 0, 0, 0xf0, 0xff]);
        let callee = |returns_to| callee_in(memory(&bytes), returns_to);
        assert_eq!(callee(0x100c), Some(0x7777));
        assert_eq!(callee(0x1015), Some(0x7777));
        assert_eq!(callee(0x101b), Some(0x1040));
        assert_eq!(callee(0x1020), None);
        assert_eq!(callee(0x1040), None, "no call stands there");
        assert_eq!(callee(3), None);
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

//! The processors that the calling thread may run on, as the system says.
#![allow(unsafe_code)] // a system call

use super::MOST_IDS;
use std::ffi::c_int;

/// A set of processors, of as many as Linux can be built for.
pub(super) struct Affinity([u64; MOST_IDS / 64]);

impl Affinity {
    /// That of the calling thread; `None` where the system doesn't say.
    pub(super) fn of_this_thread() -> Option<Self> {
        let mut mask = [0; MOST_IDS / 64];
        // SAFETY: the mask is ours, and its size is given.
        let done = unsafe { libc::sched_getaffinity(0, size_of_val(&mask), mask.as_mut_ptr().cast()) };
        (done >= 0).then_some(Self(mask))
    }

    /// How many there are.
    pub(super) fn count(&self) -> c_int {
        self.0.iter().map(|word| word.count_ones()).sum::<u32>().cast_signed()
    }

    /// Whether this processor is one of them.
    pub(super) fn has(&self, processor: c_int) -> bool {
        let Ok(processor) = usize::try_from(processor) else { return false };
        self.0.get(processor / 64).is_some_and(|word| word >> (processor % 64) & 1 != 0)
    }
}

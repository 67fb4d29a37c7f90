//! Affinity mask of the calling thread: the processors on which it may run.
#![allow(unsafe_code)] // a system call

use std::ffi::c_int;

/// A set of processors, one bit for each.
#[derive(Clone, Copy)]
pub(super) struct Affinity<'a>(&'a [u64]);

/// Words for 1024 processors, as glibc's `cpu_set_t` has, and for as many as Linux can be built for.
const USUAL: usize = 1024 / 64;
pub(super) const MAX_PROCESSORS: usize = 8192;
const MAX_WORDS: usize = MAX_PROCESSORS / 64;

impl Affinity<'_> {
    /// The result of `look` on the calling thread's mask; `None` if the system doesn't return the mask. The mask is on
    /// the stack, which may be small, so it is large only if the system has more processors than usual.
    pub(super) fn of_this_thread<R>(look: impl Fn(Affinity<'_>) -> R) -> Option<R> {
        look_at::<USUAL, R>(&look).or_else(|| look_at::<MAX_WORDS, R>(&look))
    }

    /// The number of processors in the set.
    pub(super) fn count(self) -> c_int {
        self.0.iter().map(|word| word.count_ones()).sum::<u32>().cast_signed()
    }

    /// True if this processor is in the set.
    pub(super) fn has(self, processor: c_int) -> bool {
        let Ok(processor) = usize::try_from(processor) else { return false };
        self.0.get(processor / 64).is_some_and(|word| word >> (processor % 64) & 1 != 0)
    }
}

/// [`Affinity::of_this_thread`] with a mask of `WORDS` words. The system refuses masks without room for all processors
/// that it may have.
#[inline(never)]
fn look_at<const WORDS: usize, R>(look: &impl Fn(Affinity<'_>) -> R) -> Option<R> {
    let mut mask = [0_u64; WORDS];
    // SAFETY: the kernel writes at most the size that is given, to `mask` (sched_getaffinity(2)).
    let done = unsafe { libc::sched_getaffinity(0, size_of_val(&mask), mask.as_mut_ptr().cast()) };
    (done >= 0).then(|| look(Affinity(&mask)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_without_room_is_refused_and_a_larger_one_says_the_same() {
        assert_eq!(look_at::<0, _>(&|affinity| affinity.count()), None);
        assert_eq!(
            Affinity::of_this_thread(|affinity| affinity.count()),
            look_at::<MAX_WORDS, _>(&|affinity| affinity.count())
        );
    }
}

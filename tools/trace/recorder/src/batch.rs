//! Pieces of the file for the first chunks of several lanes. For each new mapping the kernel looks for the pages of the file around it,
//! some thousand on many machines, so thousands of threads share their mappings.
#![allow(unsafe_code)] // memory of the mapping

use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};

use crate::{file, system_call};

/// Lanes up to this number map a piece each: most programs have no more.
const ALONE: u32 = 64;
/// Number of chunks of a batch.
const CHUNKS: u64 = 16;
/// Bits of the word that hold the number of chunks.
const COUNT_BITS: u32 = 12;
/// Chunks start at multiples of this number of bytes.
const UNIT: u64 = 1 << COUNT_BITS;

/// The chunks that no lane has yet: the address of the first one, and their number.
static REST: AtomicU64 = AtomicU64::new(0);
/// True while a thread maps a batch. Others map a piece each meanwhile.
static IS_MAPPING: AtomicBool = AtomicBool::new(false);

/// Memory of the file for a lane's first chunk of `bytes` bytes, which are the same for all. `None` if the space is exhausted.
pub(crate) fn take(lane: u32, bytes: usize) -> Option<*mut u8> {
    if lane < ALONE {
        return file::room(bytes);
    }
    if let Some(base) = next(bytes) {
        return Some(base);
    }
    // Acquire: pairs with the store below, of another thread, whose batch is seen.
    if IS_MAPPING.swap(true, Acquire) {
        return file::room(bytes);
    }
    let base = next(bytes).or_else(|| {
        let base = file::room(bytes * usize::try_from(CHUNKS).ok()?)?;
        REST.store((base.expose_provenance() + bytes) as u64 | (CHUNKS - 1), Relaxed);
        Some(base)
    });
    // Release: pairs with the swap above, of another thread.
    IS_MAPPING.store(false, Release);
    base
}

/// The next chunk of the batch, if one is left.
fn next(bytes: usize) -> Option<*mut u8> {
    // Relaxed: threads exchange only addresses here, none of them twice.
    let rest = REST.fetch_update(Relaxed, Relaxed, |rest| (rest % UNIT > 0).then(|| rest + bytes as u64 - 1));
    at(rest.ok()?)
}

/// Drops the chunks that are left: the file is complete, or the parent's.
pub(crate) fn drop_rest(bytes: usize) {
    IS_MAPPING.store(false, Relaxed);
    let rest = REST.swap(0, Relaxed);
    let chunks = usize::try_from(rest % UNIT).unwrap_or(0);
    if let Some(base) = at(rest).filter(|_| chunks > 0) {
        // SAFETY: the rest of a batch, which `file::room` has mapped; no lane has it, and nobody gets it after the swap.
        unsafe { system_call::unmap(base, bytes * chunks) };
    }
}

/// The first of some chunks.
fn at(rest: u64) -> Option<*mut u8> {
    Some(ptr::with_exposed_provenance_mut(usize::try_from(rest - rest % UNIT).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chunks_of_a_batch_follow_each_other_and_each_is_taken_once() {
        let (base, bytes) = (1_usize << 20, 4096);
        REST.store(base as u64 | 2, Relaxed);
        let take = || take(ALONE, bytes).map(<*mut u8>::addr);
        assert_eq!([take(), take()], [Some(base), Some(base + bytes)]);
        assert_eq!(take(), None, "a new batch needs a file, and none is open");
        assert!(!IS_MAPPING.load(Relaxed));
    }
}

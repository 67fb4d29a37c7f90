//! Who has which mutex: a runtime says that a thread is about to take one, but not whether it will have to wait. It will where
//! another thread's mark stands.
//!
//! Marks lie in a table by the mutex's wait id. Two mutexes that fall on one place share it; then a mark that is not that
//! mutex's says nothing, and a wait goes unannounced.

use std::sync::atomic::{AtomicU64, Ordering::*};

/// Two for a mutex that shares its line of the table with others.
const PLACES: usize = 1024;

#[repr(align(64))]
struct Place {
    /// The wait id, and who has it (a thread's id); 0: nobody.
    wait_id: AtomicU64,
    owner: AtomicU64,
}

static TABLE: [Place; PLACES] = [const { Place { wait_id: AtomicU64::new(0), owner: AtomicU64::new(0) } }; PLACES];

#[inline(always)]
#[allow(clippy::indexing_slicing, clippy::cast_possible_truncation)] // the shift keeps it in bounds
fn place(wait_id: u64) -> &'static Place {
    &TABLE[(wait_id.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize]
}

/// The thread has it from now on.
#[inline(always)]
pub(super) fn take(wait_id: u64, thread: u64) {
    let place = place(wait_id);
    if place.owner.load(Relaxed) == 0 || place.wait_id.load(Relaxed) == wait_id {
        place.owner.store(thread, Relaxed);
        place.wait_id.store(wait_id, Release);
    }
}

/// Nobody has it any more.
#[inline(always)]
pub(super) fn leave(wait_id: u64) {
    let place = place(wait_id);
    if place.wait_id.load(Relaxed) == wait_id {
        place.owner.store(0, Release);
    }
}

/// Whether another thread has it.
#[inline(always)]
pub(super) fn is_taken_from(wait_id: u64, thread: u64) -> bool {
    let place = place(wait_id);
    let owner = place.owner.load(Acquire);
    owner != 0 && owner != thread && place.wait_id.load(Acquire) == wait_id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutex_is_taken_from_everybody_but_who_has_it() {
        assert!(!is_taken_from(0x1000, 1));
        take(0x1000, 1);
        assert!(!is_taken_from(0x1000, 1) && is_taken_from(0x1000, 2) && !is_taken_from(0x1001, 2));
        leave(0x1000);
        assert!(!is_taken_from(0x1000, 2));
    }
}

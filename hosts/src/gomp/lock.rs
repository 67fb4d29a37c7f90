//! `omp_set_lock` and `omp_set_nest_lock`: the only lock routines that can wait.
#![allow(unsafe_code)] // calls libgomp

use super::bank::real;
use super::table::Entry;
use ompt_core::event::Span;
use ompt_core::state::State;
use ompt_core::thread::here;

/// The entries that set a nestable lock, in every spelling and version.
const NEST_LOCKS: [Entry; 4] =
    [Entry::omp_set_nest_lock, Entry::omp_set_nest_lock_, Entry::old_set_nest_lock, Entry::old_set_nest_lock_];

/// Sets a lock. Tries first, by entry `TEST`, of the same kind and version: its success *is* the acquisition.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn set<const B: usize, const E: usize, const TEST: usize>(lock: usize) {
    // SAFETY: test routines take the lock and return an int.
    let test: unsafe extern "C-unwind" fn(usize) -> i32 = unsafe { real::<B, TEST, _>() };
    // SAFETY: the caller's lock, initialised.
    if unsafe { test(lock) } != 0 {
        return;
    }
    // SAFETY: set routines take the lock and return nothing.
    let set: unsafe extern "C-unwind" fn(usize) = unsafe { real::<B, E, _>() };
    let Some(thread) = here() else {
        // SAFETY: the caller's call, passed on.
        return unsafe { set(lock) };
    };
    let nest = NEST_LOCKS.iter().any(|entry| *entry as usize == E);
    let state = if nest { State::WaitNestLock } else { State::WaitLock };
    let wait = thread.begin_wait(Span::LOCK_WAIT, state, lock as u64);
    // SAFETY: the caller's call, passed on.
    unsafe { set(lock) };
    thread.end_wait(wait);
}

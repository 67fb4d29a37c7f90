//! Lock routines: each entry calls libgomp's routine of the same kind and version.
#![allow(unsafe_code)] // calls libgomp

use super::bank::real;
use super::table::Entry;
use crate::lock_routines::{Routine, Test, set_with, tell_life, test_with, unset_nest_with, unset_with};
use ompt_core::event::Event;

/// The entries that set a nestable lock, in every spelling and version.
const NEST_LOCKS: [Entry; 4] =
    [Entry::omp_set_nest_lock, Entry::omp_set_nest_lock_, Entry::old_set_nest_lock, Entry::old_set_nest_lock_];

/// Sets a lock. Tries first, by entry `TEST`, of the same kind and version: its success *is* the acquisition.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn set<const B: usize, const E: usize, const TEST: usize>(lock: usize) {
    let nest = NEST_LOCKS.iter().any(|entry| *entry as usize == E);
    // SAFETY: test routines take the lock and return an int.
    let test: Test = unsafe { real::<B, TEST, _>() };
    // SAFETY: set routines take the lock and return nothing.
    let set: Routine = unsafe { real::<B, E, _>() };
    // SAFETY: the caller's call.
    unsafe { set_with(lock, nest, test, set) }
}

/// Tests a lock.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn test<const B: usize, const E: usize, const NEST: u8>(lock: usize) -> i32 {
    // SAFETY: test routines take the lock and return an int.
    let test: Test = unsafe { real::<B, E, _>() };
    // SAFETY: the caller's call.
    unsafe { test_with(lock, NEST == 1, test) }
}

/// Unsets a lock that can't be nested.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn unset<const B: usize, const E: usize>(lock: usize) {
    // SAFETY: takes the lock and returns nothing.
    let unset: Routine = unsafe { real::<B, E, _>() };
    // SAFETY: the caller's call.
    unsafe { unset_with(lock, unset) }
}

/// Unsets a nestable lock. How often it is set is what entry `TEST` says, which sets it once more: that is undone.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn unset_nest<const B: usize, const E: usize, const TEST: usize>(lock: usize) {
    // SAFETY: takes the lock and returns nothing.
    let unset: Routine = unsafe { real::<B, E, _>() };
    // SAFETY: test routines take the lock and return an int.
    let test: Test = unsafe { real::<B, TEST, _>() };
    // SAFETY: the caller's call.
    unsafe { unset_nest_with(lock, test, unset) }
}

/// Initialises a lock.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn init<const B: usize, const E: usize, const NEST: u8>(lock: usize) {
    // SAFETY: takes the lock and returns nothing.
    let init: Routine = unsafe { real::<B, E, _>() };
    // SAFETY: the caller's call, passed on.
    unsafe { init(lock) };
    tell_life(Event::LockInit, NEST, lock);
}

/// Destroys a lock.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn destroy<const B: usize, const E: usize, const NEST: u8>(lock: usize) {
    // SAFETY: takes the lock and returns nothing.
    let destroy: Routine = unsafe { real::<B, E, _>() };
    tell_life(Event::LockDestroy, NEST, lock);
    // SAFETY: the caller's call, passed on.
    unsafe { destroy(lock) };
}

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
    // SAFETY: the routine `TEST` is `int (lock *)` (omp.h), of the same kind and version as `E`; both are bound: a libgomp has
    // all its lock routines.
    let test: Test = unsafe { real::<B, TEST, _>() };
    // SAFETY: the routine is `void omp_set_lock (omp_lock_t *)` or its nestable or Fortran form (omp.h), and bound, since its
    // wrapper runs.
    let set: Routine = unsafe { real::<B, E, _>() };
    // SAFETY: `lock` is initialised: the program passes it to a routine that sets it (OpenMP 5.0, 3.3.4). `test` and `set` are
    // of its kind.
    unsafe { set_with(lock, nest, test, set) }
}

/// Tests a lock.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn test<const B: usize, const E: usize, const NEST: u8>(lock: usize) -> i32 {
    // SAFETY: the routine is `int omp_test_lock (omp_lock_t *)` or its nestable or Fortran form (omp.h), and bound, since its
    // wrapper runs.
    let test: Test = unsafe { real::<B, E, _>() };
    // SAFETY: `lock` is initialised: the program passes it to a routine that tests it (OpenMP 5.0, 3.3.6). `test` is that
    // routine.
    unsafe { test_with(lock, NEST == 1, test) }
}

/// Unsets a lock that can't be nested.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn unset<const B: usize, const E: usize>(lock: usize) {
    // SAFETY: the routine is `void omp_unset_lock (omp_lock_t *)` or its Fortran form (omp.h), and bound, since its wrapper
    // runs.
    let unset: Routine = unsafe { real::<B, E, _>() };
    // SAFETY: the calling task owns `lock`: the program passes it to a routine that unsets it (OpenMP 5.0, 3.3.5). `unset` is
    // that routine.
    unsafe { unset_with(lock, unset) }
}

/// Unsets a nestable lock. How often it is set is what entry `TEST` says, which sets it once more: that is undone.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn unset_nest<const B: usize, const E: usize, const TEST: usize>(lock: usize) {
    // SAFETY: the routine is `void omp_unset_nest_lock (omp_nest_lock_t *)` or its Fortran form (omp.h), and bound, since its
    // wrapper runs.
    let unset: Routine = unsafe { real::<B, E, _>() };
    // SAFETY: the routine `TEST` is `int (lock *)` (omp.h), of the same kind and version as `E`; both are bound: a libgomp has
    // all its lock routines.
    let test: Test = unsafe { real::<B, TEST, _>() };
    // SAFETY: the calling task owns `lock`: the program passes it to a routine that unsets it (OpenMP 5.0, 3.3.5). `test` and
    // `unset` are of its kind.
    unsafe { unset_nest_with(lock, test, unset) }
}

/// Initialises a lock.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn init<const B: usize, const E: usize, const NEST: u8>(lock: usize) {
    // SAFETY: the routine is `void omp_init_lock (omp_lock_t *)` or its nestable or Fortran form (omp.h), and bound, since its
    // wrapper runs.
    let init: Routine = unsafe { real::<B, E, _>() };
    // SAFETY: `lock` is uninitialised storage of a lock, which the program passes to this routine (OpenMP 5.0, 3.3.1).
    unsafe { init(lock) };
    tell_life(Event::LockInit, NEST, lock);
}

/// Destroys a lock.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn destroy<const B: usize, const E: usize, const NEST: u8>(lock: usize) {
    // SAFETY: the routine is `void omp_destroy_lock (omp_lock_t *)` or its nestable or Fortran form (omp.h), and bound, since
    // its wrapper runs.
    let destroy: Routine = unsafe { real::<B, E, _>() };
    tell_life(Event::LockDestroy, NEST, lock);
    // SAFETY: `lock` is initialised and unlocked: the program passes it to this routine (OpenMP 5.0, 3.3.3).
    unsafe { destroy(lock) };
}

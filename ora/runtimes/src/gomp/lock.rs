//! Lock routines: each entry calls libgomp's routine of the same kind and version.
#![allow(unsafe_code)] // calls libgomp

use super::instance::{Call, bound, function};
use crate::lock_routines::{Routine, Test, report_lifetime, set_with, test_with, unset_nest_with, unset_with};
use ompt_core::event::Event;

/// A call of a routine that takes a lock, and returns nothing.
pub(super) trait OfLock: Call<Arguments = (usize,), Result = ()> {}
impl<C: Call<Arguments = (usize,), Result = ()>> OfLock for C {}

/// Sets a lock, a nestable one if `NEST` is 1. Tries first, by entry `TEST`, of the same kind and version: its success *is* the
/// acquisition.
///
/// # Safety
/// As the entry's function asks for.
#[inline(always)]
pub(super) unsafe fn set<C: OfLock, const TEST: usize, const NEST: u8>(call: C, (lock,): (usize,)) {
    // SAFETY: the routine `TEST` is `int (lock *)` (omp.h), of the same kind and version as the routine that is called; both
    // are bound: a libgomp has all its lock routines.
    let test: Test = unsafe { bound::<TEST, _>(call.instance()) };
    let set: Routine = function(call);
    // SAFETY: `lock` is initialised: the program passes it to a routine that sets it (OpenMP 5.0, 3.3.4). `test` and `set` are
    // of its kind.
    unsafe { set_with(lock, NEST == 1, test, set) }
}

/// Tests a lock.
///
/// # Safety
/// As the entry's function asks for.
#[inline(always)]
pub(super) unsafe fn test<C: Call<Arguments = (usize,), Result = i32>, const NEST: u8>(
    call: C,
    (lock,): (usize,),
) -> i32 {
    let test: Test = function(call);
    // SAFETY: `lock` is initialised: the program passes it to a routine that tests it (OpenMP 5.0, 3.3.6). `test` is that
    // routine.
    unsafe { test_with(lock, NEST == 1, test) }
}

/// Unsets a lock that can't be nested.
///
/// # Safety
/// As the entry's function asks for.
#[inline(always)]
pub(super) unsafe fn unset<C: OfLock>(call: C, (lock,): (usize,)) {
    let unset: Routine = function(call);
    // SAFETY: the calling task owns `lock`: the program passes it to a routine that unsets it (OpenMP 5.0, 3.3.5). `unset` is
    // that routine.
    unsafe { unset_with(lock, unset) }
}

/// Unsets a nestable lock. Entry `TEST` returns its nesting count by setting it once more, which is undone.
///
/// # Safety
/// As the entry's function asks for.
#[inline(always)]
pub(super) unsafe fn unset_nest<C: OfLock, const TEST: usize>(call: C, (lock,): (usize,)) {
    let unset: Routine = function(call);
    // SAFETY: the routine `TEST` is `int (lock *)` (omp.h), of the same kind and version as the routine that is called; both
    // are bound: a libgomp has all its lock routines.
    let test: Test = unsafe { bound::<TEST, _>(call.instance()) };
    // SAFETY: the calling task owns `lock`: the program passes it to a routine that unsets it (OpenMP 5.0, 3.3.5). `test` and
    // `unset` are of its kind.
    unsafe { unset_nest_with(lock, test, unset) }
}

/// Initialises a lock.
///
/// # Safety
/// As the entry's function asks for.
#[inline(always)]
pub(super) unsafe fn init<C: OfLock, const NEST: u8>(call: C, (lock,): (usize,)) {
    let init: Routine = function(call);
    // SAFETY: `lock` is uninitialised storage of a lock, which the program passes to this routine (OpenMP 5.0, 3.3.1).
    unsafe { init(lock) };
    report_lifetime(Event::LockInit, NEST, lock);
}

/// Destroys a lock.
///
/// # Safety
/// As the entry's function asks for.
#[inline(always)]
pub(super) unsafe fn destroy<C: OfLock, const NEST: u8>(call: C, (lock,): (usize,)) {
    let destroy: Routine = function(call);
    report_lifetime(Event::LockDestroy, NEST, lock);
    // SAFETY: `lock` is initialised and unlocked: the program passes it to this routine (OpenMP 5.0, 3.3.3).
    unsafe { destroy(lock) };
}

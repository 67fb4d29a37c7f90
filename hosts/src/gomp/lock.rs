//! Lock routines. Only those that set a lock can wait; the others are for tools that follow each lock.
#![allow(unsafe_code)] // calls libgomp

use super::bank::real;
use super::mutex::{GIVING_BACK, TAKING, detail, tell_given_back};
use super::table::Entry;
use ompt_core::detail::{Detail, Mutex};
use ompt_core::dispatch::armed;
use ompt_core::event::{Event, EventSet, Span};
use ompt_core::state::State;
use ompt_core::thread::{Thread, here};

pub(crate) type Routine = unsafe extern "C-unwind" fn(usize);
/// Gives 0, or how often the lock is set now.
pub(crate) type Test = unsafe extern "C-unwind" fn(usize) -> i32;

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

/// Sets a lock by these routines.
///
/// # Safety
/// They are those for the lock, and it may be set.
#[inline(always)]
pub(crate) unsafe fn set_with(lock: usize, nest: bool, test: Test, set: Routine) {
    if armed(TAKING) {
        // SAFETY: the caller's lock, and what sets locks of its kind.
        let told = if nest { set_told::<1> } else { set_told::<0> };
        // SAFETY: as above.
        return unsafe { told(lock, test, set) };
    }
    // SAFETY: the caller's lock, initialised.
    if unsafe { test(lock) } == 0 {
        // SAFETY: the caller's call, passed on.
        unsafe { wait(lock, nest, set) }
    }
}

/// Sets a lock where somebody listens.
///
/// # Safety
/// The routines are those for the lock.
#[inline(never)]
unsafe fn set_told<const NEST: u8>(lock: usize, test: Test, set: Routine) {
    let nest = NEST == 1;
    let Some(thread) = here() else {
        // SAFETY: the caller's promise.
        return unsafe { set(lock) };
    };
    let detail = detail(if nest { Mutex::NestLock } else { Mutex::Lock }, lock as u64);
    thread.raise_with(Event::MutexAcquire, &detail);
    // SAFETY: the caller's promise.
    let mut count = unsafe { test(lock) };
    if count == 0 {
        // SAFETY: as above.
        unsafe { wait(lock, nest, set) };
        count = 1;
    }
    tell_taken(thread, nest, count, &detail);
}

/// # Safety
/// `set` is the routine for the lock.
#[cold]
#[inline(never)]
unsafe fn wait(lock: usize, nest: bool, set: Routine) {
    let Some(thread) = here() else {
        // SAFETY: the caller's call, passed on.
        return unsafe { set(lock) };
    };
    let state = if nest { State::WaitNestLock } else { State::WaitLock };
    let wait = thread.begin_wait(Span::LOCK_WAIT, state, lock as u64);
    // SAFETY: the caller's call, passed on.
    unsafe { set(lock) };
    thread.end_wait(wait);
}

/// A thread has set a lock so many times; nestable ones are its own again where it had them.
#[inline(always)]
fn tell_taken(thread: &'static Thread, nest: bool, count: i32, detail: &Detail<'_>) {
    if nest && count > 1 {
        thread.raise_with(Event::NestLockBegin, detail);
    } else {
        thread.raise_with(Event::MutexAcquired, detail);
    }
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

/// Tests a lock by this routine.
///
/// # Safety
/// It is that for the lock, and that may be tested.
#[inline(always)]
pub(crate) unsafe fn test_with(lock: usize, nest: bool, test: Test) -> i32 {
    if armed(TAKING) {
        // SAFETY: the caller's lock, and what tests locks of its kind.
        return unsafe { test_told(lock, nest, test) };
    }
    // SAFETY: the caller's call, passed on.
    unsafe { test(lock) }
}

/// Tests a lock where somebody listens.
///
/// # Safety
/// `test` is the routine for the lock.
#[inline(never)]
unsafe fn test_told(lock: usize, nest: bool, test: Test) -> i32 {
    let Some(thread) = here() else {
        // SAFETY: the caller's promise.
        return unsafe { test(lock) };
    };
    let kind = if nest { Mutex::TestNestLock } else { Mutex::TestLock };
    let detail = detail(kind, lock as u64);
    thread.raise_with(Event::MutexAcquire, &detail);
    // SAFETY: the caller's promise.
    let count = unsafe { test(lock) };
    if count != 0 {
        tell_taken(thread, nest, count, &detail);
    }
    count
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

/// Unsets a lock by this routine.
///
/// # Safety
/// It is that for the lock, and that may be unset.
#[inline(always)]
pub(crate) unsafe fn unset_with(lock: usize, unset: Routine) {
    // SAFETY: the caller's promise.
    unsafe { unset(lock) };
    if armed(GIVING_BACK) {
        tell_given_back(Mutex::Lock, lock as u64);
    }
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

/// Unsets a nestable lock by these routines.
///
/// # Safety
/// They are those for the lock, and it may be unset.
#[inline(always)]
pub(crate) unsafe fn unset_nest_with(lock: usize, test: Test, unset: Routine) {
    if armed(GIVING_BACK) {
        // SAFETY: the caller's lock, and what tests and unsets locks of its kind.
        return unsafe { unset_nest_told(lock, test, unset) };
    }
    // SAFETY: the caller's call, passed on.
    unsafe { unset(lock) };
}

/// Unsets a nestable lock where somebody listens.
///
/// # Safety
/// The routines are those for the lock.
#[inline(never)]
unsafe fn unset_nest_told(lock: usize, test: Test, unset: Routine) {
    // SAFETY: the caller's lock, which the current task has set.
    let count = unsafe { test(lock) };
    if count != 0 {
        // SAFETY: it was set just now.
        unsafe { unset(lock) };
    }
    // SAFETY: the caller's call, passed on.
    unsafe { unset(lock) };
    if count <= 2 {
        tell_given_back(Mutex::NestLock, lock as u64);
    } else if let Some(thread) = here() {
        thread.raise_with(Event::NestLockEnd, &detail(Mutex::NestLock, lock as u64));
    }
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

/// Tells that a lock exists, or that it is about to be destroyed.
pub(crate) fn tell_life(event: Event, nest: u8, lock: usize) {
    if armed(EventSet::of(&[event]))
        && let Some(thread) = here()
    {
        let kind = if nest == 1 { Mutex::NestLock } else { Mutex::Lock };
        thread.raise_with(event, &detail(kind, lock as u64));
    }
}

//! Calls by which the program takes and releases libgomp's mutexes and locks.
#![allow(unsafe_code)] // calls libgomp

use super::instance::{PendingCall, Target, bound, function_as};
use crate::lock_routines::{Routine, Setting, Test, Testing, Unsetting, UnsettingNest};
use std::marker::PhantomData;
use std::sync::atomic::AtomicI32;

/// The word of a named critical section: compiled code passes the address of a static variable of its own (`void **`, libgomp_g.h), which
/// is accessed only by atomic instructions.
pub(super) type MutexWord<'call> = &'call AtomicI32;

/// A call of an entry that takes a mutex; `word` is the argument of a named critical section.
pub(super) struct Taking<'call> {
    function: unsafe extern "C-unwind" fn(Option<MutexWord<'call>>),
    word: Option<MutexWord<'call>>,
    frame: PhantomData<(&'call (), *const ())>,
}

impl<'call> Taking<'call> {
    /// The call of a named section's entry.
    #[inline(always)]
    pub(super) fn named<T: Target<Arguments = (MutexWord<'call>,), Result = ()>>(call: PendingCall<'call, T>) -> Self {
        let (word,) = call.arguments();
        // SAFETY: the entry takes the word's address (`T`).
        Self { function: unsafe { function_as(call.target()) }, word: Some(word), frame: PhantomData }
    }

    /// The call of an entry without arguments.
    #[inline(always)]
    pub(super) fn hidden<T: Target<Arguments = (), Result = ()>>(call: PendingCall<'call, T>) -> Self {
        // SAFETY: the entry reads no argument (`T`); a register after its arguments has no effect (psABI 3.2.3).
        Self { function: unsafe { function_as(call.target()) }, word: None, frame: PhantomData }
    }

    /// Calls libgomp's function as the program does.
    #[inline(always)]
    pub(super) fn go_on(self) {
        // SAFETY: a call was consumed, and this consumes the value: the program makes this very call, once.
        unsafe { (self.function)(self.word) }
    }
}

/// A lock that the program passes to a routine that sets it; entry `TEST` tests locks of its kind and version.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct ToSet<const TEST: usize>(usize);

/// A lock that the program passes to a routine that tests it.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct ToTest(usize);

/// A lock that the program passes to a routine that unsets it.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct ToUnset(usize);

/// A nestable lock that the program passes to a routine that unsets it; entry `TEST` tests locks of its version.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct ToUnsetNest<const TEST: usize>(usize);

/// A call that sets a lock.
#[inline(always)]
pub(super) fn setting<T: Target<Arguments = (ToSet<TEST>,), Result = ()>, const TEST: usize>(
    call: PendingCall<'_, T>,
) -> Setting {
    let (lock,) = call.arguments();
    // SAFETY: entry `TEST` is `int (lock *)` (omp.h), and bound: a libgomp has all its lock routines.
    let test: Test = unsafe { bound::<TEST, _>(call.instance()) };
    // SAFETY: the entry is `void (lock *)` (`T`).
    let set: Routine = unsafe { function_as(call.target()) };
    // SAFETY: the program passes the lock to the routine, in `call`; both are for locks of its kind (`ToSet`).
    unsafe { Setting::new(lock.0, test, set) }
}

/// A call that tests a lock.
#[inline(always)]
pub(super) fn testing<T: Target<Arguments = (ToTest,), Result = i32>>(call: PendingCall<'_, T>) -> Testing {
    let (lock,) = call.arguments();
    // SAFETY: the entry is `int (lock *)` (`T`).
    let test: Test = unsafe { function_as(call.target()) };
    // SAFETY: the program passes the lock to the routine, in `call`.
    unsafe { Testing::new(lock.0, test) }
}

/// A call that unsets a lock that is not nestable.
#[inline(always)]
pub(super) fn unsetting<T: Target<Arguments = (ToUnset,), Result = ()>>(call: PendingCall<'_, T>) -> Unsetting {
    let (lock,) = call.arguments();
    // SAFETY: the entry is `void (lock *)` (`T`).
    let unset: Routine = unsafe { function_as(call.target()) };
    // SAFETY: the program passes the lock to the routine, in `call`.
    unsafe { Unsetting::new(lock.0, unset) }
}

/// A call that unsets a nestable lock.
#[inline(always)]
pub(super) fn unsetting_nest<T: Target<Arguments = (ToUnsetNest<TEST>,), Result = ()>, const TEST: usize>(
    call: PendingCall<'_, T>,
) -> UnsettingNest {
    let (lock,) = call.arguments();
    // SAFETY: entry `TEST` is `int (lock *)` (omp.h), and bound: a libgomp has all its lock routines.
    let test: Test = unsafe { bound::<TEST, _>(call.instance()) };
    // SAFETY: the entry is `void (lock *)` (`T`).
    let unset: Routine = unsafe { function_as(call.target()) };
    // SAFETY: the program passes the lock to the routine, in `call`; both are for nestable locks (`ToUnsetNest`).
    unsafe { UnsettingNest::new(lock.0, test, unset) }
}

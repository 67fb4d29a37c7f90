//! Lock routines: each entry calls libgomp's routine of the same kind and version.

use super::instance::{PendingCall, Target};
use super::lock_calls::{ToSet, ToTest, ToUnset, ToUnsetNest, setting, testing, unsetting, unsetting_nest};
use crate::lock_routines::report_lifetime;
use ompt_core::event::Event;

/// Sets a lock, a nestable one if `NEST` is 1. Tries first, by entry `TEST`, of the same kind and version: if that succeeds, the lock is
/// acquired.
#[inline(always)]
pub(super) fn set<T: Target<Arguments = (ToSet<TEST>,), Result = ()>, const TEST: usize, const NEST: u8>(
    call: PendingCall<'_, T>,
) {
    setting(call).set(NEST == 1);
}

/// Tests a lock.
#[inline(always)]
pub(super) fn test<T: Target<Arguments = (ToTest,), Result = i32>, const NEST: u8>(call: PendingCall<'_, T>) -> i32 {
    testing(call).test(NEST == 1)
}

/// Unsets a lock that is not nestable.
#[inline(always)]
pub(super) fn unset<T: Target<Arguments = (ToUnset,), Result = ()>>(call: PendingCall<'_, T>) {
    unsetting(call).unset();
}

/// Unsets a nestable lock. Entry `TEST` returns the nesting count by setting the lock once more, which is undone.
#[inline(always)]
pub(super) fn unset_nest<T: Target<Arguments = (ToUnsetNest<TEST>,), Result = ()>, const TEST: usize>(
    call: PendingCall<'_, T>,
) {
    unsetting_nest(call).unset();
}

/// Initialises a lock.
#[inline(always)]
pub(super) fn init<T: Target<Arguments = (usize,), Result = ()>, const NEST: u8>(call: PendingCall<'_, T>) {
    let (lock,) = call.arguments();
    call.go_on();
    report_lifetime(Event::LockInit, NEST, lock);
}

/// Destroys a lock.
#[inline(always)]
pub(super) fn destroy<T: Target<Arguments = (usize,), Result = ()>, const NEST: u8>(call: PendingCall<'_, T>) {
    let (lock,) = call.arguments();
    report_lifetime(Event::LockDestroy, NEST, lock);
    call.go_on();
}

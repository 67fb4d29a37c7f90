//! Events of locks, critical sections, atomic updates and ordered regions (OpenMP 5.0, 4.5.2.14 to 4.5.2.16).
#![allow(unsafe_code)] // calls the tool

use super::context::{End, EventContext};
use crate::detail::Mutex;
use crate::v5::types::ompt_mutex_t::{self, *};
use crate::v5::{callbacks, mutex_impls};

const fn kind_of(kind: Mutex) -> ompt_mutex_t {
    match kind {
        Mutex::Lock => ompt_mutex_lock,
        Mutex::TestLock => ompt_mutex_test_lock,
        Mutex::NestLock => ompt_mutex_nest_lock,
        Mutex::TestNestLock => ompt_mutex_test_nest_lock,
        Mutex::Critical => ompt_mutex_critical,
        Mutex::Atomic => ompt_mutex_atomic,
        Mutex::Ordered => ompt_mutex_ordered,
    }
}

#[inline(always)]
pub(super) fn acquire(context: EventContext, kind: Mutex, wait_id: u64, hint: u32) -> Option<impl FnOnce()> {
    let callback = callbacks::MUTEX_ACQUIRE.get()?;
    Some(move || {
        // SAFETY: the callback has this signature (`Kind::get`); it takes no pointer to data.
        unsafe { callback(kind_of(kind), hint, mutex_impls::of(kind), wait_id, context.code()) };
    })
}

#[inline(always)]
pub(super) fn acquired(context: EventContext, kind: Mutex, wait_id: u64) -> Option<impl FnOnce()> {
    let callback = callbacks::MUTEX_ACQUIRED.get()?;
    Some(move || {
        // SAFETY: the callback has this signature (`Kind::get`); it takes no pointer to data.
        unsafe { callback(kind_of(kind), wait_id, context.code()) };
    })
}

#[inline(always)]
pub(super) fn released(context: EventContext, kind: Mutex, wait_id: u64) -> Option<impl FnOnce()> {
    let callback = callbacks::MUTEX_RELEASED.get()?;
    Some(move || {
        // SAFETY: the callback has this signature (`Kind::get`); it takes no pointer to data.
        unsafe { callback(kind_of(kind), wait_id, context.code()) };
    })
}

#[inline(always)]
pub(super) fn nest_lock(context: EventContext, end: End, wait_id: u64) -> Option<impl FnOnce()> {
    let callback = callbacks::NEST_LOCK.get()?;
    Some(move || {
        // SAFETY: the callback has this signature (`Kind::get`); it takes no pointer to data.
        unsafe { callback(end.into(), wait_id, context.code()) };
    })
}

#[inline(always)]
pub(super) fn init(context: EventContext, kind: Mutex, wait_id: u64, hint: u32) -> Option<impl FnOnce()> {
    let callback = callbacks::LOCK_INIT.get()?;
    Some(move || {
        // SAFETY: the callback has this signature (`Kind::get`); it takes no pointer to data.
        unsafe { callback(kind_of(kind), hint, mutex_impls::of(kind), wait_id, context.code()) };
    })
}

#[inline(always)]
pub(super) fn destroy(context: EventContext, kind: Mutex, wait_id: u64) -> Option<impl FnOnce()> {
    let callback = callbacks::LOCK_DESTROY.get()?;
    Some(move || {
        // SAFETY: the callback has this signature (`Kind::get`); it takes no pointer to data.
        unsafe { callback(kind_of(kind), wait_id, context.code()) };
    })
}

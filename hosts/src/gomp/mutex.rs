//! Critical sections and atomics that use a lock. A wait is announced only where somebody is inside.
#![allow(unsafe_code)] // calls libgomp, and looks at a critical section's word

use super::bank::{bank, real};
use ompt_core::detail::{Detail, Mutex};
use ompt_core::dispatch::armed;
use ompt_core::event::{Event, EventSet, Span};
use ompt_core::state::State;
use ompt_core::thread::{Thread, here};
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::*};

type Call = unsafe extern "C-unwind" fn();

/// Tells that a thread wants a mutex.
#[inline(always)]
pub(super) fn about_to_take(thread: &'static Thread, kind: Mutex, wait_id: u64) {
    tell(thread, Event::MutexAcquire, kind, wait_id);
}

/// Tells that a thread has got a mutex.
#[inline(always)]
pub(super) fn taken(thread: &'static Thread, kind: Mutex, wait_id: u64) {
    tell(thread, Event::MutexAcquired, kind, wait_id);
}

/// Tells that a thread has given a mutex back.
#[inline(always)]
pub(super) fn given_back(thread: &'static Thread, kind: Mutex, wait_id: u64) {
    tell(thread, Event::MutexReleased, kind, wait_id);
}

#[inline(always)]
fn tell(thread: &'static Thread, event: Event, kind: Mutex, wait_id: u64) {
    thread.raise_with(event, &Detail::Mutex { kind, wait_id, hint: 0 });
}

/// Whether somebody wants to hear of mutexes. All that is done for listeners stands in functions of its own, which keeps it
/// out of the quick ways.
#[inline(always)]
pub(super) fn listens() -> bool {
    armed(EventSet::of(&[
        Event::MutexAcquire,
        Event::MutexAcquired,
        Event::MutexReleased,
        Event::NestLockBegin,
        Event::NestLockEnd,
    ]))
}

/// `GOMP_critical_name_start`: the word at the name's address is libgomp's lock (0: free).
///
/// # Safety
/// As the function asks for.
pub(super) unsafe extern "C-unwind" fn named_start<const B: usize, const E: usize>(name: *const AtomicI32) {
    // SAFETY: the entry takes the name and returns nothing.
    let start: unsafe extern "C-unwind" fn(*const AtomicI32) = unsafe { real::<B, E, _>() };
    // SAFETY: compiled code passes the address of the section's own pointer-sized word.
    let free = || unsafe { (*name).load(Relaxed) } == 0;
    if listens() || !free() {
        // SAFETY: the caller's call, passed on.
        return enter(|| unsafe { start(name) }, free, Mutex::Critical, name as u64);
    }
    // SAFETY: the caller's call, passed on.
    unsafe { start(name) };
}

/// `GOMP_critical_name_end`.
///
/// # Safety
/// As the function asks for.
pub(super) unsafe extern "C-unwind" fn named_end<const B: usize, const E: usize>(name: usize) {
    // SAFETY: the entry takes the name and returns nothing.
    let end: unsafe extern "C-unwind" fn(usize) = unsafe { real::<B, E, _>() };
    // SAFETY: the caller's call, passed on.
    unsafe { end(name) };
    if listens() {
        here().inspect(|thread| given_back(thread, Mutex::Critical, name as u64));
    }
}

/// `GOMP_critical_start`.
///
/// # Safety
/// As the function asks for.
pub(super) unsafe extern "C-unwind" fn critical_start<const B: usize, const E: usize>() {
    // SAFETY: takes nothing and returns nothing.
    let start: Call = unsafe { real::<B, E, _>() };
    // SAFETY: the caller's call, passed on.
    unsafe { enter_hidden(start, &bank::<B>().in_critical, Mutex::Critical) }
}

/// `GOMP_critical_end`.
///
/// # Safety
/// As the function asks for.
pub(super) unsafe extern "C-unwind" fn critical_end<const B: usize, const E: usize>() {
    // SAFETY: takes nothing and returns nothing.
    let end: Call = unsafe { real::<B, E, _>() };
    // SAFETY: the caller's call, passed on.
    unsafe { leave_hidden(end, &bank::<B>().in_critical, Mutex::Critical) }
}

/// `GOMP_atomic_start`.
///
/// # Safety
/// As the function asks for.
pub(super) unsafe extern "C-unwind" fn atomic_start<const B: usize, const E: usize>() {
    // SAFETY: takes nothing and returns nothing.
    let start: Call = unsafe { real::<B, E, _>() };
    // SAFETY: the caller's call, passed on.
    unsafe { enter_hidden(start, &bank::<B>().in_atomic, Mutex::Atomic) }
}

/// `GOMP_atomic_end`.
///
/// # Safety
/// As the function asks for.
pub(super) unsafe extern "C-unwind" fn atomic_end<const B: usize, const E: usize>() {
    // SAFETY: takes nothing and returns nothing.
    let end: Call = unsafe { real::<B, E, _>() };
    // SAFETY: the caller's call, passed on.
    unsafe { leave_hidden(end, &bank::<B>().in_atomic, Mutex::Atomic) }
}

/// Takes a lock that libgomp hides. Whoever is inside has set the mark, and clears it before he leaves: plain stores, since
/// only the holder writes, and nothing to get out of step when a tool attaches while somebody is inside.
///
/// # Safety
/// As `start` asks for.
#[inline(always)]
unsafe fn enter_hidden(start: Call, inside: &AtomicU32, kind: Mutex) {
    let free = || inside.load(Relaxed) == 0;
    let take = || {
        // SAFETY: the caller's promise.
        unsafe { start() };
        inside.store(1, Relaxed);
    };
    if listens() || !free() {
        return enter(take, free, kind, std::ptr::from_ref(inside) as u64);
    }
    take();
}

/// # Safety
/// As `end` asks for.
#[inline(always)]
unsafe fn leave_hidden(end: Call, inside: &AtomicU32, kind: Mutex) {
    inside.store(0, Relaxed);
    // SAFETY: the caller's promise.
    unsafe { end() };
    if listens() {
        here().inspect(|thread| given_back(thread, kind, std::ptr::from_ref(inside) as u64));
    }
}

/// Takes a mutex that may not be free: then the thread has to wait.
#[inline(never)]
fn enter(take: impl FnOnce(), free: impl FnOnce() -> bool, kind: Mutex, wait_id: u64) {
    let Some(thread) = here() else { return take() };
    about_to_take(thread, kind, wait_id);
    if free() {
        take();
    } else {
        let (span, state) = match kind {
            Mutex::Atomic => (Span::ATOMIC_WAIT, State::WaitAtomic),
            _ => (Span::CRITICAL_WAIT, State::WaitCritical),
        };
        let wait = thread.begin_wait(span, state, wait_id);
        take();
        thread.end_wait(wait);
    }
    taken(thread, kind, wait_id);
}

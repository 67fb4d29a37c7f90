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

/// What is told of a thread that wants a mutex, and gets it. All that is done for those who listen stands in functions of its
/// own, which keeps it out of the quick ways.
pub(super) const TAKING: EventSet = EventSet::of(&[Event::MutexAcquire, Event::MutexAcquired, Event::NestLockBegin]);
/// What is told of a thread that gives a mutex back.
pub(super) const GIVING_BACK: EventSet = EventSet::of(&[Event::MutexReleased, Event::NestLockEnd]);

/// What is told of each of the two.
#[inline(always)]
pub(super) fn detail(kind: Mutex, wait_id: u64) -> Detail<'static> {
    Detail::Mutex { kind, wait_id, hint: 0 }
}

/// Tells that the thread has given a mutex back.
#[inline(never)]
pub(super) fn tell_given_back(kind: Mutex, wait_id: u64) {
    let told = |thread: &&'static Thread| kind == Mutex::Atomic && thread.is_in_atomic();
    let thread = here().filter(|thread| !told(thread));
    thread.inspect(|thread| thread.raise_with(Event::MutexReleased, &detail(kind, wait_id)));
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
    if armed(TAKING) || !free() {
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
    if armed(GIVING_BACK) {
        tell_given_back(Mutex::Critical, name as u64);
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
    if armed(TAKING) || !free() {
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
    if armed(GIVING_BACK) {
        tell_given_back(kind, std::ptr::from_ref(inside) as u64);
    }
}

/// Takes a mutex that may not be free: then the thread has to wait.
#[inline(never)]
fn enter(take: impl FnOnce(), free: impl FnOnce() -> bool, kind: Mutex, wait_id: u64) {
    let Some(thread) = here() else { return take() };
    let detail = detail(kind, wait_id);
    let told = kind == Mutex::Atomic && thread.is_in_atomic();
    if !told {
        thread.raise_with(Event::MutexAcquire, &detail);
    }
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
    if !told {
        thread.raise_with(Event::MutexAcquired, &detail);
    }
}

//! Critical sections and atomics that use a lock. A wait is announced only where somebody is inside.
#![allow(unsafe_code)] // calls libgomp, and looks at a critical section's word

use super::bank::{bank, real};
use ompt_core::event::Span;
use ompt_core::state::State;
use ompt_core::thread::here;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::*};

type Call = unsafe extern "C-unwind" fn();

/// `GOMP_critical_name_start`: the word at the name's address is libgomp's lock (0: free).
///
/// # Safety
/// As the function asks for.
pub(super) unsafe extern "C-unwind" fn named_start<const B: usize, const E: usize>(name: *const AtomicI32) {
    // SAFETY: the entry takes the name and returns nothing.
    let start: unsafe extern "C-unwind" fn(*const AtomicI32) = unsafe { real::<B, E, _>() };
    // SAFETY: compiled code passes the address of the section's own pointer-sized word.
    let taken = unsafe { (*name).load(Relaxed) } != 0;
    let Some(thread) = (if taken { here() } else { None }) else {
        // SAFETY: the caller's call, passed on.
        return unsafe { start(name) };
    };
    let wait = thread.begin_wait(Span::CRITICAL_WAIT, State::WaitCritical, name as u64);
    // SAFETY: the caller's call, passed on.
    unsafe { start(name) };
    thread.end_wait(wait);
}

/// `GOMP_critical_start`.
///
/// # Safety
/// As the function asks for.
pub(super) unsafe extern "C-unwind" fn critical_start<const B: usize, const E: usize>() {
    let owner = &bank::<B>().in_critical;
    // SAFETY: takes nothing and returns nothing.
    let start: Call = unsafe { real::<B, E, _>() };
    // SAFETY: the caller's call, passed on.
    unsafe { enter(start, owner, Span::CRITICAL_WAIT, State::WaitCritical) }
}

/// `GOMP_critical_end`.
///
/// # Safety
/// As the function asks for.
pub(super) unsafe extern "C-unwind" fn critical_end<const B: usize, const E: usize>() {
    bank::<B>().in_critical.store(0, Relaxed);
    // SAFETY: takes nothing and returns nothing.
    let end: Call = unsafe { real::<B, E, _>() };
    // SAFETY: the caller's call, passed on.
    unsafe { end() }
}

/// `GOMP_atomic_start`.
///
/// # Safety
/// As the function asks for.
pub(super) unsafe extern "C-unwind" fn atomic_start<const B: usize, const E: usize>() {
    let owner = &bank::<B>().in_atomic;
    // SAFETY: takes nothing and returns nothing.
    let start: Call = unsafe { real::<B, E, _>() };
    // SAFETY: the caller's call, passed on.
    unsafe { enter(start, owner, Span::ATOMIC_WAIT, State::WaitAtomic) }
}

/// `GOMP_atomic_end`.
///
/// # Safety
/// As the function asks for.
pub(super) unsafe extern "C-unwind" fn atomic_end<const B: usize, const E: usize>() {
    bank::<B>().in_atomic.store(0, Relaxed);
    // SAFETY: takes nothing and returns nothing.
    let end: Call = unsafe { real::<B, E, _>() };
    // SAFETY: the caller's call, passed on.
    unsafe { end() }
}

/// Takes a lock that libgomp hides. Whoever is inside has set the mark, and clears it before he leaves: plain stores, since
/// only the holder writes, and nothing to get out of step when a tool attaches while somebody is inside.
///
/// # Safety
/// As `start` asks for.
#[inline(always)]
unsafe fn enter(start: Call, inside: &AtomicU32, span: Span, state: State) {
    let taken = inside.load(Relaxed) != 0;
    if let Some(thread) = if taken { here() } else { None } {
        let wait = thread.begin_wait(span, state, std::ptr::from_ref(inside) as u64);
        // SAFETY: the caller's promise.
        unsafe { start() };
        inside.store(1, Relaxed);
        thread.end_wait(wait);
    } else {
        // SAFETY: the caller's promise.
        unsafe { start() };
        inside.store(1, Relaxed);
    }
}

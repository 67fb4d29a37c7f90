//! Critical sections and atomics that use a lock.
//!
//! The thread tries to take the mutex first, as libgomp itself would. Success is the acquisition, and libgomp is not called; a
//! failure is a wait. Where libgomp's code was not understood ([`Mutexes`](super::mutex_words::Mutexes)), a test of the mutex
//! precedes libgomp's function. If another thread takes it in between, the wait is not reported.
#![allow(unsafe_code)] // calls libgomp, and takes its mutexes

use super::instance::{Call, function, function_as, runtime};
use super::mutex_words::{Hidden, try_take};
use crate::lock_routines::{GIVING_BACK, TAKING, detail, report_released};
use ompt_core::detail::Mutex;
use ompt_core::dispatch::armed;
use ompt_core::event::{Event, Span};
use ompt_core::state::State;
use ompt_core::thread::here;
use std::ptr::from_ref;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::*};

type End = unsafe extern "C-unwind" fn();
/// Function that takes a mutex; the argument is that of a named critical section.
type Start = unsafe extern "C-unwind" fn(*const AtomicI32);

/// `GOMP_critical_name_start`: the word at the name's address is the mutex.
///
/// # Safety
/// As the function asks for.
#[inline(always)]
pub(super) unsafe fn named_start<C: Call<Arguments = (usize,), Result = ()>>(call: C, (name,): (usize,)) {
    let name = name as *const AtomicI32;
    // SAFETY: compiled code passes the address of the section's own word (`void **` in libgomp_g.h), a static that stays at
    // least until this call returns, and is accessed by atomic instructions only.
    let word: &'static AtomicI32 = unsafe { &*name };
    let way = match runtime(call.instance()).mutexes.knows_named() {
        true if armed(TAKING) => Way::Take(word),
        true if try_take(word) => return,
        true => Way::Wait,
        false => Way::Look(word),
    };
    // SAFETY: the entry is `void GOMP_critical_name_start (void **)` (libgomp_g.h), and bound, since its wrapper runs.
    let start: Start = unsafe { function_as(call) };
    // SAFETY: `start` takes the mutex at `name`: both are of the program's call, by this function's `# Safety`.
    unsafe { enter(start, name, way, Mutex::Critical, name as u64) }
}

/// `GOMP_critical_name_end`.
///
/// # Safety
/// As the function asks for.
#[inline(always)]
pub(super) unsafe fn named_end<C: Call<Arguments = (usize,), Result = ()>>(call: C, (name,): (usize,)) {
    let end = function(call);
    // SAFETY: by this function's `# Safety` the program calls the entry; its function gets the same arguments.
    unsafe { end(name) };
    if armed(GIVING_BACK) {
        report_released(Mutex::Critical, name as u64);
    }
}

/// `GOMP_critical_start`.
///
/// # Safety
/// As the function asks for.
#[inline(always)]
pub(super) unsafe fn critical_start<C: Call<Arguments = (), Result = ()>>(call: C, (): ()) {
    // SAFETY: the entry is `void GOMP_critical_start (void)` (libgomp_g.h), and bound, since its wrapper runs; an argument
    // register that it does not read has no effect (psABI 3.2.3).
    let start: Start = unsafe { function_as(call) };
    // SAFETY: `start` takes the mutex behind `GOMP_critical_start`, which `critical` describes.
    unsafe { enter_hidden(start, &runtime(call.instance()).mutexes.critical, Mutex::Critical) }
}

/// `GOMP_critical_end`.
///
/// # Safety
/// As the function asks for.
#[inline(always)]
pub(super) unsafe fn critical_end<C: Call<Arguments = (), Result = ()>>(call: C, (): ()) {
    let end = function(call);
    // SAFETY: by this function's `# Safety` the calling thread is in the unnamed critical section, which `end` leaves.
    unsafe { leave_hidden(end, &runtime(call.instance()).mutexes.critical, Mutex::Critical) }
}

/// `GOMP_atomic_start`.
///
/// # Safety
/// As the function asks for.
#[inline(always)]
pub(super) unsafe fn atomic_start<C: Call<Arguments = (), Result = ()>>(call: C, (): ()) {
    // SAFETY: the entry is `void GOMP_atomic_start (void)` (libgomp_g.h), and bound, since its wrapper runs; an argument
    // register that it does not read has no effect (psABI 3.2.3).
    let start: Start = unsafe { function_as(call) };
    // SAFETY: `start` takes the mutex behind `GOMP_atomic_start`, which `atomic` describes.
    unsafe { enter_hidden(start, &runtime(call.instance()).mutexes.atomic, Mutex::Atomic) }
}

/// `GOMP_atomic_end`.
///
/// # Safety
/// As the function asks for.
#[inline(always)]
pub(super) unsafe fn atomic_end<C: Call<Arguments = (), Result = ()>>(call: C, (): ()) {
    let end = function(call);
    // SAFETY: by this function's `# Safety` the calling thread holds the mutex of atomics, which `end` gives back.
    unsafe { leave_hidden(end, &runtime(call.instance()).mutexes.atomic, Mutex::Atomic) }
}

/// Takes a mutex in libgomp's own data.
///
/// # Safety
/// `start` is its function.
#[inline(always)]
unsafe fn enter_hidden(start: Start, hidden: &'static Hidden, kind: Mutex) {
    let way = match hidden.word() {
        Some(word) if armed(TAKING) => Way::Take(word),
        Some(word) if try_take(word) => return,
        Some(_) => Way::Wait,
        None => Way::Mark(&hidden.taken),
    };
    // SAFETY: by this function's `# Safety` `start` takes the mutex of `hidden`; it reads no argument.
    unsafe { enter(start, std::ptr::null(), way, kind, from_ref(hidden) as u64) }
}

/// # Safety
/// As `end` asks for.
#[inline(always)]
unsafe fn leave_hidden(end: End, hidden: &'static Hidden, kind: Mutex) {
    if hidden.word().is_none() {
        hidden.taken.store(0, Relaxed);
    }
    // SAFETY: by this function's `# Safety` `end` may be called: the calling thread holds the mutex of `hidden`.
    unsafe { end() };
    if armed(GIVING_BACK) {
        report_released(kind, from_ref(hidden) as u64);
    }
}

/// Method by which a thread finds out that it has to wait for a mutex.
#[derive(Clone, Copy)]
enum Way {
    /// Tries to take this word.
    Take(&'static AtomicI32),
    /// Tests this word, which is not 0 while the mutex is taken.
    Look(&'static AtomicI32),
    /// Tests a flag that the holder sets. Plain stores suffice: only the holder writes, and the flag stays consistent when a
    /// tool attaches while the mutex is taken.
    Mark(&'static AtomicU32),
    /// A try has already failed.
    Wait,
}

/// Takes a mutex, and reports the acquisition, and the wait if there is one.
///
/// # Safety
/// `start` takes it, with this argument.
#[inline(never)]
unsafe fn enter(start: Start, argument: *const AtomicI32, way: Way, kind: Mutex, wait_id: u64) {
    let take = || {
        // SAFETY: by this function's `# Safety` `start` takes the mutex, and `argument` is what it takes.
        unsafe { start(argument) };
        if let Way::Mark(taken) = way {
            taken.store(1, Relaxed);
        }
    };
    let taken_at_once = || match way {
        Way::Wait => false,
        Way::Take(word) => try_take(word),
        Way::Look(word) if word.load(Relaxed) != 0 => false,
        Way::Mark(taken) if taken.load(Relaxed) != 0 => false,
        Way::Look(_) | Way::Mark(_) => {
            take();
            true
        }
    };
    let Some(thread) = here() else { return take() };
    let detail = detail(kind, wait_id);
    let is_reported = kind == Mutex::Atomic && thread.is_in_atomic();
    if !is_reported {
        thread.raise_with(Event::MutexAcquire, &detail);
    }
    if !taken_at_once() {
        let (span, state) = match kind {
            Mutex::Atomic => (Span::ATOMIC_WAIT, State::WaitAtomic),
            _ => (Span::CRITICAL_WAIT, State::WaitCritical),
        };
        let wait = thread.begin_wait(span, state, wait_id);
        take();
        thread.end_wait(wait);
    }
    if !is_reported {
        thread.raise_with(Event::MutexAcquired, &detail);
    }
}

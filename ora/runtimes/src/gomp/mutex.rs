//! Critical sections, and atomic updates that use a lock.
//!
//! The thread tries to take the mutex first, as libgomp itself would. If it succeeds, the mutex is acquired and libgomp is not called; a
//! failure is a wait. If libgomp's code was not understood ([`Mutexes`](super::mutex_words::Mutexes)), a test of the mutex precedes
//! libgomp's function. If another thread takes it in between, the wait is not reported.

use super::instance::{PendingCall, Target, runtime};
use super::lock_calls::{MutexWord, Taking};
use super::mutex_words::{Hidden, try_take};
use crate::lock_routines::{GIVING_BACK, TAKING, detail, report_released};
use ompt_core::detail::Mutex;
use ompt_core::dispatch::armed;
use ompt_core::event::{Event, Span};
use ompt_core::state::State;
use ompt_core::thread::here;
use std::ptr::from_ref;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::*};

/// `GOMP_critical_name_start`: the word at the name's address is the mutex.
#[inline(always)]
pub(super) fn named_start<'call, T: Target<Arguments = (MutexWord<'call>,), Result = ()>>(call: PendingCall<'call, T>) {
    let (word,) = call.arguments();
    let way = match runtime(call.instance()).mutexes.knows_named() {
        true if armed(TAKING) => Way::Take(word),
        true if try_take(word) => return,
        true => Way::Wait,
        false => Way::Look(word),
    };
    enter(Taking::named(call), way, Mutex::Critical, from_ref(word) as u64);
}

/// `GOMP_critical_name_end`.
#[inline(always)]
pub(super) fn named_end<T: Target<Arguments = (usize,), Result = ()>>(call: PendingCall<'_, T>) {
    let (name,) = call.arguments();
    call.go_on();
    if armed(GIVING_BACK) {
        report_released(Mutex::Critical, name as u64);
    }
}

/// `GOMP_critical_start`.
#[inline(always)]
pub(super) fn critical_start<T: Target<Arguments = (), Result = ()>>(call: PendingCall<'_, T>) {
    let hidden = &runtime(call.instance()).mutexes.critical;
    enter_hidden(Taking::hidden(call), hidden, Mutex::Critical);
}

/// `GOMP_critical_end`.
#[inline(always)]
pub(super) fn critical_end<T: Target<Result = ()>>(call: PendingCall<'_, T>) {
    let hidden = &runtime(call.instance()).mutexes.critical;
    leave_hidden(call, hidden, Mutex::Critical);
}

/// `GOMP_atomic_start`.
#[inline(always)]
pub(super) fn atomic_start<T: Target<Arguments = (), Result = ()>>(call: PendingCall<'_, T>) {
    let hidden = &runtime(call.instance()).mutexes.atomic;
    enter_hidden(Taking::hidden(call), hidden, Mutex::Atomic);
}

/// `GOMP_atomic_end`.
#[inline(always)]
pub(super) fn atomic_end<T: Target<Result = ()>>(call: PendingCall<'_, T>) {
    let hidden = &runtime(call.instance()).mutexes.atomic;
    leave_hidden(call, hidden, Mutex::Atomic);
}

/// Takes a mutex in libgomp's own data.
#[inline(always)]
fn enter_hidden(taking: Taking<'_>, hidden: &'static Hidden, kind: Mutex) {
    let way = match hidden.word() {
        Some(word) if armed(TAKING) => Way::Take(word),
        Some(word) if try_take(word) => return,
        Some(_) => Way::Wait,
        None => Way::Mark(&hidden.taken),
    };
    enter(taking, way, kind, from_ref(hidden) as u64);
}

/// Releases a mutex in libgomp's own data.
#[inline(always)]
fn leave_hidden<T: Target<Result = ()>>(call: PendingCall<'_, T>, hidden: &'static Hidden, kind: Mutex) {
    if hidden.word().is_none() {
        hidden.taken.store(0, Relaxed);
    }
    call.go_on();
    if armed(GIVING_BACK) {
        report_released(kind, from_ref(hidden) as u64);
    }
}

/// Method by which a thread determines whether it has to wait for a mutex.
#[derive(Clone, Copy)]
enum Way<'a> {
    /// Tries to take this word.
    Take(&'a AtomicI32),
    /// Tests this word, which is not 0 while the mutex is taken.
    Look(&'a AtomicI32),
    /// Tests a flag that the holder sets. Plain stores suffice: only the holder writes, and the flag stays consistent when a
    /// tool attaches while the mutex is taken.
    Mark(&'a AtomicU32),
    /// A try has already failed.
    Wait,
}

/// Takes a mutex, and reports the acquisition, and the wait if there is one.
#[inline(never)]
fn enter<'call>(taking: Taking<'call>, way: Way<'_>, kind: Mutex, wait_id: u64) {
    let take = |taking: Taking<'call>| {
        taking.go_on();
        if let Way::Mark(taken) = way {
            taken.store(1, Relaxed);
        }
    };
    // Returns the call that still has to be made, if the mutex was not taken immediately.
    let take_at_once = |taking: Taking<'call>| match way {
        Way::Take(word) if try_take(word) => None,
        Way::Wait | Way::Take(_) => Some(taking),
        Way::Look(word) if word.load(Relaxed) != 0 => Some(taking),
        Way::Mark(taken) if taken.load(Relaxed) != 0 => Some(taking),
        Way::Look(_) | Way::Mark(_) => {
            take(taking);
            None
        }
    };
    let Some(thread) = here() else { return take(taking) };
    let detail = detail(kind, wait_id);
    let is_reported = kind == Mutex::Atomic && thread.instrumented().is_in_atomic();
    if !is_reported {
        thread.raise_with(Event::MutexAcquire, &detail);
    }
    if let Some(taking) = take_at_once(taking) {
        let (span, state) = match kind {
            Mutex::Atomic => (Span::ATOMIC_WAIT, State::WaitAtomic),
            _ => (Span::CRITICAL_WAIT, State::WaitCritical),
        };
        let wait = thread.waits().begin(span, state, wait_id);
        take(taking);
        thread.waits().end(wait);
    }
    if !is_reported {
        thread.raise_with(Event::MutexAcquired, &detail);
    }
}

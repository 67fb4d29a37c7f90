//! Mutex events, as reported to the core.

use super::saved_words::{keep, take};
use super::thread_fields::Fields;
use ompt_core::detail::{Detail, Mutex};
use ompt_core::event::{Event, Span};
use ompt_core::state::State;
use ompt_core::thread::Thread;
use ompt_core::tls;
use ompt_core::wait::Wait;
use std::ffi::c_int;

fn kind_of(kind: c_int) -> Option<Mutex> {
    Some(match kind {
        1 => Mutex::Lock,
        2 => Mutex::TestLock,
        3 => Mutex::NestLock,
        4 => Mutex::TestNestLock,
        5 => Mutex::Critical,
        6 => Mutex::Atomic,
        7 => Mutex::Ordered,
        _ => return None,
    })
}

/// Events and state of a wait for a mutex of this kind; `None` if that kind never waits.
fn wait_of(kind: Mutex) -> Option<(Span, State)> {
    match kind {
        Mutex::Lock => Some((Span::LOCK_WAIT, State::WaitLock)),
        Mutex::NestLock => Some((Span::LOCK_WAIT, State::WaitNestLock)),
        Mutex::Critical => Some((Span::CRITICAL_WAIT, State::WaitCritical)),
        Mutex::Atomic => Some((Span::ATOMIC_WAIT, State::WaitAtomic)),
        Mutex::Ordered => Some((Span::ORDERED_WAIT, State::WaitOrdered)),
        Mutex::TestLock | Mutex::TestNestLock => None,
    }
}

fn report(thread: &'static Thread, event: Event, kind: Mutex, wait_id: u64, hint: u32) {
    thread.raise_with(event, &Detail::Mutex { kind, wait_id, hint });
}

/// Reports that the calling thread is about to take the mutex.
pub(super) fn acquire(kind: c_int, hint: u32, wait_id: u64) {
    let Some((thread, kind)) = tls::get().zip(kind_of(kind)) else { return };
    // LLVM's runtimes up to 16 report a try to take a lock like its acquisition; a failed try lacks an end event.
    end_wait(thread);
    report(thread, Event::MutexAcquire, kind, wait_id, hint);
    if let Some((span, state)) = wait_of(kind)
        && has_to_wait(thread, kind, wait_id)
    {
        let wait = thread.waits().begin_at(thread.current.no_frame(), span, state, wait_id);
        keep(Fields::of(thread).wait, wait.into_words());
    }
}

/// True if the thread has to wait. For an ordered region it may have to wait for other threads' turns, about which nothing is known. So
/// even a thread that continues immediately is reported to have waited, for as long as that takes.
#[inline(always)]
fn has_to_wait(thread: &'static Thread, kind: Mutex, wait_id: u64) -> bool {
    match kind {
        Mutex::Ordered => thread.current.region().is_some_and(|region| region.size() > 1),
        _ => thread.mutexes.request(wait_id, kind == Mutex::NestLock),
    }
}

/// Reports that the calling thread has the mutex.
pub(super) fn acquired(kind: c_int, wait_id: u64) {
    let Some((thread, kind)) = tls::get().zip(kind_of(kind)) else { return };
    end_wait(thread);
    if kind == Mutex::Ordered {
        thread.constructs().open_ordered();
    } else {
        thread.mutexes.acquire(wait_id);
    }
    report(thread, Event::MutexAcquired, kind, wait_id, 0);
}

/// Reports that the calling thread has released the mutex.
pub(super) fn released(kind: c_int, wait_id: u64) {
    let Some((thread, kind)) = tls::get().zip(kind_of(kind)) else { return };
    end_wait(thread);
    if kind == Mutex::Ordered {
        thread.constructs().close_ordered();
    } else {
        thread.mutexes.release(wait_id);
    }
    report(thread, Event::MutexReleased, kind, wait_id, 0);
}

/// Reports that the thread has set a nestable lock that it already owned, without a wait.
pub(super) fn again(wait_id: u64) {
    let Some(thread) = tls::get() else { return };
    end_wait(thread);
    thread.mutexes.give_up();
    report(thread, Event::NestLockBegin, Mutex::NestLock, wait_id, 0);
}

/// Reports that the thread has unset a nestable lock, and still owns it.
pub(super) fn still(wait_id: u64) {
    if let Some(thread) = tls::get() {
        report(thread, Event::NestLockEnd, Mutex::NestLock, wait_id, 0);
    }
}

/// Reports that a lock was initialised.
pub(super) fn init(kind: c_int, hint: u32, wait_id: u64) {
    if let Some((thread, kind)) = tls::get().zip(kind_of(kind)) {
        report(thread, Event::LockInit, kind, wait_id, hint);
    }
}

/// Reports that a lock is destroyed.
pub(super) fn destroy(kind: c_int, wait_id: u64) {
    if let Some((thread, kind)) = tls::get().zip(kind_of(kind)) {
        report(thread, Event::LockDestroy, kind, wait_id, 0);
    }
}

/// Ends the wait that the thread is in, if any.
#[inline(always)]
fn end_wait(thread: &'static Thread) {
    if let Some(wait) = take(Fields::of(thread).wait).and_then(Wait::from_words) {
        thread.waits().end(wait);
    }
}

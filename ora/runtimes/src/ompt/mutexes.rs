//! What the core is told of mutexes.

use super::words::{keep, take};
use ompt_core::detail::{Detail, Mutex};
use ompt_core::event::{Event, Span};
use ompt_core::state::State;
use ompt_core::thread::Thread;
use ompt_core::tls;
use ompt_core::wait::Wait;
use std::array;
use std::ffi::c_int;
use std::sync::atomic::AtomicU64;

/// Where in a [`Thread`]'s words the wait for a mutex lies.
const WAIT: usize = 2;

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

/// How a wait for it is told; `None` where nobody waits.
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

fn tell(thread: &'static Thread, event: Event, kind: Mutex, wait_id: u64, hint: u32) {
    thread.raise_with(event, &Detail::Mutex { kind, wait_id, hint });
}

/// The calling thread is about to take it.
pub(super) fn acquire(kind: c_int, hint: u32, wait_id: u64) {
    let Some((thread, kind)) = tls::get().zip(kind_of(kind)) else { return };
    // LLVM's runtimes up to 16 tell of a try to take a lock as of taking it; one in vain ends nowhere.
    end_wait(thread);
    tell(thread, Event::MutexAcquire, kind, wait_id, hint);
    if let Some((span, state)) = wait_of(kind)
        && has_to_wait(thread, kind, wait_id)
    {
        let wait = thread.begin_wait_at(thread.no_frame(), span, state, wait_id);
        keep(places(thread), wait.into_words());
    }
}

/// Whether the thread has to wait. For an ordered region it may have to until others have had their turns, of which nothing is
/// known. So a thread that goes on at once is reported to have waited, too, for as long as that takes.
#[inline(always)]
fn has_to_wait(thread: &'static Thread, kind: Mutex, wait_id: u64) -> bool {
    match kind {
        Mutex::Ordered => thread.region().is_some_and(|region| region.size() > 1),
        _ => thread.mutexes().want(wait_id, kind == Mutex::NestLock),
    }
}

/// It has it.
pub(super) fn acquired(kind: c_int, wait_id: u64) {
    let Some((thread, kind)) = tls::get().zip(kind_of(kind)) else { return };
    end_wait(thread);
    if kind == Mutex::Ordered {
        thread.open_ordered();
    } else {
        thread.mutexes().acquire(wait_id);
    }
    tell(thread, Event::MutexAcquired, kind, wait_id, 0);
}

/// It has given it back.
pub(super) fn released(kind: c_int, wait_id: u64) {
    let Some((thread, kind)) = tls::get().zip(kind_of(kind)) else { return };
    end_wait(thread);
    if kind == Mutex::Ordered {
        thread.close_ordered();
    } else {
        thread.mutexes().release(wait_id);
    }
    tell(thread, Event::MutexReleased, kind, wait_id, 0);
}

/// It has set a nestable lock that it had already: there was nothing to wait for.
pub(super) fn again(wait_id: u64) {
    let Some(thread) = tls::get() else { return };
    end_wait(thread);
    thread.mutexes().give_up();
    tell(thread, Event::NestLockBegin, Mutex::NestLock, wait_id, 0);
}

/// It has unset such a lock, and still has it.
pub(super) fn still(wait_id: u64) {
    if let Some(thread) = tls::get() {
        tell(thread, Event::NestLockEnd, Mutex::NestLock, wait_id, 0);
    }
}

/// A lock exists.
pub(super) fn init(kind: c_int, hint: u32, wait_id: u64) {
    if let Some((thread, kind)) = tls::get().zip(kind_of(kind)) {
        tell(thread, Event::LockInit, kind, wait_id, hint);
    }
}

/// A lock is destroyed.
pub(super) fn destroy(kind: c_int, wait_id: u64) {
    if let Some((thread, kind)) = tls::get().zip(kind_of(kind)) {
        tell(thread, Event::LockDestroy, kind, wait_id, 0);
    }
}

fn places(thread: &'static Thread) -> [&'static AtomicU64; 6] {
    array::from_fn(|index| thread.word(WAIT + index))
}

/// The wait that the thread was in is over, if it was in one.
#[inline(always)]
fn end_wait(thread: &'static Thread) {
    if let Some(wait) = take(places(thread)).and_then(Wait::from_words) {
        thread.end_wait(wait);
    }
}

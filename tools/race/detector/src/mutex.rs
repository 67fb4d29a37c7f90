//! Mutexes: critical sections, locks, ordered regions, atomics that take a lock.
//!
//! OMPT reports a release when the mutex is already free. Another thread may have taken it and done its work by then, so the
//! calls that free a mutex are also observed ([`crate::calls`]), and the order is established before them.

use std::ffi::c_void;
use std::sync::atomic::Ordering::Relaxed;

use ompt_tool::MutexKind;

use crate::clock::Clock;
use crate::held::{Kind, Taken};
use crate::sanitizer::sanitizer;
use crate::thread::Thread;

/// The calling thread has acquired the mutex.
pub(crate) fn acquired(thread: &Thread, kind: MutexKind, wait_id: u64, codeptr: usize) {
    let kind = Kind::of(kind);
    with_clock(thread, kind, wait_id, Clock::acquire, |sanitizer, address| sanitizer.acquire_at(address));
    thread.held.push(Taken { kind, wait_id, codeptr });
}

/// The calling thread is about to release its last mutex of one of these kinds.
pub(crate) fn about_to_release(thread: &Thread, kind: Kind) {
    if let Some(taken) = thread.held.newest_first().find(|taken| taken.kind == kind) {
        release(thread, kind, taken.wait_id);
    }
}

/// The calling thread is about to release this mutex, or this level of it.
pub(crate) fn about_to_release_lock(thread: &Thread, kind: Kind, wait_id: u64) {
    if thread.held.newest_first().any(|taken| taken.wait_id == wait_id) {
        release(thread, kind, wait_id);
    } else {
        about_to_release(thread, kind);
    }
}

/// The calling thread has released the mutex, by a call that returns to `codeptr`.
pub(crate) fn released(thread: &Thread, wait_id: u64, codeptr: usize) {
    if thread.held.released.swap(0, Relaxed) != wait_id {
        // The call was not observed.
        let kind = thread.held.newest_first().find(|taken| taken.wait_id == wait_id).map(|taken| taken.kind);
        release(thread, kind.unwrap_or(Kind::Other), wait_id);
        thread.held.released.store(0, Relaxed);
    }
    thread.held.note_stretch(wait_id, codeptr);
    thread.held.remove(wait_id);
}

fn release(thread: &Thread, kind: Kind, wait_id: u64) {
    thread.held.released.store(wait_id, Relaxed);
    with_clock(thread, kind, wait_id, Clock::join, |sanitizer, address| sanitizer.release_at(address));
}

/// Uses the clock of a mutex: that of its address, or one from a table if the wait id is not an address, and for each team of a
/// league. Atomics apply to all threads of the device, everything else to those of a contention group (OpenMP 5.1, 2.19.1 and 3.9).
fn with_clock(
    thread: &Thread,
    kind: Kind,
    wait_id: u64,
    by_clock: fn(&Clock),
    by_address: fn(&crate::sanitizer::Sanitizer, *const c_void),
) {
    const CLOCKS: usize = 1024;
    static TABLE: [Clock; CLOCKS] = [const { Clock::zero() }; CLOCKS];
    let group = if kind == Kind::Atomic { 0 } else { thread.contention_group() };
    let address = usize::try_from(wait_id).unwrap_or(0);
    if group == 0 && address > 1 << 16 && wait_id < system::arch::USUAL_END {
        if let Some(sanitizer) = sanitizer() {
            by_address(sanitizer, std::ptr::without_provenance(address));
        }
        return;
    }
    let number = address.wrapping_add(usize::try_from(group).unwrap_or(0).wrapping_mul(0x9e37_79b9));
    if let Some(clock) = TABLE.get((number ^ number >> 12) % CLOCKS) {
        by_clock(clock);
    }
}

//! Mutexes: critical sections, locks, ordered regions, atomics that take a lock.
//!
//! OMPT reports a release when the mutex is free already. Another thread may have taken it and done its work by then, so the
//! calls that free a mutex are observed, too ([`crate::calls`]), and the order is made before them.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::*};

use ompt_tool::MutexKind;

use crate::clock::Clock;
use crate::sanitizer::sanitizer;
use crate::thread::Thread;

/// Number of mutexes of a thread that are remembered.
const MOST: usize = 16;

/// Kind of a mutex, no matter how it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Lock,
    NestLock,
    Critical,
    Atomic,
    Ordered,
    Other,
}

impl Kind {
    const ALL: [Self; 6] = [Self::Lock, Self::NestLock, Self::Critical, Self::Atomic, Self::Ordered, Self::Other];

    fn of(kind: MutexKind) -> Self {
        match kind {
            MutexKind::Lock | MutexKind::TestLock => Self::Lock,
            MutexKind::NestLock | MutexKind::TestNestLock => Self::NestLock,
            MutexKind::Critical => Self::Critical,
            MutexKind::Atomic => Self::Atomic,
            MutexKind::Ordered => Self::Ordered,
            MutexKind::Other(_) => Self::Other,
        }
    }

    /// The word for it in the file.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Lock => "lock",
            Self::NestLock => "nest_lock",
            Self::Critical => "critical",
            Self::Atomic => "atomic",
            Self::Ordered => "ordered",
            Self::Other => "mutex",
        }
    }
}

/// Mutexes that a thread holds, the last one taken last.
#[derive(Debug, Default)]
pub(crate) struct Held {
    entries: [Entry; MOST],
    count: AtomicUsize,
    /// The mutex that was released before the runtime's call, as [`about_to_release`] says.
    released: AtomicU64,
}

#[derive(Debug, Default)]
struct Entry {
    kind: AtomicU32,
    wait_id: AtomicU64,
    codeptr: AtomicUsize,
}

/// A mutex that a thread holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    pub(crate) kind: Kind,
    pub(crate) wait_id: u64,
    pub(crate) codeptr: usize,
}

impl Held {
    /// The mutexes, the last one taken first.
    pub(crate) fn newest_first(&self) -> impl Iterator<Item = Taken> + '_ {
        let count = self.count.load(Relaxed).min(MOST);
        self.entries.iter().take(count).rev().filter_map(|entry| {
            Some(Taken {
                kind: *Kind::ALL.get(entry.kind.load(Relaxed) as usize)?,
                wait_id: entry.wait_id.load(Relaxed),
                codeptr: entry.codeptr.load(Relaxed),
            })
        })
    }

    fn push(&self, taken: Taken) {
        let count = self.count.load(Relaxed);
        if let Some(entry) = self.entries.get(count) {
            entry.kind.store(taken.kind as u32, Relaxed);
            entry.wait_id.store(taken.wait_id, Relaxed);
            entry.codeptr.store(taken.codeptr, Relaxed);
        }
        self.count.store(count + 1, Relaxed);
    }

    /// Forgets a mutex. Mutexes need not be released in the reverse order.
    fn remove(&self, wait_id: u64) {
        let count = self.count.load(Relaxed);
        let found = self.entries.iter().take(count).rposition(|entry| entry.wait_id.load(Relaxed) == wait_id);
        let Some(found) = found else { return self.count.store(count.saturating_sub(1), Relaxed) };
        let pairs = self.entries.iter().zip(self.entries.iter().skip(1)).take(count).skip(found);
        for (entry, next) in pairs {
            entry.kind.store(next.kind.load(Relaxed), Relaxed);
            entry.wait_id.store(next.wait_id.load(Relaxed), Relaxed);
            entry.codeptr.store(next.codeptr.load(Relaxed), Relaxed);
        }
        self.count.store(count - 1, Relaxed);
    }
}

/// The calling thread has the mutex.
pub(crate) fn acquired(thread: &Thread, kind: MutexKind, wait_id: u64, codeptr: usize) {
    with_clock(wait_id, Clock::acquire, |sanitizer, address| sanitizer.acquire_at(address));
    thread.held.push(Taken { kind: Kind::of(kind), wait_id, codeptr });
}

/// The calling thread is about to release its last mutex of one of these kinds.
pub(crate) fn about_to_release(thread: &Thread, kind: Kind) {
    if let Some(taken) = thread.held.newest_first().find(|taken| taken.kind == kind) {
        release(thread, taken.wait_id);
    }
}

/// The calling thread is about to release this mutex, or this level of it.
pub(crate) fn about_to_release_lock(thread: &Thread, kind: Kind, wait_id: u64) {
    if thread.held.newest_first().any(|taken| taken.wait_id == wait_id) {
        release(thread, wait_id);
    } else {
        about_to_release(thread, kind);
    }
}

/// The calling thread has released the mutex.
pub(crate) fn released(thread: &Thread, wait_id: u64) {
    if thread.held.released.swap(0, Relaxed) != wait_id {
        // The call was not observed.
        release(thread, wait_id);
        thread.held.released.store(0, Relaxed);
    }
    thread.held.remove(wait_id);
}

fn release(thread: &Thread, wait_id: u64) {
    thread.held.released.store(wait_id, Relaxed);
    with_clock(wait_id, Clock::join, |sanitizer, address| sanitizer.release_at(address));
}

/// Uses the clock of a mutex: that of its address, or, where the wait id is no address, one of a table.
fn with_clock(wait_id: u64, by_clock: fn(&Clock), by_address: fn(&crate::sanitizer::Sanitizer, *const c_void)) {
    const CLOCKS: usize = 1024;
    static TABLE: [Clock; CLOCKS] = [const { Clock::zero() }; CLOCKS];
    let address = usize::try_from(wait_id).unwrap_or(0);
    if address > 1 << 16 && wait_id < system::arch::USUAL_END {
        if let Some(sanitizer) = sanitizer() {
            by_address(sanitizer, std::ptr::without_provenance(address));
        }
    } else if let Some(clock) = TABLE.get(address % CLOCKS) {
        by_clock(clock);
    }
}

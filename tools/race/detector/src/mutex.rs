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
    /// Stretches of code that the thread executed while it held a mutex; the next one replaces the oldest.
    stretches: [Stretch; MOST],
    next_stretch: AtomicUsize,
}

/// Code between the call that takes a mutex and the one that releases it.
#[derive(Debug, Default)]
struct Stretch {
    taken: Entry,
    /// Return address of the call that released it.
    end: AtomicUsize,
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
        self.entries.iter().take(count).rev().filter_map(Entry::read)
    }

    /// Mutexes that the thread held at a former access, by its stack: it stands in the code between the calls that take and release
    /// one. ThreadSanitizer doesn't know which mutexes of OpenMP were held.
    pub(crate) fn at_former(&self, stack: impl Iterator<Item = usize> + Clone) -> impl Iterator<Item = Taken> {
        /// The longest stretch, in bytes of code.
        const LONGEST: usize = 1 << 16;
        self.stretches.iter().filter_map(move |stretch| {
            let taken = stretch.taken.read()?;
            let end = stretch.end.load(Relaxed);
            let length = end.checked_sub(taken.codeptr).filter(|length| taken.codeptr != 0 && *length < LONGEST)?;
            stack.clone().any(|frame| frame.wrapping_sub(taken.codeptr) < length).then_some(taken)
        })
    }

    fn push(&self, taken: Taken) {
        let count = self.count.load(Relaxed);
        if let Some(entry) = self.entries.get(count) {
            entry.write(taken);
        }
        self.count.store(count + 1, Relaxed);
    }

    /// Notes the code in which a mutex was held, up to the call that returns to `end`.
    fn note_stretch(&self, wait_id: u64, end: usize) {
        let Some(taken) = self.newest_first().find(|taken| taken.wait_id == wait_id) else { return };
        let same = |stretch: &&Stretch| {
            stretch.end.load(Relaxed) == end && stretch.taken.codeptr.load(Relaxed) == taken.codeptr
        };
        let known = self.stretches.iter().find(same);
        let place = known.or_else(|| self.stretches.get(self.next_stretch.fetch_add(1, Relaxed) % MOST));
        let Some(stretch) = place else { return };
        stretch.taken.write(taken);
        stretch.end.store(end, Relaxed);
    }

    /// Forgets a mutex. Mutexes need not be released in the reverse order.
    fn remove(&self, wait_id: u64) {
        let count = self.count.load(Relaxed);
        let found = self.entries.iter().take(count).rposition(|entry| entry.wait_id.load(Relaxed) == wait_id);
        let Some(found) = found else { return self.count.store(count.saturating_sub(1), Relaxed) };
        let pairs = self.entries.iter().zip(self.entries.iter().skip(1)).take(count).skip(found);
        for (entry, next) in pairs {
            if let Some(next) = next.read() {
                entry.write(next);
            }
        }
        self.count.store(count - 1, Relaxed);
    }
}

impl Entry {
    fn read(&self) -> Option<Taken> {
        Some(Taken {
            kind: *Kind::ALL.get(self.kind.load(Relaxed) as usize)?,
            wait_id: self.wait_id.load(Relaxed),
            codeptr: self.codeptr.load(Relaxed),
        })
    }

    fn write(&self, taken: Taken) {
        self.kind.store(taken.kind as u32, Relaxed);
        self.wait_id.store(taken.wait_id, Relaxed);
        self.codeptr.store(taken.codeptr, Relaxed);
    }
}

/// The calling thread has the mutex.
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

/// Uses the clock of a mutex: that of its address, or one of a table where the wait id is no address, and for each team of a
/// league. Atomics are for all threads of the device, everything else for those of a contention group (OpenMP 5.1, 2.19.1 and 3.9).
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

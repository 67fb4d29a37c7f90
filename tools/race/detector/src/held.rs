//! Mutexes that a thread holds, and the code in which it has held some.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::*};

use ompt_tool::MutexKind;

/// Maximum number of mutexes of a thread that are remembered.
const MAX_MUTEXES: usize = 16;

/// Kind of a mutex, regardless of how it was requested.
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

    /// The kind of a mutex of OMPT.
    pub(crate) fn of(kind: MutexKind) -> Self {
        match kind {
            MutexKind::Lock | MutexKind::TestLock => Self::Lock,
            MutexKind::NestLock | MutexKind::TestNestLock => Self::NestLock,
            MutexKind::Critical => Self::Critical,
            MutexKind::Atomic => Self::Atomic,
            MutexKind::Ordered => Self::Ordered,
            _ => Self::Other,
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
    entries: [Entry; MAX_MUTEXES],
    count: AtomicUsize,
    /// The mutex that was released before the runtime's call, as reported by [`crate::mutex::about_to_release`].
    pub(crate) released: AtomicU64,
    /// Stretches of code that the thread executed while it held a mutex; the next one replaces the oldest.
    stretches: [Stretch; MAX_MUTEXES],
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
        let count = self.count.load(Relaxed).min(MAX_MUTEXES);
        self.entries.iter().take(count).rev().filter_map(Entry::read)
    }

    /// Mutexes that the thread held at an earlier access, by its stack: the access is in the code between the calls that take and
    /// release one. ThreadSanitizer doesn't know which mutexes of OpenMP were held.
    pub(crate) fn at_former(&self, stack: impl Iterator<Item = usize> + Clone) -> impl Iterator<Item = Taken> {
        /// The maximum length of a stretch, in bytes of code.
        const LONGEST: usize = 1 << 16;
        self.stretches.iter().filter_map(move |stretch| {
            let taken = stretch.taken.read()?;
            let end = stretch.end.load(Relaxed);
            let length = end.checked_sub(taken.codeptr).filter(|length| taken.codeptr != 0 && *length < LONGEST)?;
            stack.clone().any(|frame| frame.wrapping_sub(taken.codeptr) < length).then_some(taken)
        })
    }

    /// Records a mutex that the thread has taken.
    pub(crate) fn push(&self, taken: Taken) {
        let count = self.count.load(Relaxed);
        if let Some(entry) = self.entries.get(count) {
            entry.write(taken);
        }
        self.count.store(count + 1, Relaxed);
    }

    /// Records the code in which a mutex was held, up to the call that returns to `end`.
    pub(crate) fn note_stretch(&self, wait_id: u64, end: usize) {
        let Some(taken) = self.newest_first().find(|taken| taken.wait_id == wait_id) else { return };
        let same = |stretch: &&Stretch| {
            stretch.end.load(Relaxed) == end && stretch.taken.codeptr.load(Relaxed) == taken.codeptr
        };
        let known = self.stretches.iter().find(same);
        let place = known.or_else(|| self.stretches.get(self.next_stretch.fetch_add(1, Relaxed) % MAX_MUTEXES));
        let Some(stretch) = place else { return };
        stretch.taken.write(taken);
        stretch.end.store(end, Relaxed);
    }

    /// Forgets a mutex. Mutexes need not be released in the reverse order.
    pub(crate) fn remove(&self, wait_id: u64) {
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

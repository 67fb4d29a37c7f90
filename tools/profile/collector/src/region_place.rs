//! A parallel region with its fork and its enclosing regions, in a place that threads share.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use profile_format::Record;
use system::memory::NumberedWords;

use crate::file::FILE;
use crate::stacks;

/// Number of enclosing regions that are remembered with a region.
pub(crate) const AROUND: usize = 6;
const WRITTEN: usize = 256;
const THREADS: usize = 1 << 14;
/// Words of a place: the parent's number, the kept stack's index and the master's number, the time at which the master left the
/// region (0: it has not), the generation of the file that the region was written to, and three words for each enclosing region.
const WORDS: usize = 4 + 3 * AROUND;
/// Indices of two of them.
const JOINED: usize = 2;
const FILE_NUMBER: usize = 3;

/// Enclosing regions that were written last, by number: their own places may have been reused.
static OUTER: [AtomicU64; WRITTEN] = [const { AtomicU64::new(0) }; WRITTEN];
/// The region that each thread has forked last, by the thread's number.
static LAST: [AtomicU64; THREADS] = [const { AtomicU64::new(0) }; THREADS];

/// A region and its enclosing ones, by the region's number. All zeros are valid: no region.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Place(NumberedWords<WORDS>);

/// The contents of a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) fork: Fork,
    pub(crate) chain: Chain,
    joined_ns: u64,
    written: u64,
}

/// A region: its number, its parent's, and the place of its fork (the kept stack and the master).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fork {
    pub(crate) id: u64,
    pub(crate) parent: u64,
    pub(crate) at: u64,
}

/// Enclosing regions, from the inside out; terminated by zeros.
pub(crate) type Chain = [Fork; AROUND];

impl Fork {
    pub(crate) fn new(id: u64, parent: u64, stack: u32, thread: u32) -> Self {
        Self { id, parent, at: u64::from(stack) << 32 | u64::from(thread) }
    }

    /// The last region of its master.
    #[allow(clippy::cast_possible_truncation)] // a half
    fn last(self) -> Option<&'static AtomicU64> {
        LAST.get(self.at as u32 as usize % THREADS)
    }

    /// Records that it is the last region of its master.
    pub(crate) fn be_last(self) {
        self.last().into_iter().for_each(|last| last.store(self.id, Relaxed));
    }

    /// Writes the region, unless it was written recently.
    pub(crate) fn write_once(&self) {
        let mark = u64::from(stacks::generation()) << 48 ^ self.id;
        let written = usize::try_from(self.id).ok().and_then(|at| OUTER.get(at % WRITTEN));
        if let Some(written) = written.filter(|written| written.load(Relaxed) != mark)
            && self.write()
        {
            written.store(mark, Relaxed);
        }
    }

    #[allow(clippy::cast_possible_truncation)] // halves
    pub(crate) fn write(self) -> bool {
        let stack = stacks::of_fork((self.at >> 32) as u32);
        FILE.write(Record::Region { id: self.id, parent: self.parent, stack, thread: self.at as u32 })
    }
}

impl Place {
    pub(crate) const fn new() -> Self {
        Self(NumberedWords::unused())
    }

    /// The region's number; 0 in a place that was never used.
    pub(crate) fn number(&self) -> u64 {
        self.0.number()
    }

    /// Stores a region in this place, which the caller has claimed.
    pub(crate) fn keep(&self, kept: &Kept) {
        self.0.write(kept.fork.id, |[parent, at, joined, written, around @ ..]| {
            parent.store(kept.fork.parent, Relaxed);
            at.store(kept.fork.at, Relaxed);
            joined.store(kept.joined_ns, Relaxed);
            written.store(kept.written, Relaxed);
            for (to, from) in around.as_chunks().0.iter().zip(&kept.chain) {
                let [id, parent, at] = to;
                id.store(from.id, Relaxed);
                if from.id == 0 {
                    break;
                }
                parent.store(from.parent, Relaxed);
                at.store(from.at, Relaxed);
            }
        });
    }

    /// Reads the region `id`, if it is (still) stored here. Async-signal-safe.
    pub(crate) fn read(&self, id: u64) -> Option<Kept> {
        self.0.read(id, |[parent, at, joined, written, around @ ..]| {
            let fork = Fork { id, parent: parent.load(Relaxed), at: at.load(Relaxed) };
            let mut chain = Chain::default();
            for (to, from) in chain.iter_mut().zip(around.as_chunks().0) {
                let [id, parent, at] = from;
                let id = id.load(Relaxed);
                if id == 0 {
                    break;
                }
                *to = Fork { id, parent: parent.load(Relaxed), at: at.load(Relaxed) };
            }
            Kept { fork, chain, joined_ns: joined.load(Relaxed), written: written.load(Relaxed) }
        })
    }

    /// True if the region is stored here.
    pub(crate) fn has(&self, id: u64) -> bool {
        self.0.has(id)
    }

    /// Becomes the only writer of the place, if the region `id` (0: none) is stored in it.
    pub(crate) fn claim(&self, id: u64) -> bool {
        self.0.claim(id)
    }

    /// Becomes the only writer of the place, if it has no region in which a sample may still lie.
    pub(crate) fn claim_unneeded(&self) -> bool {
        let id = self.number();
        (id == 0 || self.read(id).is_some_and(|kept| !kept.is_needed())) && self.claim(id)
    }

    /// Moves the region `id` from this place, which the caller has claimed, to its copy in another one.
    pub(crate) fn move_to(&self, copy: &Self, id: u64) {
        self.0.withdraw();
        let joined_ns = self.0.words()[JOINED].load(Relaxed);
        if joined_ns != 0 {
            copy.join(id, joined_ns);
        }
    }

    /// Records that the master has left the region. False if the region is not stored here (any more).
    pub(crate) fn join(&self, id: u64, at_ns: u64) -> bool {
        self.0.set(id, JOINED, at_ns)
    }

    /// Time at which the region's master left it; `None` if it has not, or the region is not stored here.
    pub(crate) fn joined_ns(&self, id: u64) -> Option<u64> {
        self.0.read(id, |words| words[JOINED].load(Relaxed)).filter(|joined| *joined != 0)
    }

    /// True if the region is stored here and was written to the file with this number.
    pub(crate) fn is_written(&self, id: u64, file: u64) -> bool {
        self.0.read(id, |words| words[FILE_NUMBER].load(Relaxed)) == Some(file)
    }

    /// Records that the region was written to the file with this number.
    pub(crate) fn note_written(&self, id: u64, file: u64) {
        self.0.set(id, FILE_NUMBER, file);
    }
}

impl Kept {
    pub(crate) fn new(fork: Fork, chain: Chain) -> Self {
        Self { fork, chain, joined_ns: 0, written: 0 }
    }

    /// True while a sample may lie in the region: until its master has left it and forks another one. A worker may
    /// report only then that its wait at the region's end is over.
    pub(crate) fn is_needed(&self) -> bool {
        self.joined_ns == 0 || self.fork.last().is_some_and(|last| last.load(Relaxed) == self.fork.id)
    }
}

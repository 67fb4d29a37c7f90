//! A parallel region with its fork and its enclosing regions, in a place that threads share: a seqlock.
//!
//! The region's number is also the sequence word of its place: a fork sets it to [`WRITING`], writes the place, and stores the
//! number last. A handler that finds another number, before or after its reads, gets no data about its region.
//!
//! 0 is not the number of any region, but that of a place that was never used.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicU64, fence};

use profile_format::Record;

use crate::file::FILE;
use crate::stacks;

/// Number of enclosing regions that are remembered with a region.
pub(crate) const AROUND: usize = 6;
const WRITTEN: usize = 256;
const THREADS: usize = 1 << 14;
/// The number in a place that is being written.
pub(crate) const WRITING: u64 = u64::MAX;
/// Bit in the number of a place whose region is still readable, but that a writer has claimed.
const CLAIMED: u64 = 1 << 63;

/// Enclosing regions that were written last, by number: their own places may have been reused.
static OUTER: [AtomicU64; WRITTEN] = [const { AtomicU64::new(0) }; WRITTEN];
/// The region that each thread has forked last, by the thread's number.
static LAST: [AtomicU64; THREADS] = [const { AtomicU64::new(0) }; THREADS];

/// A seqlock with a region and its enclosing ones. All zeros are valid: no region.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Place {
    pub(crate) id: AtomicU64,
    parent: AtomicU64,
    /// The kept stack's index, and the master's number.
    at: AtomicU64,
    /// Time at which the master left the region; 0 if it has not.
    pub(crate) joined_ns: AtomicU64,
    /// Generation of the file that the region was written to.
    pub(crate) written: AtomicU64,
    around: [[AtomicU64; 3]; AROUND],
}

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
        Self {
            id: AtomicU64::new(0),
            parent: AtomicU64::new(0),
            at: AtomicU64::new(0),
            joined_ns: AtomicU64::new(0),
            written: AtomicU64::new(0),
            around: [const { [const { AtomicU64::new(0) }; 3] }; AROUND],
        }
    }

    /// Stores a region in this place: the writer of the seqlock. Only the thread that has claimed the place may call it.
    pub(crate) fn keep(&self, kept: &Kept) {
        self.id.store(WRITING, Relaxed);
        // The number comes before everything that follows. Release: pairs with the fences in `read` and `joined_ns`.
        fence(Release);
        self.parent.store(kept.fork.parent, Relaxed);
        self.at.store(kept.fork.at, Relaxed);
        self.joined_ns.store(kept.joined_ns, Relaxed);
        self.written.store(kept.written, Relaxed);
        for (to, from) in self.around.iter().zip(&kept.chain) {
            for (to, from) in to.iter().zip([from.id, from.parent, from.at]) {
                to.store(from, Relaxed);
            }
            if from.id == 0 {
                break;
            }
        }
        // Release: pairs with the loads in `read` and `has`; publishes the region's words.
        self.id.store(kept.fork.id, Release);
    }

    /// Reads the region `id`, if it is (still) stored here: a reader of the seqlock, without retry.
    pub(crate) fn read(&self, id: u64) -> Option<Kept> {
        if id == 0 || !self.has(id) {
            return None;
        }
        let fork = Fork { id, parent: self.parent.load(Relaxed), at: self.at.load(Relaxed) };
        let mut chain = Chain::default();
        for (to, from) in chain.iter_mut().zip(&self.around) {
            let [id, parent, at] = from;
            *to = Fork { id: id.load(Relaxed), parent: parent.load(Relaxed), at: at.load(Relaxed) };
            if to.id == 0 {
                break;
            }
        }
        let (joined_ns, written) = (self.joined_ns.load(Relaxed), self.written.load(Relaxed));
        // Acquire: pairs with the fence in `keep`: if another region's words were read, the load below sees its id, or `WRITING`.
        fence(Acquire);
        (self.id.load(Relaxed) & !CLAIMED == id).then_some(Kept { fork, chain, joined_ns, written })
    }

    /// True if the region is stored here.
    pub(crate) fn has(&self, id: u64) -> bool {
        // Acquire: pairs with the last store in `keep`, which publishes the region's words.
        self.id.load(Acquire) & !CLAIMED == id
    }

    /// Becomes the only writer of the place, if the region `id` (0: none) is stored in it.
    pub(crate) fn claim(&self, id: u64) -> bool {
        // Acquire: pairs with the last store in `keep`, of the writer before.
        id & CLAIMED == 0 && self.id.compare_exchange(id, id | CLAIMED, Acquire, Relaxed).is_ok()
    }

    /// Becomes the only writer of the place, if it has no region in which a sample may still lie.
    pub(crate) fn claim_unneeded(&self) -> bool {
        let id = self.id.load(Relaxed);
        (id == 0 || self.read(id).is_some_and(|kept| !kept.is_needed())) && self.claim(id)
    }

    /// Records that the master has left the region. False if the region is not stored here (any more).
    pub(crate) fn join(&self, id: u64, at_ns: u64) -> bool {
        if !self.has(id) {
            return false;
        }
        self.joined_ns.store(at_ns, Relaxed);
        // SeqCst: with the fence in `enter` (store buffering): this load sees the number go, or that thread sees the time.
        fence(SeqCst);
        self.has(id)
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

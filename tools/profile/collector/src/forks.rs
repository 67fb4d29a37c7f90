//! Recent parallel regions: the forking thread, the call stack, and the enclosing regions. Only regions with samples
//! are written.
//!
//! A ring buffer of seqlocks, indexed by the region's number: numbers are dense. The number is also the sequence word of
//! its place: a fork sets it to 0, writes the place, and stores the number last. A handler that finds another number,
//! before or after its reads, gets no data about its region.
//!
//! 0 is not the number of any region, but that of a place that is being written: nothing is stored, found or written
//! under it.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU64, fence};

use profile_format::Record;

use crate::file::FILE;
use crate::stacks;

const CAPACITY: usize = 1 << 12;
/// Number of enclosing regions that are remembered with a region.
pub(crate) const AROUND: usize = 6;
const WRITTEN: usize = 256;

static RING: [Place; CAPACITY] = [const { Place::new() }; CAPACITY];
/// Enclosing regions that were written last, by number: their own places may have been reused.
static OUTER: [AtomicU64; WRITTEN] = [const { AtomicU64::new(0) }; WRITTEN];

/// A seqlock with a region and its enclosing ones. All zeros are valid: no region.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Place {
    id: AtomicU64,
    parent: AtomicU64,
    /// The kept stack's index, and the master's number.
    at: AtomicU64,
    /// Time at which the master left the region; 0 if it has not.
    joined_ns: AtomicU64,
    /// Generation of the file that the region was written to.
    written: AtomicU64,
    around: [[AtomicU64; 3]; AROUND],
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

    /// Writes the region, unless it was written recently.
    fn write_once(&self) {
        let mark = u64::from(stacks::generation()) << 48 ^ self.id;
        let written = usize::try_from(self.id).ok().and_then(|at| OUTER.get(at % WRITTEN));
        if let Some(written) = written.filter(|written| written.load(Relaxed) != mark)
            && self.write()
        {
            written.store(mark, Relaxed);
        }
    }

    #[allow(clippy::cast_possible_truncation)] // halves
    fn write(self) -> bool {
        let stack = stacks::of_fork((self.at >> 32) as u32);
        FILE.write(Record::Region { id: self.id, parent: self.parent, stack, thread: self.at as u32 })
    }
}

impl Place {
    const fn new() -> Self {
        Self {
            id: AtomicU64::new(0),
            parent: AtomicU64::new(0),
            at: AtomicU64::new(0),
            joined_ns: AtomicU64::new(0),
            written: AtomicU64::new(0),
            around: [const { [const { AtomicU64::new(0) }; 3] }; AROUND],
        }
    }

    /// Stores a region in this place: the writer of the seqlock. Only one thread at a time may call it. The id is zero
    /// while the rest is written.
    pub(crate) fn keep(&self, fork: Fork, chain: &Chain) {
        self.id.store(0, Relaxed);
        // The zero comes before everything that follows. Release: pairs with the fences in `read` and `joined_ns`.
        fence(Release);
        self.parent.store(fork.parent, Relaxed);
        self.at.store(fork.at, Relaxed);
        self.joined_ns.store(0, Relaxed);
        self.written.store(0, Relaxed);
        for (to, from) in self.around.iter().zip(chain) {
            for (to, from) in to.iter().zip([from.id, from.parent, from.at]) {
                to.store(from, Relaxed);
            }
            if from.id == 0 {
                break;
            }
        }
        // Release: pairs with the load in `read`; publishes the region's words.
        self.id.store(fork.id, Release);
    }

    /// Finds a region that is stored here, as itself or as an enclosing one, and its enclosing regions.
    pub(crate) fn find(&self, id: u64) -> Option<(Fork, Chain)> {
        let (fork, chain) = self.read(self.id.load(Relaxed))?;
        let mut around = std::iter::once(fork).chain(chain).skip_while(|region| region.id != id);
        let found = around.next()?;
        let mut chain = Chain::default();
        for (to, from) in chain.iter_mut().zip(around) {
            *to = from;
        }
        Some((found, chain))
    }

    /// Reads the region `id` and its enclosing ones, if it is (still) stored here: a reader of the seqlock, without retry.
    fn read(&self, id: u64) -> Option<(Fork, Chain)> {
        // Acquire: pairs with the last store in `keep`; publishes the region's words.
        if id == 0 || self.id.load(Acquire) != id {
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
        // Acquire: pairs with the fence in `keep`: if another region's words were read, the load below sees its id, or zero.
        fence(Acquire);
        (self.id.load(Relaxed) == id).then_some((fork, chain))
    }
}

/// The place of a region; `None` for 0.
fn place(id: u64) -> Option<&'static Place> {
    RING.get(usize::try_from(id).ok().filter(|id| *id != 0)? % CAPACITY)
}

/// Records a fork; `chain`: the enclosing regions.
pub(crate) fn enter(fork: Fork, chain: &Chain) {
    if let Some(place) = place(fork.id) {
        place.keep(fork, chain);
    }
}

/// The chain for a region that is forked within another one.
pub(crate) fn chain_within(parent: u64) -> Chain {
    let mut chain = Chain::default();
    if let Some((fork, around)) = place(parent).and_then(|place| place.read(parent)) {
        for (to, from) in chain.iter_mut().zip(std::iter::once(fork).chain(around)) {
            *to = from;
        }
    }
    chain
}

/// Records that the region's master leaves it.
pub(crate) fn leave(id: u64, at_ns: u64) {
    if let Some(place) = place(id).filter(|place| place.id.load(Relaxed) == id) {
        place.joined_ns.store(at_ns, Relaxed);
    }
}

/// Time at which the region's master left it, if that is known.
pub(crate) fn joined_ns(id: u64) -> Option<u64> {
    let place = place(id)?;
    let joined = place.joined_ns.load(Relaxed);
    // Acquire: pairs with the fence in `keep`: if another region's time was read, the load below sees its id, or zero.
    fence(Acquire);
    (place.id.load(Relaxed) == id && joined != 0).then_some(joined)
}

/// Writes a region that a sample lies in, and its enclosing ones, unless they have been written. Returns `false` for
/// a region that isn't known. `kept` finds a region whose place was taken by a younger one; its master's record still
/// has it. Async-signal-safe.
pub(crate) fn sampled(id: u64, kept: impl FnOnce(u64) -> Option<(Fork, Chain)>) -> bool {
    let generation = u64::from(stacks::generation());
    let Some(place) = place(id) else { return false };
    if place.written.load(Relaxed) == generation && place.id.load(Relaxed) == id {
        return true;
    }
    let Some((fork, chain)) = place.read(id) else {
        return kept(id).is_some_and(|(fork, chain)| write_late(fork, &chain));
    };
    chain.iter().take_while(|outer| outer.id != 0).for_each(Fork::write_once);
    if fork.write() {
        place.written.store(generation, Relaxed);
    }
    true
}

/// Writes a region whose place was taken by a younger one.
#[cold]
fn write_late(fork: Fork, chain: &Chain) -> bool {
    std::iter::once(&fork).chain(chain).take_while(|region| region.id != 0).for_each(Fork::write_once);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_know_those_around_them_even_when_these_are_forgotten() {
        let (outer, inner) = (Fork::new(5, 0, 1, 0), Fork::new(6, 5, 2, 1));
        enter(outer, &Chain::default());
        let chain = chain_within(5);
        enter(inner, &chain);
        enter(Fork::new(5 + CAPACITY as u64, 0, 3, 0), &Chain::default());
        assert_eq!(chain_within(5), Chain::default());
        let deeper = chain_within(6);
        assert_eq!(deeper[..3], [inner, outer, Fork::default()]);
        // Only the thread that forked the inner region has both.
        let last = Place::new();
        assert_eq!(last.find(5), None);
        last.keep(inner, &chain);
        assert_eq!(last.find(6), Some((inner, chain)));
        assert_eq!(last.find(5), Some((outer, Chain::default())));
        assert_eq!(last.find(7), None);
    }

    #[test]
    fn a_region_without_a_number_is_none() {
        let nameless = Fork::new(0, 5, 1, 0);
        enter(nameless, &Chain::default());
        assert!(!sampled(0, |_| None), "a sample would write a region that is none");
        assert_eq!(chain_within(0), Chain::default());
        // The state in which a thread finds another one's place that has just begun to be written.
        let last = Place::new();
        last.keep(nameless, &Chain::default());
        assert_eq!((last.read(0), last.find(0), last.find(5)), (None, None, None));
    }

    #[test]
    fn a_join_is_known_until_the_place_is_taken() {
        let far = 100 + 7 * CAPACITY as u64;
        enter(Fork::new(far, 0, 1, 0), &Chain::default());
        assert_eq!(joined_ns(far), None);
        leave(far, 77);
        assert_eq!(joined_ns(far), Some(77));
        enter(Fork::new(far + CAPACITY as u64, 0, 1, 0), &Chain::default());
        assert_eq!(joined_ns(far), None);
        leave(far, 78);
        assert_eq!(joined_ns(far + CAPACITY as u64), None);
    }
}

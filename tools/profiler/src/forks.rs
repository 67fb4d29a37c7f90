//! Recent parallel regions: who forked them, where, and within which others. Only those that a sample lies in are written.
//!
//! A ring, by the region's number: numbers are dense. A fork writes one place of it; a handler that finds a place in another
//! region's hands, or in nobody's, knows nothing of the region.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU64, fence};

use profile_data::Record;

use crate::file::FILE;
use crate::stacks;

const PLACES: usize = 1 << 12;
/// Regions around a region that are remembered with it.
pub(crate) const AROUND: usize = 6;
const WRITTEN: usize = 256;

static RING: [Place; PLACES] = [const { Place::new() }; PLACES];
/// Regions around others that were written last, by number: their own places may have been taken.
static OUTER: [AtomicU64; WRITTEN] = [const { AtomicU64::new(0) }; WRITTEN];

#[repr(align(64))]
struct Place {
    id: AtomicU64,
    parent: AtomicU64,
    /// The kept stack, and the master.
    at: AtomicU64,
    /// When its master left it; 0: not yet.
    joined_ns: AtomicU64,
    /// The generation of the file that has it.
    written: AtomicU64,
    around: [[AtomicU64; 3]; AROUND],
}

/// A region: its number, that of the one around it, and where it was forked (the kept stack and the master).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fork {
    pub(crate) id: u64,
    pub(crate) parent: u64,
    pub(crate) at: u64,
}

/// Regions around each other, from the inside out; ended by zeros.
pub(crate) type Chain = [Fork; AROUND];

impl Fork {
    pub(crate) fn new(id: u64, parent: u64, stack: u32, thread: u32) -> Self {
        Self { id, parent, at: u64::from(stack) << 32 | u64::from(thread) }
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

    /// The region and those around it, if it is (still) here.
    fn read(&self, id: u64) -> Option<(Fork, Chain)> {
        if self.id.load(Acquire) != id {
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
        // What was read before came before another region's words.
        fence(Acquire);
        (self.id.load(Relaxed) == id).then_some((fork, chain))
    }
}

fn place(id: u64) -> Option<&'static Place> {
    RING.get(usize::try_from(id).ok()? % PLACES)
}

/// A region has been forked; `chain`: those around it.
pub(crate) fn enter(fork: Fork, chain: &Chain) {
    let Some(place) = place(fork.id) else { return };
    place.id.store(0, Relaxed);
    // The zero comes before all that follows.
    fence(Release);
    place.parent.store(fork.parent, Relaxed);
    place.at.store(fork.at, Relaxed);
    place.joined_ns.store(0, Relaxed);
    place.written.store(0, Relaxed);
    for (to, from) in place.around.iter().zip(chain) {
        for (to, from) in to.iter().zip([from.id, from.parent, from.at]) {
            to.store(from, Relaxed);
        }
        if from.id == 0 {
            break;
        }
    }
    place.id.store(fork.id, Release);
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

/// Its master leaves a region.
pub(crate) fn leave(id: u64, at_ns: u64) {
    if let Some(place) = place(id).filter(|place| place.id.load(Relaxed) == id) {
        place.joined_ns.store(at_ns, Relaxed);
    }
}

/// When a region's master left it, if that is known.
pub(crate) fn joined_ns(id: u64) -> Option<u64> {
    let place = place(id)?;
    let joined = place.joined_ns.load(Relaxed);
    fence(Acquire);
    (place.id.load(Relaxed) == id && joined != 0).then_some(joined)
}

/// A sample lies in this region: writes it and those around it, unless they were. `false` for a region that isn't known.
/// Async-signal-safe.
pub(crate) fn sampled(id: u64) -> bool {
    let generation = u64::from(stacks::generation());
    let Some(place) = place(id) else { return false };
    if place.written.load(Relaxed) == generation && place.id.load(Relaxed) == id {
        return true;
    }
    let Some((fork, chain)) = place.read(id) else { return false };
    for outer in chain.iter().take_while(|outer| outer.id != 0) {
        let mark = generation << 48 ^ outer.id;
        let written = usize::try_from(outer.id).ok().and_then(|at| OUTER.get(at % WRITTEN));
        if written.is_some_and(|written| written.load(Relaxed) != mark)
            && outer.write()
            && let Some(written) = written
        {
            written.store(mark, Relaxed);
        }
    }
    if fork.write() {
        place.written.store(generation, Relaxed);
    }
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
        enter(Fork::new(5 + PLACES as u64, 0, 3, 0), &Chain::default());
        assert_eq!(chain_within(5), Chain::default());
        let deeper = chain_within(6);
        assert_eq!(deeper[..3], [inner, outer, Fork::default()]);
    }

    #[test]
    fn a_join_is_known_until_the_place_is_taken() {
        let far = 100 + 7 * PLACES as u64;
        enter(Fork::new(far, 0, 1, 0), &Chain::default());
        assert_eq!(joined_ns(far), None);
        leave(far, 77);
        assert_eq!(joined_ns(far), Some(77));
        enter(Fork::new(far + PLACES as u64, 0, 1, 0), &Chain::default());
        assert_eq!(joined_ns(far), None);
        leave(far, 78);
        assert_eq!(joined_ns(far + PLACES as u64), None);
    }
}

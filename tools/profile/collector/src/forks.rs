//! Recent parallel regions: the forking thread, the call stack, and the enclosing regions. Only regions with samples
//! are written.
//!
//! A ring buffer of [`Place`]s, indexed by the region's number: numbers are dense. A region that is overtaken by
//! [`CAPACITY`] younger ones while samples may still lie in it moves to [`overtaken`].

use crate::region_place::{Chain, Fork, Kept, Place};
use crate::{overtaken, stacks};

const CAPACITY: usize = 1 << 12;

static RING: [Place; CAPACITY] = [const { Place::new() }; CAPACITY];

/// The place in the ring for a region; `None` for 0.
fn place(id: u64) -> Option<&'static Place> {
    RING.get(usize::try_from(id).ok().filter(|id| *id != 0)? % CAPACITY)
}

/// The place that has a region. Async-signal-safe: a bounded number of loads.
fn find(id: u64) -> Option<&'static Place> {
    let place = place(id)?;
    if place.has(id) { Some(place) } else { overtaken::find(id) }
}

/// Records a fork.
pub(crate) fn enter(kept: &Kept) {
    let Some(place) = place(kept.fork.id) else { return };
    kept.fork.be_last();
    let older = place.number();
    if !place.claim(older) {
        // Another thread takes the place for a region of its own.
        overtaken::keep(kept);
        return;
    }
    // It is copied before it goes from here: a handler finds it in one of the two places.
    if let Some(copy) = place.read(older).filter(Kept::is_needed).and_then(|older| overtaken::keep(&older)) {
        place.move_to(copy, older);
    }
    place.keep(kept);
}

/// The chain for a region that is forked within another one.
pub(crate) fn chain_within(parent: u64) -> Chain {
    let mut chain = Chain::default();
    if let Some(kept) = find(parent).and_then(|place| place.read(parent)) {
        for (to, from) in chain.iter_mut().zip(std::iter::once(kept.fork).chain(kept.chain)) {
            *to = from;
        }
    }
    chain
}

/// Records that the region's master leaves it.
pub(crate) fn leave(id: u64, at_ns: u64) {
    if !place(id).is_some_and(|place| place.join(id, at_ns))
        && let Some(place) = overtaken::find(id)
    {
        place.join(id, at_ns);
    }
}

/// Time at which the region's master left it, if that is known.
pub(crate) fn joined_ns(id: u64) -> Option<u64> {
    find(id)?.joined_ns(id)
}

/// Writes a region that a sample lies in, and its enclosing ones, unless they have been written. Returns `false` for
/// a region that isn't known. Async-signal-safe.
pub(crate) fn sampled(id: u64) -> bool {
    let generation = u64::from(stacks::generation());
    let Some(place) = find(id) else { return false };
    if place.is_written(id, generation) {
        return true;
    }
    // It may have moved since.
    let Some(kept) = place.read(id).or_else(|| overtaken::find(id)?.read(id)) else { return false };
    kept.chain.iter().take_while(|outer| outer.id != 0).for_each(Fork::write_once);
    if kept.fork.write() {
        place.note_written(id, generation);
    }
    true
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use super::*;

    /// The tests share the ring: only one of them may use it.
    fn alone() -> MutexGuard<'static, ()> {
        static ALONE: Mutex<()> = Mutex::new(());
        ALONE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fork(id: u64, parent: u64, stack: u32, chain: Chain) -> Fork {
        let fork = Fork::new(id, parent, stack, 0);
        enter(&Kept::new(fork, chain));
        fork
    }

    #[test]
    fn regions_know_those_around_them_even_when_these_are_forgotten() {
        let _alone = alone();
        let outer = fork(5, 0, 1, Chain::default());
        let inner = fork(6, 5, 2, chain_within(5));
        leave(5, 1);
        fork(5 + CAPACITY as u64, 0, 3, Chain::default());
        assert_eq!(chain_within(5), Chain::default());
        let deeper = chain_within(6);
        assert_eq!(deeper[..3], [inner, outer, Fork::default()]);
    }

    #[test]
    fn a_region_without_a_number_is_none() {
        let _alone = alone();
        let nameless = fork(0, 5, 1, Chain::default());
        assert!(!sampled(0), "a sample would write a region that is none");
        assert_eq!(chain_within(0), Chain::default());
        // The state in which a thread finds another one's place that has just begun to be written.
        let last = Place::new();
        last.keep(&Kept::new(nameless, Chain::default()));
        assert_eq!((last.read(0), last.read(5)), (None, None));
    }

    #[test]
    fn a_join_is_known_until_the_place_is_taken() {
        let _alone = alone();
        let far = 100 + 7 * CAPACITY as u64;
        fork(far, 0, 1, Chain::default());
        assert_eq!(joined_ns(far), None);
        leave(far, 77);
        assert_eq!(joined_ns(far), Some(77));
        fork(far + CAPACITY as u64, 0, 1, Chain::default());
        assert_eq!(joined_ns(far), None);
        leave(far, 78);
        assert_eq!(joined_ns(far + CAPACITY as u64), None);
    }

    #[test]
    fn all_active_regions_are_found_however_many_there_are() {
        let _alone = alone();
        let first = 1 << 40;
        let active = || first..first + 4 * CAPACITY as u64;
        active().for_each(|id| _ = fork(id, 0, 1, Chain::default()));
        assert_eq!(active().filter(|id| !sampled(*id)).count(), 0);
        // The oldest is the outer one of the youngest.
        assert_eq!(chain_within(first)[0].id, first);
        active().for_each(|id| leave(id, id));
        assert_eq!(active().filter(|id| joined_ns(*id) != Some(*id)).count(), 0);
    }

    #[test]
    fn places_of_regions_that_are_over_are_taken_again() {
        let _alone = alone();
        let (first, rounds) = (1 << 41, 40);
        let outer = fork(first, 0, 1, Chain::default());
        for round in 0..rounds {
            let ids = || (1..2 * CAPACITY as u64).map(|id| first + round * 2 * CAPACITY as u64 + id);
            ids().for_each(|id| _ = fork(id, 0, 1, Chain::default()));
            assert_eq!(ids().filter(|id| !sampled(*id)).count(), 0, "round {round}");
            ids().for_each(|id| leave(id, 1));
        }
        assert_eq!(chain_within(first)[0], outer, "an active region was replaced");
    }
}

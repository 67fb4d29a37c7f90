//! Mutexes that a thread holds: a few, as a rule, but there may be very many, and they are released in any order.

use std::collections::BTreeSet;

/// Maximum length of the list that is searched from its end. Half of it moves to the ordered set when it is full.
const MAX_RECENT: usize = 32;

/// Slices of the mutexes that a thread holds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Held {
    /// Wait id and slice of those acquired last, in this order.
    recent: Vec<(u64, usize)>,
    /// All others.
    older: BTreeSet<(u64, usize)>,
    nested: Nested,
}

/// Slices of the mutexes whose enclosing slice is open, in the order in which they were acquired.
#[derive(Clone, Debug, Default)]
struct Nested {
    /// Each slice, and whether its mutex is held. Released ones remain until they are the last.
    slices: Vec<(usize, bool)>,
}

impl Held {
    /// Adds the mutex that starts a slice, which is later than all others.
    pub(crate) fn acquire(&mut self, wait_id: u64, slice: usize) {
        if self.recent.len() == MAX_RECENT {
            self.older.extend(self.recent.drain(..MAX_RECENT / 2));
        }
        self.recent.push((wait_id, slice));
        self.nested.slices.push((slice, true));
    }

    /// Removes the mutex, and returns its slice: the latest one if the thread holds it more than once.
    pub(crate) fn release(&mut self, wait_id: u64) -> Option<usize> {
        let slice = match self.recent.iter().rposition(|(id, _)| *id == wait_id) {
            Some(position) => self.recent.remove(position).1,
            None => {
                let found = *self.older.range((wait_id, 0)..=(wait_id, usize::MAX)).next_back()?;
                self.older.remove(&found);
                found.1
            }
        };
        self.nested.release(slice);
        Some(slice)
    }

    /// Slice of the last mutex whose enclosing slice is open.
    pub(crate) fn innermost(&self) -> Option<usize> {
        self.nested.slices.last().map(|(slice, _)| *slice)
    }

    /// Removes the mutexes from a slice on from those whose enclosing slice is open, and returns their slices.
    pub(crate) fn outlive(&mut self, slice: usize) -> Vec<usize> {
        if self.innermost().is_none_or(|last| last < slice) {
            return Vec::new();
        }
        let first = self.nested.slices.partition_point(|(other, _)| *other < slice);
        let inner = self.nested.slices.drain(first..).filter(|(_, is_held)| *is_held);
        let inner: Vec<usize> = inner.map(|(slice, _)| slice).collect();
        self.nested.trim();
        inner
    }

    /// Removes all mutexes, and returns their slices.
    pub(crate) fn release_all(&mut self) -> impl Iterator<Item = usize> {
        let Self { recent, older, .. } = std::mem::take(self);
        recent.into_iter().chain(older).map(|(_, slice)| slice)
    }
}

impl Nested {
    fn release(&mut self, slice: usize) {
        let Ok(position) = self.slices.binary_search_by_key(&slice, |(other, _)| *other) else { return };
        if let Some((_, is_held)) = self.slices.get_mut(position) {
            *is_held = false;
        }
        self.trim();
    }

    /// Removes released mutexes from the end.
    fn trim(&mut self) {
        while self.slices.pop_if(|(_, is_held)| !*is_held).is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same as [`Held`], by lists that are searched as a whole.
    #[derive(Default)]
    struct Model {
        held: Vec<(u64, usize)>,
        nested: Vec<usize>,
    }

    #[test]
    fn any_number_of_mutexes_is_released_in_any_order() {
        let (mut held, mut model, mut random) = (Held::default(), Model::default(), 1_u64);
        for slice in 0..20_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // The number that are held grows and shrinks; some wait ids are held more than once.
            let (id, action) = ((random >> 33) % 150, (random >> 48) % 100);
            match action {
                0 => {
                    let from = slice - slice.min(5 + (random >> 56) as usize);
                    let first = model.nested.partition_point(|other| *other < from);
                    assert_eq!(held.outlive(from), model.nested.split_off(first));
                }
                _ if action < 30 + 40 * (slice as u64 / 4_000 % 2) => {
                    held.acquire(id, slice);
                    model.held.push((id, slice));
                    model.nested.push(slice);
                }
                _ => {
                    let found = model.held.iter().rposition(|(other, _)| *other == id);
                    let found = found.map(|position| model.held.remove(position).1);
                    model.nested.retain(|slice| Some(*slice) != found);
                    assert_eq!(held.release(id), found);
                }
            }
            assert_eq!(held.innermost(), model.nested.last().copied());
        }
        let mut rest: Vec<usize> = held.release_all().collect();
        rest.sort_unstable();
        assert!(rest.len() > 2 * MAX_RECENT, "{}", rest.len());
        assert_eq!(rest, model.held.iter().map(|(_, slice)| *slice).collect::<Vec<_>>());
        assert_eq!((held.innermost(), held.release(1)), (None, None));
    }
}

//! Index of a list by the ids of its regions or tasks.

use rustc_hash::FxHashMap;

/// Number of consecutive ids that share a page, which then is as long as a cache line. A thread numbers its regions and tasks in the order
/// in which they begin, so events that follow each other mostly find their ids in one page.
const PAGE: usize = 16;
/// Content of a place without an id.
const NONE: u32 = u32::MAX;

/// Places in a list, by id.
#[derive(Debug, Default)]
pub(crate) struct ById {
    /// Index in `pages` of the page for an id divided by the length of a page.
    numbers: FxHashMap<u64, u32>,
    pages: Vec<[u32; PAGE]>,
}

impl ById {
    /// The place of an id.
    pub(crate) fn get(&self, id: u64) -> Option<u32> {
        let (page, slot) = split(id);
        let found = *self.pages.get(*self.numbers.get(&page)? as usize)?.get(slot)?;
        (found != NONE).then_some(found)
    }

    /// The place of an id, which is `next` if it had none.
    pub(crate) fn get_or_insert(&mut self, id: u64, next: u32) -> u32 {
        let (page, slot) = split(id);
        let number = *self.numbers.entry(page).or_insert_with(|| {
            self.pages.push([NONE; PAGE]);
            u32::try_from(self.pages.len() - 1).unwrap_or(NONE)
        });
        let Some(found) = self.pages.get_mut(number as usize).and_then(|page| page.get_mut(slot)) else { return next };
        if *found == NONE {
            *found = next;
        }
        *found
    }
}

/// Number of the id's page, and its place in there.
#[allow(clippy::cast_possible_truncation)] // The remainder is below 16.
fn split(id: u64) -> (u64, usize) {
    (id / PAGE as u64, (id % PAGE as u64) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_keeps_its_first_place() {
        let mut index = ById::default();
        let ids = [0, 1, 15, 16, 17, 1 << 44, (1 << 44) + 1, u64::MAX];
        for (place, id) in (0..).zip(ids) {
            assert_eq!(index.get(id), None);
            assert_eq!(index.get_or_insert(id, place), place);
        }
        for (place, id) in (0..).zip(ids) {
            assert_eq!(index.get(id), Some(place));
            assert_eq!(index.get_or_insert(id, 100), place);
        }
        assert_eq!(index.get(2), None);
    }
}

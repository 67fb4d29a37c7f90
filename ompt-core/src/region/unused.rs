//! Records of regions that a thread keeps for its next ones.

use super::Region;
use crate::identity::Identity;
use system::arch::fetch_to_write;
use system::memory::{Link, page};

/// A thread's unused records of regions. Two of them take turns in a sequence of regions: while a team works with one, the
/// cache line of the other that its members have read returns from their processors.
pub struct UnusedRegions {
    /// The most recently left one.
    last: Link<Region>,
    /// The others.
    first: Link<Region>,
}

system::zeroed!(UnusedRegions { last, first });

impl UnusedRegions {
    /// The last parallel region whose primary thread this thread was, and whose workers may still wait for another one; the
    /// region is over.
    pub fn last(&self) -> Option<&'static Region> {
        self.last.get()
    }

    /// Takes a record, not the last one; creates some for this thread if there is none. `None` if the system refuses memory.
    #[inline]
    pub(super) fn take(&self, primary: &'static Identity) -> Option<&'static Region> {
        let region = match self.first.get() {
            Some(region) => region,
            None => self.make(primary)?,
        };
        self.first.set(region.next.get());
        self.last.get().inspect(|last| fetch_to_write(*last));
        Some(region)
    }

    /// Takes the last record, if there is one.
    pub(super) fn take_last(&self) -> Option<&'static Region> {
        self.last.take()
    }

    /// Puts a region back that the thread has left: the last one.
    #[inline(always)]
    pub(super) fn put(&self, region: &'static Region) {
        self.last.get().inspect(|last| self.add(last));
        self.last.set(Some(region));
    }

    /// Puts back a region that was not a parallel one, or whose team no longer exists.
    #[inline(always)]
    pub(super) fn add(&self, region: &'static Region) {
        region.next.set(self.first.get());
        self.first.set(Some(region));
    }

    #[cold]
    fn make(&self, primary: &'static Identity) -> Option<&'static Region> {
        for region in page::<Region>()? {
            region.primary.set(Some(primary));
            self.add(region);
        }
        self.first.get()
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_types)] // no program's thread runs this
mod tests {
    use super::*;

    #[test]
    fn two_records_take_turns_and_the_last_one_is_kept_for_later() {
        let unused = UnusedRegions { last: Link::none(), first: Link::none() };
        let primary = &page::<Identity>().unwrap()[0];
        let take = || unused.take(primary).unwrap();
        let taken: Vec<_> = (0..4)
            .map(|_| {
                let region = take();
                assert!(region.primary.is(primary) && unused.last().is_none_or(|last| !std::ptr::eq(last, region)));
                unused.put(region);
                assert!(unused.last().is_some_and(|last| std::ptr::eq(last, region)));
                std::ptr::from_ref(region)
            })
            .collect();
        assert!(taken[0] != taken[1] && taken[..2] == taken[2..]);
        // Nested regions have different ones, more than a page contains.
        let mut nested: Vec<_> = (0..100).map(|_| std::ptr::from_ref(take())).collect();
        nested.sort_unstable();
        nested.dedup();
        assert!(nested.len() == 100 && !nested.contains(&taken[3]));
    }
}

//! Records of regions that a thread keeps for its next ones.

use super::Region;
use crate::identity::Identity;
use system::memory::{Link, page};

/// A thread's free list of regions, the most recently left one first.
pub struct UnusedRegions {
    first: Link<Region>,
}

system::zeroed!(UnusedRegions { first });

impl UnusedRegions {
    /// The last region whose primary thread this thread was; the region is over.
    pub fn last(&self) -> Option<&'static Region> {
        self.first.get()
    }

    /// Takes the first record; creates some for this thread if there is none. `None` if the system refuses memory.
    #[inline]
    pub(super) fn take(&self, primary: &'static Identity) -> Option<&'static Region> {
        let region = match self.first.get() {
            Some(region) => region,
            None => self.make(primary)?,
        };
        self.first.set(region.next.get());
        Some(region)
    }

    /// Takes the first record, if there is one.
    pub(super) fn take_last(&self) -> Option<&'static Region> {
        self.first.get().inspect(|region| self.first.set(region.next.get()))
    }

    #[inline(always)]
    pub(super) fn put(&self, region: &'static Region) {
        region.next.set(self.first.get());
        self.first.set(Some(region));
    }

    #[cold]
    fn make(&self, primary: &'static Identity) -> Option<&'static Region> {
        for region in page::<Region>()? {
            region.primary.set(Some(primary));
            self.put(region);
        }
        self.first.get()
    }
}

//! Records of regions that a thread keeps for its next ones.

use super::Region;
use crate::identity::Identity;
use system::memory::{Link, page};

/// A thread's free list of regions: the last one that it has left comes first.
pub struct UnusedRegions {
    first: Link<Region>,
}

system::zeroed!(UnusedRegions { first });

impl UnusedRegions {
    /// The last region that the thread was the primary thread of, which is over.
    pub fn last(&self) -> Option<&'static Region> {
        self.first.get()
    }

    /// Takes the first record; makes some for this thread if there is none. `None` when there is no memory.
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

//! A thread's region while the region's start or end is reported, which may come before or after the thread is in it.

use super::Thread;
use crate::region::Region;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// The region that a thread reports, and what is still known about it.
pub struct Reporting {
    /// The region whose start or end is being reported: the thread's task is outside of it at that time.
    region: AtomicU64,
    /// The outlined function of the region that a worker has entered last: the region's record may be reused for
    /// another region before the worker has reported its exit.
    entered_function: AtomicUsize,
}

system::zeroed!(Reporting { region, entered_function });

impl Reporting {
    /// Reinitialises the record for another thread.
    pub(super) fn renew(&self) {
        self.set_region(0);
        self.set_entered_function(0);
    }

    /// Sets the region, by its number, whose start or end is being reported; 0: none.
    #[inline(always)]
    pub(crate) fn set_region(&self, region: u64) {
        self.region.store(region, Relaxed);
    }

    /// True while a region's start or end is being reported.
    #[inline(always)]
    pub(crate) fn is_of_region(&self) -> bool {
        self.region.load(Relaxed) != 0
    }

    /// The region of the thread's current task: while a region's start or end is reported, that is the enclosing one.
    #[inline(always)]
    pub(crate) fn region_of_task(&self, innermost: Option<&'static Region>) -> Option<&'static Region> {
        let reported = self.region.load(Relaxed);
        innermost.and_then(
            |region| if reported != 0 && region.number() == reported { region.enclosing() } else { Some(region) },
        )
    }

    /// Sets the function of the region that a worker enters.
    pub(crate) fn set_entered_function(&self, function: usize) {
        self.entered_function.store(function, Relaxed);
    }
}

impl Thread {
    /// The outlined function of the innermost region that the thread takes part in; for a worker between regions, that
    /// of its last one. 0: not known. It doesn't change between the start and the end of a span.
    pub fn region_function(&'static self) -> usize {
        let own = self.current.region().filter(|region| !self.identity.is_worker() || region.is_primary(self));
        own.map_or_else(|| self.reporting.entered_function.load(Relaxed), Region::function)
    }
}

//! Fields of this adapter in a region's record.

use ompt_core::region::Region;
use std::sync::atomic::AtomicUsize;

/// The adapter's fields of a region. Until they are set, they hold the values of the record's previous region.
pub(super) struct Fields<'a> {
    /// Address of the region's construct.
    pub(super) site: &'a AtomicUsize,
    /// 1 if the region's primary thread has begun to work.
    pub(super) begun: &'a AtomicUsize,
    /// Number of workers that have begun.
    pub(super) workers: &'a AtomicUsize,
    /// Ancestors of the region's primary thread, according to the runtime.
    pub(super) path: &'a AtomicUsize,
}

impl<'a> Fields<'a> {
    /// The fields of this region.
    #[inline(always)]
    pub(super) fn of(region: &'a Region) -> Self {
        let [site, begun, workers, path, ..] = region.words();
        Self { site, begun, workers, path }
    }
}

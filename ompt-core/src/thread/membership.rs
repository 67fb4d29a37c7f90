//! A thread as a member of teams: its number and place there, its region, and the functions that it executes.

use super::Thread;
use crate::identity::Kind;
use crate::region::Region;
use std::sync::atomic::Ordering::Relaxed;

impl Thread {
    /// True if the thread is a worker of an OpenMP runtime.
    pub fn is_worker(&self) -> bool {
        self.identity.is(Kind::Worker)
    }

    pub(crate) fn is_initial(&self) -> bool {
        self.identity.is(Kind::Initial)
    }

    pub(crate) fn become_worker(&self) {
        self.identity.set_kind(Kind::Worker);
    }

    pub(crate) fn set_expected(&self, number: u64) {
        self.expected.store(number, Relaxed);
    }

    pub(crate) fn take_expected(&self) -> u64 {
        let expected = self.expected.load(Relaxed);
        self.expected.store(0, Relaxed);
        expected
    }

    /// The place that the thread is bound to; -1 for none. Async-signal-safe.
    pub fn place(&self) -> i32 {
        self.place.load(Relaxed)
    }

    pub(crate) fn set_place(&self, place: i32) {
        self.place.store(place, Relaxed);
    }

    /// The first place of the thread's partition and the number of its places; 0 where it is not known.
    /// Async-signal-safe.
    #[allow(clippy::cast_possible_truncation)] // takes its halves
    pub fn partition(&self) -> (i32, i32) {
        let partition = self.partition.load(Relaxed);
        ((partition as u32).cast_signed(), ((partition >> 32) as u32).cast_signed())
    }

    pub(crate) fn set_partition(&self, (first, count): (i32, i32)) {
        self.partition.store(u64::from(count.cast_unsigned()) << 32 | u64::from(first.cast_unsigned()), Relaxed);
    }

    /// Sets the region, by its number, whose begin or end is being reported; 0: none.
    #[inline(always)]
    pub(crate) fn set_reporting(&self, region: u64) {
        self.reporting.store(region, Relaxed);
    }

    /// True while a region's begin or end is being reported.
    #[inline(always)]
    pub(crate) fn is_reporting_region(&self) -> bool {
        self.reporting.load(Relaxed) != 0
    }

    /// The region of the thread's current task: while a region's begin or end is reported, that is the enclosing one.
    #[inline(always)]
    pub(crate) fn region_of_task(&self, innermost: Option<&'static Region>) -> Option<&'static Region> {
        let reported = self.reporting.load(Relaxed);
        innermost.and_then(
            |region| if reported != 0 && region.number() == reported { region.enclosing() } else { Some(region) },
        )
    }

    /// The outlined function of the innermost region that the thread takes part in; for a worker between regions, that
    /// of its last one. 0: not known. It is the same from the begin of a span to its end.
    pub fn region_function(&'static self) -> usize {
        let own = self.region().filter(|region| !self.is_worker() || region.is_primary(self));
        own.map_or_else(|| self.entered_function.load(Relaxed), Region::function)
    }

    /// Sets the function of the region that a worker enters.
    pub(crate) fn set_entered_function(&self, function: usize) {
        self.entered_function.store(function, Relaxed);
    }

    /// The frame in which a worker waits for its next region, or 0. Async-signal-safe.
    pub fn idle_frame(&self) -> usize {
        self.idle_frame.load(Relaxed)
    }

    /// Sets the frame in which a worker waits for regions.
    pub fn set_idle_frame(&self, frame: usize) {
        self.idle_frame.store(frame, Relaxed);
    }
}

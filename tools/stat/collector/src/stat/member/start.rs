//! The start of a region's body on the thread that forked the region: until then the runtime is at work.

use stat_layout::stat::layout::ThreadSlot;

use super::Local;

impl Local {
    /// In the callback of a fork: has the library stamp the start of the region's body.
    #[inline(always)]
    pub(super) fn await_body(&mut self, region: u64) {
        if let Some(words) = self.callback_words {
            words.stamp_body();
            self.starts = region;
        }
    }

    /// The thread has begun the body of the region that it forked, if the library has stamped that. Charges the time until then, and
    /// starts the thread's share of the region there.
    pub(super) fn begin_body(&mut self, slot: &ThreadSlot, at_ns: u64) {
        let region = std::mem::take(&mut self.starts);
        let Some(begun_ns) = self.callback_words.map(|words| words.stamps().begun()) else { return };
        // A stamp from before the fork is another region's.
        if begun_ns > self.charged_until_ns() && begun_ns <= at_ns {
            self.timeline.begin_body(begun_ns, slot);
            self.shares.begin_body(region, self.load(slot));
        }
    }
}

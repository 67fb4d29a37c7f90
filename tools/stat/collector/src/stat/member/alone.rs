//! The events of a region that its thread executes alone: a short path for them.

use std::sync::atomic::Ordering::Relaxed;

use ora_client::{Client, Words};

use super::{Local, Place};
use crate::stat::shares::{Alone, Load};
use stat_layout::stat::layout::{Area, ThreadSlot};
use stat_layout::stat::watching::Kind;

impl Local {
    /// The thread forks a region at the place of the previous one, which it executed alone. Returns false, with nothing done, if the
    /// region is like any other. `base` is in the frame of the callback.
    #[inline(always)]
    pub(in crate::stat) fn forks_alone(&mut self, client: &Client, base: usize) -> bool {
        let (Place::Has(index, slot, rings), Some((place, row))) = (self.place, self.last_row) else { return false };
        let Some(region) = self.words.and_then(Words::region) else { return false };
        if self.closed || self.alone.is_some() || !self.shares.is_empty() || self.runtimes.is_sought() {
            return false;
        }
        if self.origin.last(base) != Some(place) {
            return false;
        }
        let at_ns = self.now_ns();
        if self.usage.is_due(self.charged_until_ns(), at_ns) {
            return false;
        }
        let of_one = row.threads.load(Relaxed) == 1;
        let Some(instance) = rings.instances.filter(|_| of_one).and_then(|all| all.open_alone(region, index)) else {
            return false;
        };
        self.timeline.fork(region, at_ns, slot);
        self.alone = Some(Alone::begin(region, row, instance, self.load(slot)));
        if slot.watching.count(Kind::Region) {
            self.measure(slot, Kind::Region, Some(at_ns), client);
        }
        true
    }

    /// The thread arrives at the barrier that ends the region. Returns false, with nothing done, if the region has to
    /// be handed over first.
    #[inline(always)]
    pub(in crate::stat) fn arrives_alone(&mut self, client: &Client) -> bool {
        let (Place::Has(_, slot, _), Some(alone)) = (self.place, self.alone.as_ref()) else { return false };
        let works = alone.is_without_tasks(self.tasks()) && self.timeline.forked() == Some(alone.region());
        if !works || !self.on_libgomp || self.closed {
            return false;
        }
        let at_ns = self.now_ns();
        if self.usage.is_due(self.charged_until_ns(), at_ns) {
            return false;
        }
        if let Some(alone) = self.alone.as_mut() {
            alone.arrive();
            if let (Some(words), Some(callback)) = (self.words, self.callback_words)
                && words.is_at_last_barrier()
            {
                // The barrier's end and JOIN follow one another.
                callback.decline_next();
                self.departs_at_join = alone.region();
            }
        }
        self.timeline.arrive(at_ns, slot);
        if slot.watching.count(Kind::Other) {
            self.measure(slot, Kind::Other, Some(at_ns), client);
        }
        true
    }

    /// The thread leaves that barrier without having had to wait for its end: on libgomp it takes no time then. Returns
    /// false, with nothing done, if there may be others.
    #[inline(always)]
    pub(in crate::stat) fn departs_alone(&mut self, area: &Area, client: &Client) -> bool {
        let (Place::Has(_, slot, _), Some(alone)) = (self.place, self.alone.as_mut()) else { return false };
        if !alone.was_alone_at_barriers() || area.has_refused_threads() {
            return false;
        }
        let begun_ns = if slot.watching.is_next(Kind::Other) { Some(self.clock.now_ns()) } else { None };
        alone.pass();
        self.timeline.leave_barrier(slot);
        if slot.watching.count(Kind::Other) {
            self.measure(slot, Kind::Other, begun_ns, client);
        }
        true
    }

    /// True if the thread joins a region whose last barrier it has not left yet. Must be called only once.
    pub(in crate::stat) fn owes_departure(&mut self, client: &Client) -> bool {
        let owes = self.departs_at_join != 0 && self.departs_at_join == self.region(client);
        if owes {
            self.departs_at_join = 0;
        }
        owes
    }

    /// The thread joins the region: on libgomp immediately, elsewhere at the end of its work. Returns false, with nothing done,
    /// if the region has to be handed over first.
    #[inline(always)]
    pub(in crate::stat) fn joins_alone(&mut self, area: &Area, client: &Client) -> bool {
        let (Place::Has(_, slot, _), Some(alone)) = (self.place, self.alone.as_ref()) else { return false };
        let begun_ns = if slot.watching.is_next(Kind::Region) { Some(self.clock.now_ns()) } else { None };
        if self.departs_at_join == alone.region() {
            if !alone.was_alone_at_barriers() || area.has_refused_threads() {
                return false;
            }
            self.departs_at_join = 0;
            self.timeline.leave_barrier(slot);
        } else if !alone.has_passed() && !self.works_until_join(slot) {
            return false;
        }
        self.timeline.join_forked(slot);
        if let Some(alone) = &self.alone {
            slot.add_path(alone.end(self.load(slot)));
        }
        self.alone = None;
        if slot.watching.count(Kind::Region) {
            self.measure(slot, Kind::Region, begun_ns, client);
        }
        true
    }

    /// The thread has worked in the region until now. Returns false, with nothing done, if it did something else.
    #[cold]
    #[inline(never)]
    fn works_until_join(&mut self, slot: &ThreadSlot) -> bool {
        let at_ns = self.now_ns();
        let Some(alone) = &self.alone else { return false };
        let is_over = alone.works() && alone.is_without_others() && self.timeline.forked() == Some(alone.region());
        if !is_over || self.closed || self.usage.is_due(self.charged_until_ns(), at_ns) {
            return false;
        }
        self.timeline.work_until(at_ns, slot);
        true
    }

    /// From now on the region belongs to the shares.
    #[cold]
    #[inline(never)]
    pub(super) fn hand_over(&mut self, slot: &ThreadSlot) {
        let now = self.load(slot);
        if let Some(alone) = self.alone.take() {
            alone.hand_over(&mut self.shares, now);
        }
    }

    /// The thread's counters at its last event.
    #[inline(always)]
    pub(super) fn load(&self, slot: &ThreadSlot) -> Load {
        let [_, work, ..] = &slot.spent_ns;
        Load {
            at_ns: self.timeline.charged_until_ns(),
            work_ns: work.load(Relaxed),
            held_ns: self.usage.held_ns(),
            tasks: self.tasks(),
            chunks: self.words.map_or(0, ora_client::Words::chunks),
        }
    }
}

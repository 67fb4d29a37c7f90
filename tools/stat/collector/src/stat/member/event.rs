//! Events of a thread: their effect on its timeline, and the cost of their callbacks.

use std::sync::atomic::Ordering::Relaxed;

use ora_client::{CallbackWords, Client};

use super::super::runtimes;
use super::super::shares::{Alone, Load};
use super::super::time_off::Last;
use super::super::timeline::{Happening, Timeline};
use super::{Local, Place};
use crate::member::MEMBER;
use crate::objects::OBJECTS;
use stat_layout::process_table::{add, runtime};
use stat_layout::stat::activity::Activity;
use stat_layout::stat::layout::{Area, ThreadSlot};
use stat_layout::stat::regions::Exclusive;
use stat_layout::stat::watching::Kind;

impl Local {
    /// A task begins or ends, which is left to `then`. Returns false, with nothing done, if the event is more than a
    /// task in a region's work.
    #[inline(always)]
    pub(in crate::stat) fn task_at_work(&mut self, client: &Client, then: impl FnOnce(&mut Timeline) -> bool) -> bool {
        let Place::Has(_, slot, _) = self.place else { return false };
        if self.closed || !then(&mut self.timeline) {
            return false;
        }
        self.count_from_now_on();
        if slot.watching.count(Kind::WithoutClock) {
            // The callback is too short to be timed: it takes about as long as reading the clock.
            self.measure(slot, Kind::WithoutClock, None, client);
        }
        true
    }

    /// Handles an event that affects only the timeline. Returns false, with nothing done, if something else is due as
    /// well.
    #[inline(always)]
    pub(in crate::stat) fn happens_at_once(&mut self, client: &Client, what: Happening) -> bool {
        let Place::Has(_, slot, _) = self.place else { return false };
        if !self.closed && self.timeline.happens_too_deep(what, slot) {
            if slot.watching.count(Kind::WithoutClock) {
                self.measure(slot, Kind::WithoutClock, None, client);
            }
            return true;
        }
        let Some(at_ns) = self.clock.quick_ns() else { return false };
        let at_ns = at_ns.max(self.timeline.charged_until_ns());
        if self.closed
            || self.starts != 0
            || self.usage.is_due(self.charged_until_ns(), at_ns)
            || self.runtimes.is_sought()
        {
            return false;
        }
        self.timeline.happens(what, at_ns, slot, None);
        if slot.watching.count(Kind::Other) {
            self.measure(slot, Kind::Other, Some(at_ns), client);
        }
        true
    }

    /// Counts one event, whose callback began at `begun_ns`.
    #[inline(always)]
    pub(in crate::stat) fn count(&mut self, kind: Kind, begun_ns: u64, client: &Client) {
        if let Place::Has(_, slot, _) = self.place
            && slot.watching.count(kind)
        {
            self.measure(slot, kind, Some(begun_ns), client);
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn measure(&mut self, slot: &ThreadSlot, kind: Kind, begun_ns: Option<u64>, client: &Client) {
        let done_ns = self.clock.now_ns();
        let clock_ns = self.clock.now_ns().saturating_sub(done_ns);
        let request_ns = self.request_ns(client);
        let took_ns = begun_ns.map_or(clock_ns, |begun_ns| done_ns.saturating_sub(begun_ns));
        slot.watching.measured(kind, took_ns, request_ns);
    }

    /// Handles one event of a thread that has entered before. `base` is in the frame of the callback.
    #[inline(always)]
    pub(in crate::stat) fn happens(&mut self, area: &'static Area, what: Happening, at_ns: u64, base: usize) {
        let Place::Has(_, slot, rings) = self.place else { return };
        if matches!(what, Happening::Fork(_))
            && slot.forks.load(Relaxed) == 0
            && let Some(process) = MEMBER.slot(&area.process_table)
        {
            MEMBER.uses_openmp(process);
            if self.callback_words.and_then(CallbackWords::outer_call).is_some() {
                process.runtimes.fetch_or(runtime::OWN, Relaxed);
            }
            self.on_libgomp = process.runtimes.load(Relaxed) == runtime::GNU;
        }
        if self.alone.as_ref().is_some_and(|alone| !alone.works() || !what.is_within_work()) {
            self.hand_over(slot);
        }
        if what == Happening::BeginTask {
            self.count_from_now_on();
        }
        self.take_counts(slot);
        if self.starts != 0 {
            self.begin_body(slot, at_ns);
        }
        let gap_ns = at_ns.saturating_sub(self.charged_until_ns());
        let before = slot.now.load(Relaxed);
        let due = self.usage.is_due(self.charged_until_ns(), at_ns).then(|| Last::of(slot, at_ns));
        self.timeline.happens(what, at_ns, slot, rings.joins);
        if let Some(last) = due {
            self.usage.read(slot, at_ns, last);
        }
        self.runtimes.happens(area.tables(), base);
        let now = self.load(slot);
        match what {
            Happening::Fork(region) => self.forks(area, region, now, base),
            Happening::Join(region) => slot.add_path(self.shares.join(region, now)),
            Happening::EndIdle(region) => {
                runtimes::serve(area.tables(), slot, base);
                self.shares.serve(region, now, rings.instances);
                if rings.instances.is_some_and(|all| all.has_refused(region)) {
                    area.regions.lost_shares.fetch_add(1, Relaxed);
                }
            }
            Happening::Begin(Activity::ImplicitBarrier | Activity::ExplicitBarrier) => {
                self.shares.arrive(now);
            }
            Happening::End(Activity::ImplicitBarrier) => {
                self.barrier_end_ns = at_ns;
                self.shares.depart(now);
            }
            Happening::End(Activity::ExplicitBarrier) => self.shares.depart(now),
            Happening::End(activity) if activity as u32 == before => {
                if let Some(kind) = Exclusive::awaited_in(activity) {
                    self.has_waited(area, kind, gap_ns, base);
                }
            }
            Happening::BeginTask => self.shares.task_begun(gap_ns),
            Happening::EndTask => self.shares.task_ended(now),
            _ => {}
        }
        if self.closed {
            slot.end_ns.store(at_ns, Relaxed);
        }
    }

    /// The thread forks a region; `base` is in the frame of the callback.
    #[inline(always)]
    fn forks(&mut self, area: &'static Area, region: u64, now: Load, base: usize) {
        let Place::Has(index, _, rings) = self.place else { return };
        let outer = self.callback_words.and_then(CallbackWords::outer_call);
        let on_stack = self.origin.find(area.tables(), base);
        let place = outer.and_then(|outer| OBJECTS.place_of(area.tables(), outer)).unwrap_or(on_stack);
        let row = area.regions.row(index, place);
        if self.shares.is_empty()
            && let Some(row) = row.filter(|row| row.threads.load(Relaxed) == 1 && runtimes::is_known(row))
            && let Some(instance) = rings.instances.and_then(|all| all.open_alone(region, index))
        {
            self.runtimes.forget();
            self.last_row = Some((place, row));
            self.alone = Some(Alone::begin(region, row, instance, now));
            return;
        }
        if let Some(row) = row {
            if row.count.load(Relaxed) == 0 {
                OBJECTS.note(area.tables(), place);
            }
            self.runtimes.fork(area.tables(), row, base, self.origin.slot(base));
        }
        self.shares.fork(region, now, rings.instances, row);
        if self.shares.is_too_deep() {
            area.regions.too_deep.fetch_add(1, Relaxed);
        }
        self.await_body(region);
    }
    /// The thread has waited for exclusive access; `base` is in the frame of the callback. A thread that finds the
    /// access free has no such event.
    #[cold]
    #[inline(never)]
    fn has_waited(&mut self, area: &'static Area, kind: Exclusive, took_ns: u64, base: usize) {
        let Place::Has(index, ..) = self.place else { return };
        let place = self.origin.find(area.tables(), base);
        let Some(row) = area.regions.find(index, place) else { return };
        let Some(waited_ns) = row.waited_ns.get(kind as usize) else { return };
        if waited_ns.load(Relaxed) == 0 {
            OBJECTS.note(area.tables(), place);
        }
        add(waited_ns, took_ns);
    }
}

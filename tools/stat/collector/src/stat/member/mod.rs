//! The threads of this process as users of slots in the shared memory.

use std::sync::atomic::Ordering::{Relaxed, Release};

use ora_client::{CallbackWords, Client, Words};

use super::before::Before;
use super::origin::Origin;
use super::runtimes::{self, Runtimes};
use super::shares::{Alone, Load, Shares};
use super::surroundings;
use super::time_off::Last;
use super::timeline::{Happening, Timeline};
use super::usage::Usage;
use crate::free_list::FreeList;
use crate::member::MEMBER;
use crate::objects::OBJECTS;
use crate::processor;
use crate::thread_clock::ThreadClock;
use stat_layout::process_table::{add, runtime};
use stat_layout::stat::activity::Activity;
use stat_layout::stat::instances::Instances;
use stat_layout::stat::joins::JoinRing;
use stat_layout::stat::layout::{Area, MAX_UNSHARED_ROWS, ThreadSlot};
use stat_layout::stat::regions::{Exclusive, RegionRow};
use stat_layout::stat::watching::Kind;

mod alone;
mod counted;
mod record;
mod start;

pub(super) use self::record::{THREAD_END, give_back, local};

/// Slots of this process's threads that have ended.
pub(super) static FREE: FreeList = FreeList::new();

fn claim_thread<'a>(area: &'a Area, free: &FreeList) -> Option<(u32, &'a ThreadSlot)> {
    let few = area.process_table.header.threads.load(Relaxed) < MAX_UNSHARED_ROWS;
    let used = if few { None } else { free.take(|index| Some(&area.thread(index)?.next_free)) };
    match used {
        Some(index) => Some((index, area.thread(index)?)),
        None => area.claim_thread(),
    }
}

/// A thread: its slot and what it does.
#[derive(Debug)]
pub(super) struct Local {
    place: Place,
    timeline: Timeline,
    shares: Shares,
    /// The region that the thread executes alone, as far as is known. It is not in the shares.
    alone: Option<Alone>,
    origin: Origin,
    runtimes: Runtimes,
    usage: Usage,
    clock: ThreadClock,
    /// The thread's words in the library, and those that it shares with the library in callbacks.
    words: Option<&'static Words>,
    callback_words: Option<&'static CallbackWords>,
    /// Tasks and waits that the library has counted in `words`, up to what the slot has received.
    counted: [u64; 2],
    /// The library has been asked to count them.
    counts: bool,
    /// The row of the place where the thread forked last, if teams had one thread there: the place, and the row.
    last_row: Option<(u64, &'static RegionRow)>,
    /// The region whose body the thread was about to begin at its last event; 0: none.
    starts: u64,
    /// The region whose last barrier's end event was declined: the thread leaves it when it joins. 0: none.
    departs_at_join: u64,
    /// The only runtime is libgomp.
    on_libgomp: bool,
    /// The time at which the thread's last implicit barrier ended.
    barrier_end_ns: u64,
    /// Start of the time that counts for the thread; 0: its first event.
    born_ns: u64,
    /// The kernel's counts of it at that time.
    before: Before,
    closed: bool,
    /// Number of its first events so far.
    first_events: u32,
    /// Number of the session to which the record belongs ([`attach_inside::current::Numbered`]).
    session: u32,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    /// No event yet.
    Unasked,
    /// The slots of the thread and of its process.
    Has(u32, &'static ThreadSlot, Rings),
    /// No slot was free, or the thread has ended.
    Out,
}

/// A process's records of its regions.
#[derive(Clone, Copy, Debug)]
struct Rings {
    joins: Option<&'static JoinRing>,
    instances: Option<&'static Instances>,
}

impl Local {
    /// A thread that has had no event in the session of this number.
    const fn new(session: u32) -> Self {
        Self {
            place: Place::Unasked,
            timeline: Timeline::new(),
            shares: Shares::new(),
            alone: None,
            origin: Origin::new(),
            runtimes: Runtimes::new(),
            usage: Usage::new(),
            clock: ThreadClock::new(),
            words: None,
            callback_words: None,
            counted: [0; 2],
            counts: false,
            last_row: None,
            starts: 0,
            departs_at_join: 0,
            on_libgomp: false,
            barrier_end_ns: 0,
            born_ns: 0,
            before: Before { cpu_ns: 0, delay_ns: 0, moves: 0 },
            closed: false,
            first_events: 0,
            session,
        }
    }

    /// Number of the session to which the record belongs.
    #[inline(always)]
    pub(super) fn session(&self) -> u32 {
        self.session
    }

    /// Forgets everything that belongs to an earlier session.
    #[cold]
    #[inline(never)]
    pub(super) fn renew(&mut self, session: u32) {
        const NEW: Local = Local::new(0);
        *self = NEW;
        self.session = session;
    }

    /// The thread's time counts from now on, although its first event may come much later.
    pub(super) fn born(&mut self, at_ns: u64, before: Before) {
        self.born_ns = at_ns;
        self.before = before;
        self.place = Place::Unasked;
        self.shares.clear();
        self.alone = None;
        self.words = None;
        self.callback_words = None;
        self.counts = false;
        self.last_row = None;
        self.starts = 0;
        self.departs_at_join = 0;
        self.closed = false;
    }

    /// True if the thread has a slot.
    #[inline(always)]
    pub(super) fn has_entered(&self) -> bool {
        matches!(self.place, Place::Has(..))
    }

    /// Number of a thread's first events whose time is measured as a whole: they are slow.
    const FIRST_EVENTS: u32 = 8;

    /// The CPU clock, if the event that begins is one of the thread's first ones.
    #[inline(always)]
    pub(super) fn begin_first(&self) -> Option<u64> {
        (self.first_events < Self::FIRST_EVENTS).then(processor::cpu_ns)
    }

    /// The end of an event that is one of the first ones. The library also creates its records in them, which takes
    /// about as long.
    #[cold]
    pub(super) fn end_first(&mut self, begun_cpu_ns: u64) {
        self.first_events += 1;
        self.add_once(begun_cpu_ns, 2);
    }

    /// The end of something that is done once.
    #[cold]
    pub(super) fn end_once(&self, begun_cpu_ns: u64) {
        self.add_once(begun_cpu_ns, 1);
    }

    fn add_once(&self, begun_cpu_ns: u64, times: u64) {
        if let Place::Has(_, slot, _) = self.place {
            slot.watching.add_once(processor::cpu_ns().saturating_sub(begun_cpu_ns) * times);
        }
    }

    /// Sets the thread's words in the library.
    #[cold]
    pub(super) fn read_words(&mut self, words: Option<&'static Words>, callbacks: Option<&'static CallbackWords>) {
        (self.words, self.callback_words) = (words, callbacks);
        self.counted = self.counted_now();
    }

    /// The region that the thread executes, 0 for none. The library is asked if the thread's words don't say it.
    #[inline(always)]
    pub(super) fn region(&self, client: &Client) -> u64 {
        // The library may have given the words of a thread that ends to another one.
        self.words.filter(|_| !self.closed).and_then(Words::region).unwrap_or_else(|| client.region())
    }

    /// Claims a slot, unless that was done before. `claimed` is called if it has been claimed just now.
    #[cold]
    pub(super) fn enter(&mut self, area: &'static Area, at_ns: u64, claimed: impl FnOnce()) -> bool {
        if matches!(self.place, Place::Unasked) {
            self.place = self.find_place(area, at_ns);
            if matches!(self.place, Place::Has(..)) {
                claimed();
            }
        }
        matches!(self.place, Place::Has(..))
    }

    fn find_place(&mut self, area: &'static Area, at_ns: u64) -> Place {
        let Some(process) = MEMBER.claim(&area.process_table) else { return Place::Out };
        let Some((index, slot)) = claim_thread(area, &FREE) else { return Place::Out };
        slot.tid.store(system::threads::id(), Relaxed);
        slot.turns.store(slot.turns.load(Relaxed) + 1, Relaxed);
        slot.runtime.store(0, Relaxed);
        if let Some(surroundings) = area.surroundings(process) {
            surroundings::enter_thread(surroundings);
        }
        let (since_ns, before) =
            if self.born_ns == 0 { (at_ns, Before::a_late_thread()) } else { (self.born_ns, self.before) };
        self.timeline.start(slot, since_ns);
        self.usage.start(slot, since_ns, before);
        // Stored last: a slot without a start, whose thread is killed here, belongs to nobody. Pairs with
        // `Area::threads_of`.
        slot.owner.store(process + 1, Release);
        Place::Has(index, slot, Rings { joins: area.joins(process), instances: area.instances(process) })
    }

    /// The current time, but not before the last event's.
    #[inline(always)]
    pub(super) fn now_ns(&mut self) -> u64 {
        self.clock.now_ns().max(self.timeline.charged_until_ns())
    }

    /// The last moment that was charged.
    #[inline(always)]
    pub(super) fn charged_until_ns(&self) -> u64 {
        self.timeline.charged_until_ns()
    }

    /// True if a region that is joined now was left at the last event: on libgomp both events are raised at the end of its last
    /// barrier. False if this event is to be measured.
    #[inline(always)]
    pub(super) fn joins_at_once(&self) -> bool {
        let Place::Has(_, slot, _) = self.place else { return false };
        self.on_libgomp && self.barrier_end_ns == self.charged_until_ns() && !slot.watching.is_next(Kind::Team)
    }

    /// True if nobody else was at the barrier that ends now: on libgomp it takes no time then. False if this event is to be measured, and
    /// if others may be there unseen.
    #[inline(always)]
    pub(super) fn is_alone_at_barrier(&self, area: &Area) -> bool {
        let Place::Has(_, slot, _) = self.place else { return false };
        self.on_libgomp
            && !slot.watching.is_next(Kind::Team)
            && self.shares.is_alone(self.tasks())
            && !area.has_refused_threads()
    }

    /// The thread joins the region that it works on, unless something was left open in that.
    #[inline(always)]
    pub(super) fn join(&self) -> Option<Happening> {
        self.timeline.forked().map(Happening::Join)
    }

    /// A task begins or ends, which is left to `then`. Returns false, with nothing done, if the event is more than a
    /// task in a region's work.
    #[inline(always)]
    pub(super) fn task_at_work(&mut self, client: &Client, then: impl FnOnce(&mut Timeline) -> bool) -> bool {
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
    pub(super) fn happens_at_once(&mut self, client: &Client, what: Happening) -> bool {
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
    pub(super) fn count(&mut self, kind: Kind, begun_ns: u64, client: &Client) {
        if let Place::Has(_, slot, _) = self.place
            && slot.watching.count(kind)
        {
            self.measure(slot, kind, Some(begun_ns), client);
        }
    }

    #[cold]
    #[inline(never)]
    fn measure(&mut self, slot: &ThreadSlot, kind: Kind, begun_ns: Option<u64>, client: &Client) {
        let done_ns = self.clock.now_ns();
        let clock_ns = self.clock.now_ns().saturating_sub(done_ns);
        let request_ns = self.request_ns(client);
        let took_ns = begun_ns.map_or(clock_ns, |begun_ns| done_ns.saturating_sub(begun_ns));
        slot.watching.measured(kind, took_ns, request_ns);
    }

    /// Handles one event of a thread that has entered before. `base` is in the frame of the callback.
    #[inline(always)]
    pub(super) fn happens(&mut self, area: &'static Area, what: Happening, at_ns: u64, base: usize) {
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
                if rings.instances.is_some_and(|all| all.find(region).is_none() && all.is_full_for(region)) {
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

    /// The thread is about to end.
    pub(super) fn close(&mut self) {
        if let Place::Has(_, slot, rings) = self.place {
            let at_ns = self.now_ns();
            let last = Last::of(slot, at_ns);
            self.hand_over(slot);
            self.take_counts(slot);
            self.timeline.close(at_ns, slot, rings.joins);
            if !self.closed {
                self.usage.close(slot, at_ns, last);
            }
            self.closed = true;
        }
    }

    /// The thread has ended and won't have further events: another thread may have the slot.
    pub(super) fn leave(&mut self) {
        if let Place::Has(index, slot, _) = self.place {
            self.place = Place::Out;
            self.origin.clear();
            FREE.give(index, &slot.next_free);
        }
    }
}

#[cfg(test)]
mod tests;

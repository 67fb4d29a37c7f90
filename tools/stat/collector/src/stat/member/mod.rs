//! The threads of this process as users of slots in the shared memory.

use std::sync::atomic::Ordering::Relaxed;

use ora_client::{CallbackWords, Client, Words};

use super::before::Before;
use super::origin::Origin;
use super::runtimes::Runtimes;
use super::shares::{Alone, Shares};
use super::surroundings;
use super::time_off::Last;
use super::timeline::{Happening, Timeline};
use super::usage::Usage;
use crate::free_list::FreeList;
use crate::member::MEMBER;
use crate::thread_clock::ThreadClock;
use stat_layout::stat::instances::Instances;
use stat_layout::stat::joins::JoinRing;
use stat_layout::stat::layout::{Area, MAX_UNSHARED_ROWS, ThreadSlot};
use stat_layout::stat::regions::RegionRow;
use stat_layout::stat::watching::Kind;

mod alone;
mod counted;
mod event;
mod once;
mod record;
mod start;

use self::once::Once;
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
    /// The cost of what it does once.
    once: Once,
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
            once: Once::new(),
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
        let once = self.once.again();
        *self = NEW;
        (self.session, self.once) = (session, once);
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
        let tid = system::threads::id();
        slot.tid.store(tid, Relaxed);
        slot.turns.store(slot.turns.load(Relaxed) + 1, Relaxed);
        slot.runtime.store(0, Relaxed);
        if let Some(surroundings) = area.surroundings(process) {
            surroundings::enter_thread(surroundings);
        }
        let (since_ns, before) =
            if self.born_ns == 0 { (at_ns, Before::a_late_thread(tid)) } else { (self.born_ns, self.before) };
        self.timeline.start(slot, since_ns);
        self.usage.start(slot, since_ns, before);
        // Last: a slot without a start, whose thread is killed here, belongs to nobody.
        area.give_thread(process, index);
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
        if let Place::Has(index, slot, rings) = self.place {
            self.place = Place::Out;
            if let Some(instances) = rings.instances {
                instances.leave_room(index);
            }
            self.origin.clear();
            FREE.give(index, &slot.next_free);
        }
    }
}

#[cfg(test)]
mod tests;

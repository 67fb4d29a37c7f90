//! A thread of this process: its slot in the shared memory, and what it keeps for itself. Unsafe: memory from `mmap`.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::ptr::{self, with_exposed_provenance};
use std::sync::atomic::{
    AtomicPtr,
    Ordering::{AcqRel, Relaxed, Release},
};

use super::books::{Books, Meaning, Owner};
use super::call_site::ENTRIES;
use super::layout::{Area, Instance, Median, ROWS_KEPT_APART, THREADS};
use super::nesting::Nesting;
use super::pool::Pool;
use crate::free_list::FreeList;
use crate::identity;
use crate::loaded::place;
use crate::member::MEMBER;
use crate::objects::OBJECTS;
use crate::roll::runtime;
use crate::stack::{Found, Ways};
use crate::thread_word;

/// A thread.
#[derive(Debug)]
pub(super) struct Thread {
    pub(super) nesting: Nesting,
    pub(super) books: Books,
    pub(super) costs: [Cost; CALLBACKS],
    /// From the begin of the callback at a creation's end to that of the execution's, where the task runs at once.
    pub(super) between: Median,
    /// From the end of such a creation to the begin of the body, where neither of the two callbacks in between has read the clock.
    pub(super) way: Cost,
    /// Both callbacks of a wait for nothing, and what lies between them.
    pub(super) empty_wait: Cost,
    /// The begin of one that is to be measured; 0: none.
    pub(super) wait_begun: u64,
    ways: Ways,
    /// The process's, from the thread's first event on.
    pub(super) pool: Option<&'static Pool>,
    /// The last place that was asked for, and what its address means.
    last: (u64, Meaning),
    /// Of that place: see [`is_estimated`](Self::is_estimated).
    last_is_estimated: bool,
    /// The runtime's clean-up after a task can't be seen: both of its events are raised at the end of the task's body.
    pub(super) ends_at_once: bool,
}

/// Callbacks that do more than note the time.
pub(super) const CALLBACKS: usize = 4;

/// The time that a callback of ours takes, in ticks. Reading the clock is a large part of that, so it is read a second time only now
/// and then. All zero is one that was never measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    calls: u32,
    /// So many calls are not measured from now on.
    pause: u32,
    /// So many fewer are not measured than of others: two that follow one another are to be measured at different times.
    sooner: u32,
    /// A running median, of the first ones the smallest.
    took: u64,
}

impl Cost {
    /// The time of a callback that began then. `now` is called if it is to be measured.
    #[inline(always)]
    pub(super) fn since(&mut self, at: u64, now: impl FnOnce() -> u64) -> u64 {
        if self.is_next() { self.measured(now().saturating_sub(at)) } else { self.unmeasured() }
    }

    /// True if the next one is to be measured.
    #[inline(always)]
    pub(super) fn is_next(&self) -> bool {
        self.pause == 0
    }

    /// True if the last one was measured.
    #[inline(always)]
    pub(super) fn was_measured(&self) -> bool {
        self.calls < LEARNING || self.pause == PAUSE - self.sooner
    }

    /// The time of one, as far as is known.
    #[inline(always)]
    pub(super) fn typical(&self) -> u64 {
        self.took
    }

    /// The time of one that is not measured.
    #[inline(always)]
    pub(super) fn unmeasured(&mut self) -> u64 {
        self.pause -= 1;
        self.took
    }

    /// One took so long, which is returned.
    #[cold]
    #[inline(never)]
    pub(super) fn measured(&mut self, took: u64) -> u64 {
        self.calls = self.calls.saturating_add(1);
        if self.calls >= LEARNING {
            self.pause = PAUSE - self.sooner;
        }
        // The first ones are slow, and later one may be: a page fault, another thread. That says nothing about the others.
        if self.calls > LEARNING {
            self.took = Median::after(self.took, took, false);
        } else if self.took == 0 || took < self.took {
            self.took = took;
        }
        took
    }
}

impl Cost {
    /// Now and then.
    #[inline(always)]
    pub(super) fn is_time_for_a_request(&self) -> bool {
        (self.pause == PAUSE || self.is_new()) && self.calls.is_multiple_of(REQUESTS)
    }

    /// True while every call is measured.
    #[inline(always)]
    pub(super) fn is_new(&self) -> bool {
        self.calls < LEARNING
    }
}

/// From then on, one call of so many and one is measured.
const PAUSE: u32 = 15;
/// A request is timed at one of so many of these.
const REQUESTS: u32 = 4;

/// So many calls are all measured.
const LEARNING: u32 = 64;

/// A thread's record, if it has one.
#[derive(Debug)]
pub(super) enum Place {
    /// It had no event yet.
    Unasked,
    /// This one.
    Has(&'static mut Thread),
    /// An event is being handled. One in a signal handler in between is left out.
    InUse,
    /// There was no room, or the thread is gone.
    Out,
}

/// The event that comes next, as far as its callback has been done in advance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// None is known.
    Nothing,
    /// BEGIN_EXEC_TASK of a task that has begun already.
    Begin,
    /// END_SUSPEND_TASK of a wait for nothing that was counted already.
    WaitEnd,
}

/// The calling thread's record, and what it expects.
pub(super) struct Here {
    pub(super) place: Cell<Place>,
    pub(super) expected: Cell<Expected>,
}

impl Here {
    /// True if this event has been done in advance. Then nothing is expected any more.
    #[inline(always)]
    pub(super) fn was_done(&self, event: Expected) -> bool {
        let is_it = self.expected.get() == event;
        if is_it {
            self.expected.set(Expected::Nothing);
        }
        is_it
    }

    /// Another event than the expected one comes on this thread.
    #[inline(always)]
    pub(super) fn meet(&self, thread: &mut Thread) {
        if self.expected.get() != Expected::Nothing {
            self.meet_another(thread);
        }
    }

    #[cold]
    #[inline(never)]
    fn meet_another(&self, thread: &mut Thread) {
        if self.expected.replace(Expected::Nothing) == Expected::WaitEnd {
            thread.nesting.take_end_back();
            thread.wait_begun = 0;
            let events = &thread.books.slot().events;
            events.store(events.load(Relaxed).saturating_sub(1), Relaxed);
        }
    }
}

thread_local! {
    /// Has no destructor, so it is there from the thread's first instruction to its last.
    static HERE: Here = const { Here { place: Cell::new(Place::Unasked), expected: Cell::new(Expected::Nothing) } };
}

/// The calling thread's. Not to be kept beyond the callback.
#[inline(always)]
pub(super) fn here() -> &'static Here {
    let mut here = thread_word::get();
    if here == 0 {
        here = find_here();
    }
    // SAFETY: the address of the calling thread's `HERE`, which is there as long as the thread is. What is returned stays on
    // this thread: it can't be sent.
    unsafe { &*with_exposed_provenance::<Here>(here) }
}

#[cold]
#[inline(never)]
fn find_here() -> usize {
    let here = HERE.with(|here| ptr::from_ref(here).expose_provenance());
    thread_word::set(here);
    here
}

/// Slots of this process's threads that have ended.
static FREE: FreeList = FreeList::new();
/// The records that the threads of these slots left, by the slot's number.
static KEPT: [AtomicPtr<Thread>; THREADS] = [const { AtomicPtr::new(ptr::null_mut()) }; THREADS];

impl Thread {
    /// Claims a slot and the memory for a thread.
    #[allow(clippy::mut_from_ref, reason = "what is lent has memory of its own")]
    pub(super) fn enter(
        area: &'static Area,
        instances: &'static [Instance],
        pool: &'static Pool,
    ) -> Option<&'static mut Self> {
        let process = MEMBER.claim(&area.roll)?;
        let about = area.roll.process(process)?;
        // The runtime may have been loaded since the process began.
        identity::enter_runtimes(about);
        let ends_at_once = about.runtimes.load(Relaxed) != 0;
        let few = area.roll.header.threads.load(Relaxed) < ROWS_KEPT_APART;
        let used = if few { None } else { FREE.take(|index| Some(&area.thread(index)?.next_free)) };
        let index = used.or_else(|| area.claim_thread().map(|(index, _)| index))?;
        let slot = area.thread(index)?;
        // Acquire: pairs with the store in `leave`; publishes the thread's figures. The swap gives them to a single thread.
        let kept = KEPT.get(index as usize)?.swap(ptr::null_mut(), AcqRel);
        // SAFETY: null, or what `leave` put there: it was given away, and the swap gives it to this thread alone.
        let thread = if let Some(thread) = unsafe { kept.as_mut() } {
            thread.nesting.clear();
            thread
        } else if let Some(thread) = Self::new(Owner { area, instances, slot, number: index }) {
            thread.ends_at_once = ends_at_once;
            thread.books.trusts_stack = about.runtimes.load(Relaxed) == runtime::GNU;
            thread
        } else {
            area.roll.count_without_memory();
            FREE.give(index, &slot.next_free);
            return None;
        };
        thread.pool = Some(pool);
        slot.owner.store(process + 1, Relaxed);
        slot.tid.store(crate::attach::thread_id(), Relaxed);
        slot.turns.store(slot.turns.load(Relaxed) + 1, Relaxed);
        Some(thread)
    }

    /// True if a task comes next that was created to run at once, with nothing in between.
    #[inline(always)]
    pub(super) fn runs_next(&self) -> bool {
        self.books.trusts_stack && self.nesting.runs_next()
    }

    /// In memory of its own, which stays. Most of it is never touched.
    fn new(owner: Owner) -> Option<&'static mut Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at a place that the kernel chooses touches nobody's memory.
        let start = unsafe { libc::mmap(ptr::null_mut(), size_of::<Self>(), access, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return None;
        }
        let thread = start.cast::<Self>();
        // SAFETY: fresh memory, large enough, aligned to a page.
        let to = unsafe { &raw mut (*thread).books.owner };
        // SAFETY: `to` lies in the memory that `mmap` gave just now, aligned and writable.
        unsafe { to.write(owner) };
        // SAFETY: the owner was written; all the rest may be all zero, as its types say. Nobody else knows the memory.
        let thread = unsafe { thread.as_mut() }?;
        let [_, _, execution, _] = &mut thread.costs;
        execution.sooner = 1;
        Some(thread)
    }

    /// The thread has ended, and no event of it will come: another one may have all this.
    pub(super) fn leave(&'static mut self) {
        let Owner { slot, number, .. } = self.books.owner;
        if let Some(kept) = KEPT.get(number as usize) {
            // Release: pairs with the swap in `enter`; publishes the thread's figures.
            kept.store(self, Release);
        }
        FREE.give(number, &slot.next_free);
    }

    /// The origin of the task whose creation is reported to the callback with this address in its frame.
    #[inline]
    pub(super) fn origin(&mut self, base: usize) -> Meaning {
        match self.ways.find(self.books.owner.area.ledger(), base) {
            Found::Program(address) if address == self.last.0 => self.last.1,
            Found::Program(address) => self.find_meaning(address),
            Found::Nobody => Meaning { place: place::CHUNK, taskloop: false },
            Found::Unknown => Meaning { place: place::UNKNOWN, taskloop: false },
        }
    }

    /// The origin, as [`origin`](Self::origin), if it is the one that was asked for last, and what
    /// [`is_estimated`](Self::is_estimated) says of it.
    #[inline(always)]
    pub(super) fn last_origin(&self, base: usize) -> Option<(Meaning, bool)> {
        match self.ways.last(base)? {
            Found::Program(address) if address == self.last.0 => Some((self.last.1, self.last_is_estimated)),
            _ => None,
        }
    }

    /// True if the creations of tasks of that origin that run at once may be estimated.
    pub(super) fn is_estimated(&self, origin: Meaning) -> bool {
        !origin.taskloop && origin.place >= place::FIRST_ADDRESS && self.books.estimates()
    }

    #[inline(never)]
    fn find_meaning(&mut self, address: u64) -> Meaning {
        let meaning = self.books.meaning(address).unwrap_or_else(|| self.learn(address));
        self.last = (address, meaning);
        self.last_is_estimated = self.is_estimated(meaning);
        meaning
    }

    #[cold]
    fn learn(&mut self, address: u64) -> Meaning {
        let meaning = ENTRIES.meaning(address);
        OBJECTS.meet(self.books.owner.area.ledger(), meaning.place);
        self.books.learn(address, meaning);
        meaning
    }
}

/// In a forked child: what other threads kept is the parent's.
pub(super) fn forget_all() {
    FREE.clear();
    KEPT.iter().for_each(|kept| kept.store(ptr::null_mut(), Relaxed));
    here().place.set(Place::Unasked);
    here().expected.set(Expected::Nothing);
}

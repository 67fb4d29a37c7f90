//! A thread of this process: its slot in the shared memory, and its private data. Unsafe: memory from `mmap`.
#![allow(unsafe_code)]

use std::ptr::{self, with_exposed_provenance_mut};
use std::sync::atomic::{
    AtomicPtr, AtomicU32,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};

use ora_client::{CallbackWords, Client, StampClock};

use super::call_site::ENTRIES;
use super::cost::Cost;
use super::meanings::{MEANINGS, Meaning};
use super::nesting::Nesting;
use super::owner::Owner;
use super::pool::Pool;
use super::thread_sums::ThreadSums;
use super::undeferred_overhead::UndeferredOverhead;
use crate::free_list::FreeList;
use crate::member::MEMBER;
use crate::objects::OBJECTS;
use crate::stack::{Found, Ways};
use crate::thread_word;
use stat_layout::loaded::place;
use stat_layout::process_table::{add, runtime};
use stat_layout::tasks::layout::{Cell, MAX_UNSHARED_ROWS, Median, THREADS, TaskInstance, TasksArea};
use stat_layout::ticks::Source;

/// A thread.
#[derive(Debug)]
pub(super) struct Thread {
    pub(super) nesting: Nesting,
    pub(super) sums: ThreadSums,
    pub(super) costs: [Cost; CALLBACKS],
    /// From the start of the callback at a creation's end to that of the execution's, for an undeferred task.
    pub(super) between: Median,
    /// Overhead for a task whose start was declined.
    pub(super) overhead: UndeferredOverhead,
    /// The clock of stamps.
    pub(super) stamp_clock: Option<StampClock>,
    ways: Ways,
    /// Number of addresses whose meaning was not in the cache.
    followed: u32,
    /// Time of a search that unwinds or follows a call.
    slow_search: Cost,
    /// The process's pool, from the thread's first event on.
    pub(super) pool: Option<&'static Pool>,
    /// The words that the thread shares with the library; `None` if the library reads none.
    pub(super) words: Option<&'static CallbackWords>,
    /// The last place that was asked for, and what its address means.
    last: (u64, Origin),
    /// The runtime's clean-up after a task can't be seen: both of its events are raised at the end of the task's body.
    pub(super) ends_at_once: bool,
    /// Number of the session to which the record belongs.
    session: u32,
}

/// The origin of a task that is created: its place, and the cell that counts it if its creation may be estimated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub(super) meaning: Meaning,
    /// `None`: the creation is to be measured.
    pub(super) estimated: Option<&'static Cell>,
}

/// Number of callbacks that do more than note the time.
pub(super) const CALLBACKS: usize = 4;

/// Value of the thread's word, in place of a record's address, before its first event.
const UNASKED: usize = 0;
/// An event is being handled. An event raised by a signal handler meanwhile is left out.
const IN_USE: usize = 1;
/// The space was exhausted, or the thread has ended.
const OUT: usize = 2;

/// The calling thread's record; `None` if it has none, or an event is being handled. Must not be kept beyond the callback,
/// which ends with [`put_back`].
#[inline(always)]
pub(super) fn take() -> Option<&'static mut Thread> {
    let record = thread_word::get::<{ thread_word::TASKS }>();
    if record <= OUT {
        return None;
    }
    thread_word::set::<{ thread_word::TASKS }>(IN_USE);
    let record = with_exposed_provenance_mut::<Thread>(record);
    // SAFETY: `put_back` stored the address of a record, which stays mapped until this thread gives it up.
    if unsafe { (*record).session } != SESSION.load(Relaxed) {
        forget(record);
        return None;
    }
    // SAFETY: a mapped record, by what `put_back` stored. From here on the word has no address, so that nobody else has a
    // reference; each thread has a word and a record of its own.
    unsafe { record.as_mut() }
}

/// Gives up the calling thread's record, which belongs to an earlier session: the thread has had no event yet in this
/// one.
#[cold]
#[inline(never)]
fn forget(record: *mut Thread) {
    Thread::unmap(record);
    thread_word::set::<{ thread_word::TASKS }>(UNASKED);
}

/// Number of the newest session, from 0.
static SESSION: AtomicU32 = AtomicU32::new(0);

/// Starts a session in a process that has had another one, and in which none is open.
pub(super) fn begin_session() {
    SESSION.fetch_add(1, Relaxed);
    MEANINGS.clear();
    FREE.clear();
    for kept in &KEPT {
        // Acquire: pairs with the store in `leave`. The swap gives the record to this thread.
        let kept = kept.swap(ptr::null_mut(), Acquire);
        if !kept.is_null() {
            Thread::unmap(kept);
        }
    }
}

/// Makes the record the calling thread's, as before [`take`].
#[inline(always)]
pub(super) fn put_back(thread: &'static mut Thread) {
    thread_word::set::<{ thread_word::TASKS }>(ptr::from_mut(thread).expose_provenance());
}

/// The record that `enter` creates, if this is the calling thread's first event. `None` otherwise, and if it creates
/// none.
#[cold]
#[inline(never)]
pub(super) fn take_first(enter: impl FnOnce() -> Option<&'static mut Thread>) -> Option<&'static mut Thread> {
    if thread_word::get::<{ thread_word::TASKS }>() != UNASKED {
        return None;
    }
    thread_word::set::<{ thread_word::TASKS }>(IN_USE);
    let thread = enter();
    if thread.is_none() {
        thread_word::set::<{ thread_word::TASKS }>(OUT);
    }
    thread
}

/// Takes the record of a thread that ends; the thread has none from then on.
pub(super) fn take_last() -> Option<&'static mut Thread> {
    let thread = take();
    if thread.is_some() {
        thread_word::set::<{ thread_word::TASKS }>(OUT);
    }
    thread
}

/// Slots of this process's threads that have ended.
static FREE: FreeList = FreeList::new();
/// The records that the threads of these slots left, by the slot's number.
static KEPT: [AtomicPtr<Thread>; THREADS] = [const { AtomicPtr::new(ptr::null_mut()) }; THREADS];

impl Origin {
    /// The origin with one of these places, whose tasks' creations are measured.
    fn measured(place: u64) -> Self {
        Self { meaning: Meaning { place, taskloop: false }, estimated: None }
    }
}

impl Thread {
    /// Claims a slot and the memory for a thread.
    #[allow(clippy::mut_from_ref, reason = "what is lent has memory of its own")]
    pub(super) fn enter(
        area: &'static TasksArea,
        instances: &'static [TaskInstance],
        pool: &'static Pool,
        client: Client,
        clock: Source,
    ) -> Option<&'static mut Self> {
        let words = client.callback_words();
        let process = MEMBER.claim(&area.process_table)?;
        let about = area.process_table.process(process)?;
        MEMBER.uses_openmp(about);
        if words.and_then(CallbackWords::outer_call).is_some() {
            about.runtimes.fetch_or(runtime::OWN, Relaxed);
        }
        let runtimes = about.runtimes.load(Relaxed);
        let ends_at_once = runtimes != 0 && runtimes & runtime::OWN == 0;
        let few = area.process_table.header.threads.load(Relaxed) < MAX_UNSHARED_ROWS;
        let used = if few { None } else { FREE.take(|index| Some(&area.thread(index)?.next_free)) };
        let index = used.or_else(|| area.claim_thread().map(|(index, _)| index))?;
        let slot = area.thread(index)?;
        // Acquire: pairs with the store in `leave`; publishes the thread's figures. The swap gives them to a single thread.
        let kept = KEPT.get(index as usize)?.swap(ptr::null_mut(), AcqRel);
        // SAFETY: null, or what `leave` put there: it was given away, and the swap gives it to this thread alone.
        let thread = if let Some(thread) = unsafe { kept.as_mut() } {
            thread
        } else if let Some(thread) = Self::new(Owner { area, instances, slot, number: index }) {
            thread.ends_at_once = ends_at_once;
            thread.sums.trusts_stack = runtimes == runtime::GNU && words.is_some();
            thread
        } else {
            area.process_table.count_without_memory();
            FREE.give(index, &slot.next_free);
            return None;
        };
        thread.pool = Some(pool);
        thread.words = words;
        thread.nesting.begin(client.words());
        thread.overhead.begin(words.map(CallbackWords::stamps), || clock.now(), || clock.stamp());
        thread.stamp_clock = Some(clock.stamps());
        slot.owner.store(process + 1, Relaxed);
        slot.tid.store(system::threads::id(), Relaxed);
        slot.turns.store(slot.turns.load(Relaxed) + 1, Relaxed);
        Some(thread)
    }

    /// Must precede any event but the end of a creation: see [`Nesting::settle`].
    #[inline(always)]
    pub(super) fn settle(&mut self) {
        self.nesting.settle(&mut self.sums, &mut self.overhead);
    }

    /// True if an undeferred task that was created comes next, with nothing in between.
    #[inline(always)]
    pub(super) fn runs_next(&self) -> bool {
        self.sums.trusts_stack && self.nesting.runs_next()
    }

    /// Returns the memory of a record that is not referenced any more.
    fn unmap(record: *mut Self) {
        // SAFETY: `new` mapped it with this size, and the callers have the only pointer to it.
        unsafe { libc::munmap(record.cast(), size_of::<Self>()) };
    }

    /// Creates a record in memory of its own, which stays for the session. Most of it is never touched.
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
        let to = unsafe { &raw mut (*thread).sums.owner };
        // SAFETY: `to` lies in the memory that `mmap` gave just now, aligned and writable.
        unsafe { to.write(owner) };
        // SAFETY: the owner was written; all the rest may be all zero, as its types say. Nobody else knows the memory.
        let thread = unsafe { thread.as_mut() }?;
        let [_, _, execution, _] = &mut thread.costs;
        execution.measure_sooner();
        thread.session = SESSION.load(Relaxed);
        Some(thread)
    }

    /// The thread has ended and won't have further events: another one may have all this.
    pub(super) fn leave(&'static mut self) {
        let Owner { slot, number, .. } = self.sums.owner;
        if let Some(kept) = KEPT.get(number as usize) {
            // Release: pairs with the swap in `enter`; publishes the thread's figures.
            kept.store(self, Release);
        }
        FREE.give(number, &slot.next_free);
    }

    /// The origin of the task whose creation is reported to the callback with this address in its frame.
    #[inline]
    fn origin(&mut self, base: usize) -> Origin {
        let outer = self.words.and_then(CallbackWords::outer_call);
        let outer = outer.and_then(|outer| OBJECTS.place_of(self.sums.owner.area.tables(), outer));
        if let Some(address) = outer {
            return self.find_origin(address);
        }
        match self.ways.find(self.sums.owner.area.tables(), base) {
            Found::Program(address) if address == self.last.0 => self.last.1,
            Found::Program(address) => self.find_origin(address),
            Found::Nobody => Origin::measured(place::CHUNK),
            Found::Unknown => Origin::measured(place::UNKNOWN),
        }
    }

    /// The origin, as [`origin`](Self::origin), for a creation that began at `at`, and the time at which it begins instead:
    /// a search that unwinds or follows a call takes microseconds, which are overhead and not the task's.
    pub(super) fn origin_and_time(&mut self, base: usize, at: u64, clock: Source) -> (Origin, u64) {
        let slow_steps = |thread: &Self| (thread.followed, thread.ways.unwound());
        let before = slow_steps(self);
        let origin = self.origin(base);
        if slow_steps(self) == before {
            return (origin, at);
        }
        let took = clock.now().saturating_sub(at);
        self.nesting.skip(took);
        // The typical time: this search may contain that of another thread on the same processor.
        self.slow_search.measured(took);
        add(&self.sums.slot().own, self.slow_search.typical());
        (origin, at + took)
    }

    /// The origin, as [`origin`](Self::origin), if it is the one that was asked for last.
    #[inline(always)]
    pub(super) fn last_origin(&self, base: usize) -> Option<Origin> {
        match self.ways.last(base)? {
            Found::Program(address) if address == self.last.0 => Some(self.last.1),
            _ => None,
        }
    }

    #[inline(never)]
    fn find_origin(&mut self, address: u64) -> Origin {
        let meaning = MEANINGS.get(address).unwrap_or_else(|| self.learn(address));
        // This process may be a copy of the one that met the place first.
        OBJECTS.note(self.sums.owner.area.tables(), meaning.place);
        let may_estimate = !meaning.taskloop && meaning.place >= place::FIRST_ADDRESS && self.sums.estimates();
        let estimated = if may_estimate { self.sums.cell(meaning.place) } else { None };
        self.last = (address, Origin { meaning, estimated });
        self.last.1
    }

    #[cold]
    fn learn(&mut self, address: u64) -> Meaning {
        self.followed = self.followed.wrapping_add(1);
        let meaning = ENTRIES.meaning(address);
        MEANINGS.put(address, meaning);
        meaning
    }
}

/// In a forked child: forgets what other threads kept, which belongs to the parent.
pub(super) fn forget_all() {
    FREE.clear();
    // A store would allocate pages that were never touched.
    let kept = KEPT.iter().filter(|kept| !kept.load(Relaxed).is_null());
    kept.for_each(|kept| kept.store(ptr::null_mut(), Relaxed));
    thread_word::set::<{ thread_word::TASKS }>(UNASKED);
}

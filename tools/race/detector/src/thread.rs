//! Threads that are known to OpenMP.
#![allow(unsafe_code)] // a thread-local word has the record's address

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::*};

use ompt_tool::{SyncKind, lock_or_give_up};
use system::memory::Link;
use system::threads;

use crate::depth::Depth;
use crate::facts::Facts;
use crate::fiber::{Fiber, Queue};
use crate::flush::LastFlush;
use crate::held::Held;
use crate::history::History;
use crate::league::League;
use crate::own_words::OwnWords;
use crate::sanitizer::{Sanitizer, sanitizer};
use crate::settings::settings;
use crate::task::{Task, flag};

system::thread_words!("ora_race_thread", 1);

/// The maximum number of records.
const MAX_RECORDS: usize = 8192;

/// A thread. Its record is reused after it has ended.
#[derive(Debug, Default)]
pub(crate) struct Thread {
    pub(crate) number: AtomicU32,
    /// Number of threads that had the record before.
    generation: AtomicU32,
    /// The system's number of the thread.
    pub(crate) system_id: AtomicU32,
    /// The task that it executes.
    pub(crate) task: Link<Task>,
    /// Number in its team.
    pub(crate) thread_num: AtomicU32,
    /// Number of barriers that it has left, in all teams.
    pub(crate) barriers: AtomicU64,
    fibers: Queue,
    /// Gaps of its stack.
    pub(crate) depth: Depth,
    /// Mutexes that it holds.
    pub(crate) held: Held,
    /// Facts from its call into the runtime, beyond those of OMPT.
    pub(crate) facts: Facts,
    /// The league that it executes.
    pub(crate) league: League,
    /// Its last flush.
    pub(crate) flush: LastFlush,
    /// Words of its own storage that its tasks access.
    pub(crate) own_words: OwnWords,
    /// Constructs that it executed outside of fibers.
    own_history: History,
    /// Return address of its last call of a function of libgfortran that prints.
    pub(crate) prints_for: AtomicUsize,
    /// The last synchronisation.
    since: AtomicU32,
    since_codeptr: AtomicUsize,
    random: AtomicU64,
    /// Words that only the thread reads, for the sake of the reads alone.
    places: [AtomicU64; 3],
}

static ALL: [Link<Thread>; MAX_RECORDS] = [const { Link::none() }; MAX_RECORDS];
static COUNT: AtomicUsize = AtomicUsize::new(0);
static UNUSED: std::sync::Mutex<Vec<&'static Thread>> = std::sync::Mutex::new(Vec::new());

/// The record of the calling thread, if it has one. Async-signal-safe.
pub(crate) fn known() -> Option<&'static Thread> {
    let address = word::<0>();
    // SAFETY: 0, or the address of a record that `here` leaked.
    unsafe { std::ptr::with_exposed_provenance::<Thread>(address).as_ref() }
}

/// The record of the calling thread.
pub(crate) fn here() -> &'static Thread {
    known().unwrap_or_else(begin)
}

#[cold]
fn begin() -> &'static Thread {
    let unused = lock_or_give_up(&UNUSED).and_then(|mut unused| unused.pop());
    let thread = unused.unwrap_or_else(|| {
        let thread: &'static Thread = Box::leak(Box::default());
        let number = COUNT.fetch_add(1, Relaxed);
        thread.number.store(u32::try_from(number).unwrap_or(u32::MAX), Relaxed);
        thread
            .random
            .store(settings().seed.wrapping_add(number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15), Relaxed);
        if let Some(place) = ALL.get(number) {
            place.set(Some(thread));
        }
        thread
    });
    thread.system_id.store(threads::id(), Relaxed);
    thread.task.set(None);
    set_word::<0>(std::ptr::from_ref(thread).expose_provenance());
    thread
}

/// The thread of this identity; `None` if it has ended.
pub(crate) fn identified(identity: u64) -> Option<&'static Thread> {
    let number = usize::try_from(identity & u64::from(u32::MAX)).ok()?;
    ALL.get(number)?.get().filter(|thread| thread.identity() == identity)
}

/// The thread with this system number.
pub(crate) fn of_system(id: u64) -> Option<&'static Thread> {
    let all = ALL.iter().take(COUNT.load(Relaxed)).filter_map(Link::get);
    all.filter(|thread| u64::from(thread.system_id.load(Relaxed)) == id).last()
}

impl Thread {
    /// Records that the thread, which is the calling one, flushes.
    pub(crate) fn note_flush(&self) {
        let region = self.task.get().and_then(|task| task.region.get());
        self.flush.note(region.map_or(0, |region| region.id.load(Relaxed)), self.barriers.load(Relaxed));
    }

    /// True if the thread has reached no barrier since its last flush.
    pub(crate) fn has_flushed_since_barrier(&self) -> bool {
        self.flush.is_after(self.barriers.load(Relaxed))
    }

    /// Number of its record, and in the upper half which of the record's threads it is.
    pub(crate) fn identity(&self) -> u64 {
        u64::from(self.generation.load(Relaxed)) << 32 | u64::from(self.number.load(Relaxed))
    }

    /// A number that differs for threads that start one after the other, and for those that have one record in turn.
    pub(crate) fn mark(&self) -> usize {
        self.number.load(Relaxed).wrapping_add(self.generation.load(Relaxed)) as usize
    }

    /// The thread ends: another one may use the record and its fibers.
    pub(crate) fn end(&'static self) {
        self.generation.fetch_add(1, Relaxed);
        set_word::<0>(0);
        self.own_words.end();
        self.fibers.end_thread();
        if let Some(mut unused) = lock_or_give_up(&UNUSED) {
            unused.push(self);
        }
    }

    /// A fiber for a task that starts on the thread; `None` if none is available.
    pub(crate) fn take_fiber(&self) -> Option<&'static Fiber> {
        self.fibers.take(self.barriers.load(Relaxed))
    }

    /// Makes the fiber the calling thread's context.
    pub(crate) fn enter(&self, fiber: &Fiber) {
        let Some(sanitizer) = sanitizer() else { return };
        sanitizer.switch(fiber.context());
        self.vary(sanitizer);
    }

    /// History of the context that the thread executes its task in. What a team executes on its fiber belongs to the team.
    pub(crate) fn history(&self) -> &History {
        let here = sanitizer().and_then(Sanitizer::current);
        let of_task = |task: &'static Task| [task.fiber.get(), task.share.fiber.get()];
        // An implicit or initial task executes in the context of the task that its thread executed before.
        let outer = |task: &&'static Task| task.parent.get().filter(|_| !task.has(flag::EXPLICIT));
        let tasks = std::iter::successors(self.task.get(), outer);
        let mut fibers = tasks.flat_map(of_task).flatten();
        fibers.find(|fiber| Some(fiber.context()) == here).map_or(&self.own_history, |fiber| &fiber.history)
    }

    /// Constructs that it executed outside of fibers.
    pub(crate) fn own_history(&self) -> &History {
        &self.own_history
    }

    /// The task on the fiber has ended.
    pub(crate) fn give_back(&self, fiber: &'static Fiber) {
        self.fibers.give_back(self.barriers.load(Relaxed), fiber);
    }

    /// A region has started or ended: earlier synchronisation belongs to another one.
    pub(crate) fn forget_synchronisation(&self) {
        self.since_codeptr.store(0, Relaxed);
    }

    /// A barrier, taskwait or taskgroup has ended.
    pub(crate) fn note_synchronisation(&self, kind: SyncKind, codeptr: usize) {
        let number = match kind {
            SyncKind::Taskwait => 1,
            SyncKind::Taskgroup => 2,
            _ => 0,
        };
        self.since.store(number, Relaxed);
        self.since_codeptr.store(codeptr, Relaxed);
    }

    /// Kind and return address of the last synchronisation.
    pub(crate) fn last_synchronisation(&self) -> Option<(&'static str, usize)> {
        let word = match self.since.load(Relaxed) {
            1 => "taskwait",
            2 => "taskgroup",
            _ => "barrier",
        };
        Some((word, self.since_codeptr.load(Relaxed))).filter(|(_, codeptr)| *codeptr != 0)
    }

    /// The contention group that it is in (OpenMP 5.2, 1.2.2): critical sections and locks order the threads of one group.
    /// 0 outside of leagues.
    pub(crate) fn contention_group(&self) -> u64 {
        let of_region = || {
            let region = self.task.get().and_then(|task| task.region.get());
            region.map_or(0, |region| region.contention_group.load(Relaxed))
        };
        self.league.contention_group().unwrap_or_else(of_region)
    }

    /// Makes up to three accesses in the calling context. ThreadSanitizer chooses which of a word's four cells it overwrites by the
    /// number of the context's accesses. A context in which this number is the same in each run would overwrite the same cell: some
    /// races would never be found.
    pub(crate) fn vary(&self, sanitizer: &Sanitizer) {
        let count = usize::try_from(self.random() % 4).unwrap_or(0);
        self.places.iter().take(count).for_each(|place| sanitizer.note_read(place));
    }

    /// A number of a sequence that the seed determines (xorshift).
    pub(crate) fn random(&self) -> u64 {
        let mut state = self.random.load(Relaxed) | 1;
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        self.random.store(state, Relaxed);
        state >> 8
    }
}

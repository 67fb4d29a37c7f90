//! Fibers: ThreadSanitizer contexts in which tasks run, so that two tasks of one thread are concurrent.
//!
//! A fiber costs up to a millisecond and a megabyte, and there are at most about 8,000, so they are reused. What a fiber executed
//! before stays in its clock: two tasks on one fiber look ordered. So each thread has a queue: a fiber that was not used since the
//! thread's last barrier comes first, for which that order is a true one; then a new one, as long as more are allowed
//! ([`Queue::may_make`]); and then the least recently used one. Even a few fibers hide few races: two tasks look ordered only if one
//! fiber has executed both.

use std::ffi::CStr;
use std::io::{Cursor, Write};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::*};
use std::sync::{Mutex, OnceLock};

use ompt_tool::lock_or_give_up;
use system::memory::Link;

use crate::history::History;
use crate::sanitizer::{Context, Sanitizer, sanitizer};
use crate::{call_stack, signals};

/// Number of fibers that each thread may create, that it creates immediately if others leave capacity, and that it
/// keeps after many tasks.
const MIN_PER_THREAD: u32 = 2;
const FIRST: u32 = 12;
const MAX_PER_THREAD: u32 = 32;
/// Number of tasks of a thread for which it gets one more fiber: creating one takes as long as hundreds of small
/// tasks.
const TASKS: u64 = 200;
/// Number of fibers of all threads up to which each may create more than [`MIN_PER_THREAD`]. A fiber takes one to two
/// megabytes.
const FREE_FIBERS: usize = 256;
/// The maximum number of fibers: ThreadSanitizer has about 8,000 contexts, and the program's threads need theirs.
const MAX_FIBERS: usize = 4096;

/// Prefix of a fiber's name, followed by its number.
pub(crate) const NAME: &str = "ora-fiber-";

/// A fiber.
#[derive(Debug, Default)]
pub(crate) struct Fiber {
    context: AtomicUsize,
    /// End of its call stack while it runs nothing; 0 if unknown.
    bottom: AtomicUsize,
    /// The thread's number of barriers when the fiber was last used.
    barriers: AtomicU64,
    next: Link<Fiber>,
    /// The tasks that it executed.
    pub(crate) history: History,
}

/// All fibers, by number.
static ALL: [Link<Fiber>; MAX_FIBERS] = [const { Link::none() }; MAX_FIBERS];
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The context that creates fibers. It never runs the program, so that a fiber's clock starts without any of the
/// program's past.
static ROOT: OnceLock<Mutex<Context>> = OnceLock::new();

/// Unused fibers of a thread, the least recently used first.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    first: Link<Fiber>,
    last: Link<Fiber>,
    /// Number of fibers that the thread has created, and how often it has used one.
    made: AtomicU32,
    taken: AtomicU64,
}

/// Creates the root. To be called before any parallel region; returns false if fibers are not available.
pub(crate) fn set_up() -> bool {
    let root = || sanitizer().and_then(Sanitizer::new_fiber).map(Mutex::new);
    if ROOT.get().is_none()
        && let Some(root) = root()
    {
        return ROOT.set(root).is_ok();
    }
    ROOT.get().is_some()
}

/// True if there may be fibers.
pub(crate) fn is_set_up() -> bool {
    ROOT.get().is_some()
}

/// Calls a function of ThreadSanitizer in the root, which has nothing of the program's past and no call stack; does not if there
/// is no root. The function must not run handlers of signals: signals that ThreadSanitizer has kept belong to other contexts.
pub(crate) fn in_root(function: impl FnOnce(&Sanitizer)) {
    let Some((sanitizer, root)) = sanitizer().zip(ROOT.get()) else { return };
    let Some((here, root)) = sanitizer.current().zip(lock_or_give_up(root)) else { return };
    // A signal that arrives in the root would be kept there.
    signals::without(|| {
        sanitizer.switch(*root);
        function(sanitizer);
        sanitizer.switch(here);
    });
}

/// Number of fibers that were made.
pub(crate) fn count() -> usize {
    COUNT.load(Relaxed).min(MAX_FIBERS)
}

/// The fiber of this number.
pub(crate) fn numbered(number: usize) -> Option<&'static Fiber> {
    ALL.get(number)?.get()
}

/// A new fiber; `None` if there are enough.
fn make(sanitizer: &Sanitizer) -> Option<&'static Fiber> {
    let root = lock_or_give_up(ROOT.get()?)?;
    let number = COUNT.load(Relaxed);
    let place = ALL.get(number)?;
    let here = sanitizer.current()?;
    sanitizer.switch(*root);
    let context = sanitizer.new_fiber();
    sanitizer.switch(here);
    let context = context?;
    let mut name = [0_u8; 32];
    let mut cursor = Cursor::new(name.as_mut_slice());
    if write!(cursor, "{NAME}{number}\0").is_ok()
        && let Ok(name) = CStr::from_bytes_until_nul(&name)
    {
        sanitizer.name(context, name);
    }
    let fiber: &'static Fiber = Box::leak(Box::default());
    fiber.context.store(context.0, Relaxed);
    fiber.bottom.store(call_stack::top(context), Relaxed);
    place.set(Some(fiber));
    COUNT.store(number + 1, Relaxed);
    Some(fiber)
}

impl Fiber {
    /// End of its call stack while it runs nothing; 0 if unknown.
    pub(crate) fn bottom(&self) -> usize {
        self.bottom.load(Relaxed)
    }

    pub(crate) fn context(&self) -> Context {
        Context(self.context.load(Relaxed))
    }
}

impl Queue {
    /// A fiber for a task that starts on the thread, which has left `barriers` barriers; `None` if none is available.
    pub(crate) fn take(&self, barriers: u64) -> Option<&'static Fiber> {
        let sanitizer = sanitizer()?;
        self.taken.fetch_add(1, Relaxed);
        let unused = self.first.get().filter(|fiber| fiber.barriers.load(Relaxed) < barriers);
        if unused.is_none()
            && self.may_make()
            && let Some(fiber) = make(sanitizer)
        {
            self.made.fetch_add(1, Relaxed);
            return Some(fiber);
        }
        let first = self.first.get()?;
        self.first.set(first.next.get());
        if first.next.get().is_none() {
            self.last.set(None);
        }
        first.next.set(None);
        Some(first)
    }

    /// True if the thread may create one more.
    fn may_make(&self) -> bool {
        let made = self.made.load(Relaxed);
        let by_tasks = u64::from(FIRST).saturating_add(self.taken.load(Relaxed) / TASKS).min(MAX_PER_THREAD.into());
        made < MIN_PER_THREAD || count() < FREE_FIBERS && u64::from(made) < by_tasks
    }

    /// The thread has ended: its barriers do not order what the next one with the record executes.
    pub(crate) fn end_thread(&self) {
        let unused = std::iter::successors(self.first.get(), |fiber| fiber.next.get());
        unused.for_each(|fiber| fiber.barriers.store(u64::MAX, Relaxed));
    }

    /// The task on the fiber has ended, when the thread had left `barriers` barriers.
    pub(crate) fn give_back(&self, barriers: u64, fiber: &'static Fiber) {
        fiber.barriers.store(barriers, Relaxed);
        fiber.next.set(None);
        match self.last.get() {
            Some(last) => last.next.set(Some(fiber)),
            None => self.first.set(Some(fiber)),
        }
        self.last.set(Some(fiber));
    }
}

//! Parallel regions: what is known of one, where it is kept, and how a thread enters and leaves it.

mod target;

use crate::dispatch::Token;
use crate::event::Span;
use crate::implicit_task::ImplicitTask;
use crate::now::Now;
use crate::state::State;
use crate::task::{Task, flag};
use crate::thread::Thread;
use crate::tls::{self, Call};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::*};
use system::arch::stack_pointer;
use system::memory::Generation;
use system::memory::{Link, Zeroed, page};

/// How many words a region keeps for its host.
pub const HOST_WORDS: usize = 16;

/// One parallel region, from the encounter of its construct to its end. Type-stable: the record may be read at any time,
/// and whoever comes late sees that `id` or `open` is another one's.
#[repr(C)]
pub struct Region {
    /// The host's own; the first one lies at the record's address.
    host: [AtomicUsize; HOST_WORDS],
    id: Generation,
    /// The region's id until its primary thread has passed the last barrier.
    open: AtomicU64,
    parent: AtomicU64,
    /// The thread whose pool the record belongs to: only it enters regions with it.
    primary: Link<Thread>,
    /// The primary thread's implicit task in this region.
    task: ImplicitTask,
    /// The id of the task that met the region; 0 if the host tells of implicit tasks itself, or not yet.
    creator: AtomicU64,
    /// The primary thread's region before this one, and everything else it had then.
    enclosing: Link<Region>,
    before: Before,
    /// Where on the primary thread's stack the region was entered; `usize::MAX` where no frame stands for it.
    stack: AtomicUsize,
    token: AtomicU64,
    /// The call that met the construct.
    return_address: AtomicUsize,
    frame: AtomicUsize,
    /// The function that members execute.
    function: AtomicUsize,
    /// How many members have come that nobody has numbered, without the primary thread.
    members: AtomicU32,
    /// How many threads were asked for, and how many there are; 0 where nobody has said.
    requested: AtomicU32,
    size: AtomicU32,
    /// The word that an OMPT 5 tool keeps for the region.
    data: AtomicU64,
    /// Whether it is the implicit region of a target region, and which one.
    target: target::Target,
    /// The next unused record of the same thread.
    next: Link<Region>,
}

/// What a thread did when it met a parallel construct.
struct Before {
    now: AtomicU64,
    wait: AtomicU64,
    depth: AtomicUsize,
    task: Link<ImplicitTask>,
    /// The encountering task, and where on the stack it runs, if there is a `creator`.
    current: Link<Task>,
    task_stack: AtomicUsize,
}

#[allow(unsafe_code)]
// SAFETY: atomics and links only, for which zero is a value.
unsafe impl Zeroed for Region {}

/// Ids are dense and start at 1.
static LAST_ID: AtomicU64 = AtomicU64::new(0);

/// Whether a region is entered by a call that returns at its end (so that a frame stands for it), or by a pair of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One call: `GOMP_parallel`.
    Call,
    /// Two calls: `GOMP_parallel_start`, `GOMP_parallel_end`.
    Pair,
}

/// How a thread met a parallel construct.
#[derive(Clone, Copy, Debug, Default)]
pub struct Encounter {
    /// The call of the runtime; zeros where the host doesn't know.
    pub call: Call,
    /// The function that members execute; 0 where the host doesn't know.
    pub function: usize,
    /// How many threads are asked for; 0 where the host doesn't know.
    pub requested: u32,
}

impl Region {
    /// The region's id.
    #[inline]
    pub fn id(&self) -> u64 {
        self.id.owner()
    }

    /// The call that met the construct; zeros where the host doesn't know.
    #[inline]
    pub fn call(&self) -> Call {
        Call { return_address: self.return_address.load(Relaxed), frame: self.frame.load(Relaxed) }
    }

    /// Whether the host tells of calls.
    #[inline(always)]
    pub fn is_told(&self) -> bool {
        self.frame.load(Relaxed) != 0
    }

    /// The function that members execute.
    #[inline]
    pub fn function(&self) -> usize {
        self.function.load(Relaxed)
    }

    /// Counts a member that nobody has numbered.
    pub(crate) fn count_member(&self) -> u32 {
        self.members.fetch_add(1, Relaxed) + 1
    }

    /// How many threads were asked for; 0 where nobody has said. Async-signal-safe.
    pub fn requested(&self) -> u32 {
        self.requested.load(Relaxed)
    }

    /// How many threads the team has; 0 as long as nobody has said. Async-signal-safe.
    pub fn size(&self) -> u32 {
        self.size.load(Relaxed)
    }

    /// The team has so many threads.
    pub fn set_size(&self, size: u32) {
        self.size.store(size, Relaxed);
    }

    /// The word that an OMPT 5 tool keeps for the region.
    pub fn data(&self) -> &AtomicU64 {
        &self.data
    }

    /// The thread that met the region.
    pub(crate) fn primary(&self) -> Option<&'static Thread> {
        self.primary.get()
    }

    /// The id of the thread that met the region, or 0.
    pub fn primary_id(&self) -> u64 {
        self.primary().map_or(0, Thread::id)
    }

    /// The task that met the region, if members have implicit tasks by it.
    #[inline]
    pub(crate) fn encountering_task(&self) -> Option<&'static Task> {
        self.before.current.get()
    }

    /// The id of the region around it, or 0.
    #[inline]
    pub fn parent(&self) -> u64 {
        self.parent.load(Relaxed)
    }

    /// The region that its primary thread was in before.
    pub fn enclosing(&self) -> Option<&'static Region> {
        self.enclosing.get()
    }

    /// Whether `thread` is the one that encountered the region.
    #[inline]
    pub fn is_primary(&self, thread: &'static Thread) -> bool {
        self.primary.is(thread)
    }

    /// Whether the region with this id, which had this record, has not passed its last barrier yet.
    #[inline]
    pub(crate) fn is_open(&self, id: u64) -> bool {
        // Acquire: pairs with the stores in `end_region` and `abandon_region`, and where the record's next region begins.
        self.open.load(Acquire) == id
    }

    /// Whether the region was entered by a pair of calls.
    pub fn is_pair(&self) -> bool {
        self.stack.load(Relaxed) == usize::MAX
    }

    /// A word of the host's, with what an earlier region left in it.
    #[inline]
    pub fn word(&self, index: usize) -> &AtomicUsize {
        #[allow(clippy::indexing_slicing)] // the mask keeps it in bounds
        &self.host[index & (HOST_WORDS - 1)]
    }

    /// The id of the task that met the region, if members have implicit tasks by it; else 0.
    #[inline]
    pub(crate) fn creator(&self) -> u64 {
        self.creator.load(Relaxed)
    }

    #[inline]
    pub(crate) fn stack(&self) -> usize {
        self.stack.load(Relaxed)
    }
}

impl Thread {
    /// This, the calling thread, has met a parallel construct: the new region is current and the state is overhead.
    /// `None` when there is no memory: the region then goes unreported. [`begin_region`](Self::begin_region) is next.
    #[inline(always)]
    pub fn new_region(&'static self, form: Form, encounter: Encounter) -> Option<&'static Region> {
        self.drop_stale(stack_pointer());
        self.enter_runtime(encounter.call);
        let region = self.unused_region()?;
        // First of all the record is nobody's: a worker that tells late of the region before compares ids.
        region.id.end();
        let id = LAST_ID.fetch_add(1, Relaxed) + 1;
        self.note_before(region);
        region.stack.store(if form == Form::Call { stack_pointer() } else { usize::MAX }, Relaxed);
        region.creator.store(0, Relaxed);
        region.return_address.store(encounter.call.return_address, Relaxed);
        region.frame.store(encounter.call.frame, Relaxed);
        region.function.store(encounter.function, Relaxed);
        region.requested.store(encounter.requested, Relaxed);
        region.size.store(0, Relaxed);
        region.members.store(0, Relaxed);
        region.data.store(0, Relaxed);
        region.task.reset();
        self.set_task(&region.task);
        region.id.begin(id);
        // Release: pairs with the load in `is_open`; publishes the record's new contents.
        region.open.store(id, Release);
        if form == Form::Call {
            self.set_depth(region.stack());
        }
        self.push_region(region, id);
        Some(region)
    }

    /// Notes what the thread does before it enters a region.
    #[inline(always)]
    fn note_before(&'static self, region: &'static Region) {
        region.parent.store(self.region_id(), Relaxed);
        region.enclosing.set(self.region());
        region.before.now.store(self.now().bits(), Relaxed);
        region.before.wait.store(self.wait_id(), Relaxed);
        region.before.depth.store(self.depth(), Relaxed);
        region.before.task.set(Some(self.task()));
    }

    /// The primary thread executes an implicit task in the region that has begun. A host whose runtime tells of implicit
    /// tasks itself doesn't call this.
    #[inline(always)]
    pub fn start_implicit_task(&'static self, region: &'static Region) {
        let encountering = self.current_task().unwrap_or(&self.own_task().task);
        region.creator.store(encountering.id_on(self), Relaxed);
        region.before.task_stack.store(self.task_stack(), Relaxed);
        region.before.current.set(Some(encountering));
        region.task.task.renew(region.creator());
        if region.is_told() {
            region.task.task.renew_told(flag::IMPLICIT, Some(encountering));
        }
        self.set_task_stack(usize::MAX);
        self.set_current_task(Some(&region.task.task));
    }

    /// Raises the region's begin.
    #[inline]
    pub fn begin_region(&'static self, region: &'static Region) {
        self.set_telling(region.id());
        region.token.store(self.begin(Span::PARALLEL).bits(), Relaxed);
        self.set_telling(0);
    }

    /// The region is over on this, its primary thread: raises the end of the last barrier and the region's end, and gives
    /// the thread back what it had before.
    #[inline(never)]
    pub fn end_region(&'static self, region: &'static Region) {
        // Release: pairs with the load in `is_open`, of a thread that has not left the last barrier yet.
        region.open.store(0, Release);
        if region.is_told() {
            region.task.task.frame.clear();
            tls::set_call(region.call());
        }
        self.end_last_barrier();
        self.close_region(region);
        region.next.set(self.unused().get());
        self.unused().set(Some(region));
    }

    /// Makes the enclosing region current again, without a word to anybody. The record is not used again.
    #[inline]
    pub(crate) fn leave_region(&'static self, region: &'static Region) {
        self.set_task(region.before.task.get().unwrap_or(self.own_task()));
        self.set_depth(region.before.depth.load(Relaxed));
        self.set_wait_id(region.before.wait.load(Relaxed));
        self.set_now(Now::from_bits(region.before.now.load(Relaxed)));
        self.pop_region(region.enclosing.get());
    }

    /// Ends a region whose frame is gone.
    pub(crate) fn abandon_region(&'static self, region: &'static Region) {
        if region.target() != 0 {
            return self.leave_target(region);
        }
        // Release: pairs with the load in `is_open`, of a thread that has not left the last barrier yet.
        region.open.store(0, Release);
        if region.is_told() {
            region.task.task.frame.clear();
        }
        self.close_region(region);
    }

    /// Nothing is left but to tell of the ends. The task that met the region is current again.
    #[inline(always)]
    fn close_region(&'static self, region: &'static Region) {
        self.set_state(State::Overhead);
        self.end_implicit_task(&region.task);
        if region.creator() != 0 {
            self.set_current_task(region.encountering_task());
            self.set_task_stack(region.before.task_stack.load(Relaxed));
        }
        self.set_telling(region.id());
        self.end(Span::PARALLEL, Token::from_bits(region.token.load(Relaxed)));
        self.set_telling(0);
        self.leave_runtime(region.call());
        self.leave_region(region);
    }

    #[inline]
    fn unused_region(&'static self) -> Option<&'static Region> {
        let region = match self.unused().get() {
            Some(region) => region,
            None => self.more_regions()?,
        };
        self.unused().set(region.next.get());
        Some(region)
    }

    #[cold]
    fn more_regions(&'static self) -> Option<&'static Region> {
        for region in page::<Region>()? {
            region.primary.set(Some(self));
            region.next.set(self.unused().get());
            self.unused().set(Some(region));
        }
        self.unused().get()
    }
}

//! Record of a parallel region. `parallel.rs` has how a thread enters and leaves one, `target.rs` the same of target regions.

mod parallel;
mod target;

use crate::call::Call;
use crate::identity::Identity;
use crate::implicit_task::ImplicitTask;
use crate::task::Task;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::*};
use system::memory::{Generation, Link};

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
    primary: Link<Identity>,
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

system::zeroed!(Before { now, wait, depth, task, current, task_stack });

system::zeroed!(Region {
    host,
    id,
    open,
    parent,
    primary,
    task,
    creator,
    enclosing,
    before,
    stack,
    token,
    return_address,
    frame,
    function,
    members,
    requested,
    size,
    data,
    target,
    next
});

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
    pub(crate) fn primary(&self) -> Option<&'static Identity> {
        self.primary.get()
    }

    /// The id of the thread that met the region, or 0.
    pub fn primary_id(&self) -> u64 {
        self.primary().map_or(0, Identity::id)
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
    pub fn is_primary(&self, thread: &'static impl AsRef<Identity>) -> bool {
        self.primary.is(thread.as_ref())
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

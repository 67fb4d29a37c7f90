//! Record of a parallel region. The module `parallel` contains a thread's entry and exit; `target` and `league` contain those for target
//! regions and leagues.

mod league;
mod non_parallel;
mod parallel;
mod target;
mod unused;

pub(crate) use non_parallel::new_number;
pub use parallel::Regions;
pub use unused::UnusedRegions;

use crate::call_site::CallSite;
use crate::identity::Identity;
use crate::implicit_task::ImplicitTask;
use crate::packed_state::PackedState;
use crate::task::Task;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::*};
use system::memory::{Generation, Link};

/// The number of words that a region keeps for its runtime adapter.
pub const ADAPTER_WORDS: usize = 13;
/// The number of further such words that each member of the team reads.
pub const MEMBER_WORDS: usize = 3;

/// One parallel region, from the encounter of its construct to its end. Type-stable: the record may be read at any
/// time, and a late reader sees that `id` or `open` belongs to another region.
///
/// The fields up to `function` fill one cache line. The primary thread writes them, and each member reads them at its
/// start, so the line passes from processor to processor in every region.
#[repr(C, align(64))]
pub struct Region {
    /// Words of the runtime adapter that members read; the first one is at the record's address.
    member_words: [AtomicUsize; MEMBER_WORDS],
    id: Generation,
    /// The thread whose free list the record belongs to: only that thread enters regions with it.
    primary: Link<Identity>,
    /// The id of the task that encountered the region; 0 if the adapter reports implicit tasks itself, or not yet.
    creator: AtomicU64,
    /// Frame of the call that encountered the construct.
    frame: AtomicUsize,
    /// The function that members execute.
    function: AtomicUsize,
    /// Further words of the runtime adapter.
    words: [AtomicUsize; ADAPTER_WORDS],
    /// Return address of the call that encountered the construct.
    return_address: AtomicUsize,
    /// The region's id until its primary thread has passed the last barrier.
    open: AtomicU64,
    /// The primary thread's implicit task in this region.
    task: ImplicitTask,
    /// The region in which the primary thread was before this one. `before` has the rest of its state at that time.
    enclosing: Link<Region>,
    before: Before,
    /// Stack address of the frame in which the primary thread entered the region; `usize::MAX` if the region has no
    /// frame.
    stack: AtomicUsize,
    token: AtomicU64,
    /// The number of members that no adapter has numbered, not counting the primary thread.
    members: AtomicU32,
    /// The number of threads that were requested, and the team's size; 0 if it is not known.
    requested: AtomicU32,
    size: AtomicU32,
    /// The `ompt_data_t` word of an OMPT 5 tool for the region.
    data: AtomicU64,
    /// Its number if it is a target region or a league, and fields that only such a region needs.
    non_parallel: non_parallel::NonParallelRegion,
    /// The next unused record of the same thread.
    next: Link<Region>,
}

/// State of a thread when it encountered a parallel construct.
struct Before {
    now: AtomicU64,
    wait: AtomicU64,
    depth: AtomicUsize,
    task: Link<ImplicitTask>,
    /// The encountering task, and the stack address at which it runs, if there is a `creator`.
    current: Link<Task>,
    task_stack: AtomicUsize,
}

system::zeroed!(Before { now, wait, depth, task, current, task_stack });

#[cfg(not(loom))]
const _: () = assert!(std::mem::offset_of!(Region, words) == 64);

system::zeroed!(Region {
    member_words,
    words,
    id,
    open,
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
    non_parallel,
    next
});

/// Form of a region: one call that returns at its end (the region has a frame), or a pair of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One call: `GOMP_parallel`.
    Call,
    /// Two calls: `GOMP_parallel_start`, `GOMP_parallel_end`.
    Pair,
}

/// Encounter of a parallel construct by a thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Encounter {
    /// The call of the runtime; zeros if it is not known.
    pub call: CallSite,
    /// The address of the function that members execute; 0 if it is not known.
    pub function: usize,
    /// The number of threads that are requested; 0 if it is not known.
    pub requested: u32,
}

impl Region {
    /// The region's id.
    #[inline]
    pub fn id(&self) -> u64 {
        self.id.owner()
    }

    /// The call that encountered the construct; zeros if it is not known.
    #[inline]
    pub fn call(&self) -> CallSite {
        CallSite { return_address: self.return_address.load(Relaxed), frame: self.frame.load(Relaxed) }
    }

    /// True if the runtime adapter reports call sites.
    #[inline(always)]
    pub fn has_call_site(&self) -> bool {
        self.frame.load(Relaxed) != 0
    }

    /// The address of the function that members execute; 0 if it is not known.
    #[inline]
    pub fn function(&self) -> usize {
        self.function.load(Relaxed)
    }

    /// Counts a member that no adapter has numbered, and returns its number, from 1.
    pub(crate) fn count_member(&self) -> u32 {
        self.members.fetch_add(1, Relaxed) + 1
    }

    /// The number of threads that were requested; 0 if it is not known. Async-signal-safe.
    pub fn requested(&self) -> u32 {
        self.requested.load(Relaxed)
    }

    /// The number of threads in the team; 0 as long as it is not known. Async-signal-safe.
    pub fn size(&self) -> u32 {
        self.size.load(Relaxed)
    }

    /// Sets the number of threads in the team.
    pub fn set_size(&self, size: u32) {
        self.size.store(size, Relaxed);
    }

    /// The `ompt_data_t` word of an OMPT 5 tool for the region.
    pub fn data(&self) -> &AtomicU64 {
        &self.data
    }

    /// The thread that encountered the region.
    pub(crate) fn primary(&self) -> Option<&'static Identity> {
        self.primary.get()
    }

    /// The id of the thread that encountered the region, or 0.
    pub fn primary_id(&self) -> u64 {
        self.primary().map_or(0, Identity::id)
    }

    /// The task that encountered the region, if it is the parent of the members' implicit tasks.
    #[inline]
    pub(crate) fn encountering_task(&self) -> Option<&'static Task> {
        self.before.current.get()
    }

    /// The id of the enclosing region, or 0.
    #[inline]
    pub fn parent(&self) -> u64 {
        PackedState::from_bits(self.before.now.load(Relaxed)).region()
    }

    /// The region that its primary thread was in before.
    pub fn enclosing(&self) -> Option<&'static Region> {
        self.enclosing.get()
    }

    /// True if `thread` is the one that encountered the region.
    #[inline]
    pub fn is_primary(&self, thread: &'static impl AsRef<Identity>) -> bool {
        self.primary.is(thread.as_ref())
    }

    /// True if the region with this id, which had this record, has not passed its last barrier yet.
    #[inline]
    pub(crate) fn is_open(&self, id: u64) -> bool {
        // Acquire: pairs with the stores in `Regions::end` and `Regions::abandon`, and with the store when the record's
        // next region begins.
        self.open.load(Acquire) == id
    }

    /// True if the region was entered by a pair of calls.
    pub fn is_pair(&self) -> bool {
        self.stack.load(Relaxed) == usize::MAX
    }

    /// The words of the runtime adapter that each member reads, with the values that an earlier region left in them. The
    /// first one is the region's first word. An adapter names all of its words in one place, by patterns.
    #[inline(always)]
    pub fn member_words(&self) -> &[AtomicUsize; MEMBER_WORDS] {
        &self.member_words
    }

    /// Further words of the runtime adapter, with the values that an earlier region left in them.
    #[inline(always)]
    pub fn words(&self) -> &[AtomicUsize; ADAPTER_WORDS] {
        &self.words
    }

    /// The id of the task that encountered the region, if it is the parent of the members' implicit tasks; otherwise 0.
    #[inline]
    pub(crate) fn creator(&self) -> u64 {
        self.creator.load(Relaxed)
    }

    #[inline]
    pub(crate) fn stack(&self) -> usize {
        self.stack.load(Relaxed)
    }
}

//! Threads: the record that each thread has once ora has seen it. How it gets and loses that is in `registry.rs`.

mod ids;
mod lifetime;
mod membership;
mod registry;
mod runtime_call;

pub use registry::{after_fork, end, here, here_as_worker, set_up};
pub(crate) use registry::{another_calls_back, is_initial};

use crate::contention::Mutexes;
use crate::errno;
use crate::graph::Graph;
use crate::identity::Identity;
use crate::implicit_task::ImplicitTask;
use crate::interface::{FACES, Face};
use crate::now::Now;
use crate::region::Region;
use crate::state::State;
use crate::task::{Ids, Task};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering::*};
use system::memory::Link;

/// How many words a thread keeps for its hosts: the first half for a runtime's, the other one for that of instrumented code, which
/// may run beside it.
pub const HOST_WORDS: usize = 32;

/// What is known of one thread. Written by that thread alone; its own signal handlers may read it between any two writes.
#[repr(C, align(64))]
pub struct Thread {
    /// First: its address is the record's.
    identity: Identity,
    /// A [`Now`].
    now: AtomicU64,
    /// What the thread waits for; written before the state says so.
    wait: AtomicU64,
    region: Link<Region>,
    /// Stack address of the innermost frame that a region or wait was entered in; `usize::MAX` for none.
    depth: AtomicUsize,
    /// The implicit task that the thread executes.
    task: Link<ImplicitTask>,
    /// The task that the thread executes, where its host tracks tasks.
    current_task: Link<Task>,
    /// Stack address of the frame that executes it, if it is an explicit task; else `usize::MAX`.
    task_stack: AtomicUsize,
    task_ids: Ids,
    /// What the host keeps of the creation that the thread is in.
    creating: AtomicUsize,
    /// Token of the wait that the thread is in, for the case that nobody ends it.
    wait_token: AtomicU64,
    /// Token of the worker's idle span.
    pub(crate) idle: AtomicU64,
    /// For each interface: the stack address below which the thread is inside a callback, or 0.
    pins: [AtomicUsize; FACES],
    /// Where the C library keeps the thread's errno.
    errno: errno::Place,
    /// The implicit task that it executes where it is no primary thread.
    own_task: ImplicitTask,
    /// The host's own; another thread's that the record served before may be in them.
    host: [AtomicU64; HOST_WORDS],
    used: AtomicBool,
    /// Shares of loops that the host has handed out to the thread; also to earlier threads of the record.
    chunks: AtomicU64,
    /// Whether the thread's begin has been told, and its end not yet.
    announced: AtomicBool,
    /// The place that it is bound to, or -1; the first place of its partition and, << 32, how many there are.
    place: AtomicI32,
    partition: AtomicU64,
    /// The region whose begin or end is being told: the thread's task is not in it yet, or any more.
    telling: AtomicU64,
    /// The function that the initial task executes for a team of a league, or 0.
    team_function: AtomicUsize,
    /// A worker's frame in which it waits for its next region; 0 where nobody has said.
    idle_frame: AtomicUsize,
    /// The outlined function of the region that a worker has entered last: the region's record may serve another one before the worker
    /// has reported its way out.
    entered_function: AtomicUsize,
    mutexes: Mutexes,
    /// What its host says of its number in the next team; 0: nothing.
    expected: AtomicU64,
    unused_regions: Link<Region>,
    /// The tasks with dependences that the thread has created, if somebody asked; also those of earlier threads of the record.
    siblings: Link<Graph>,
    next: Link<Thread>,
}

system::zeroed!(Thread {
    identity,
    now,
    wait,
    region,
    depth,
    task,
    current_task,
    task_stack,
    task_ids,
    creating,
    wait_token,
    idle,
    pins,
    errno,
    own_task,
    host,
    used,
    announced,
    place,
    partition,
    telling,
    team_function,
    idle_frame,
    entered_function,
    mutexes,
    expected,
    unused_regions,
    siblings,
    chunks,
    next
});

impl AsRef<Identity> for Thread {
    #[inline(always)]
    fn as_ref(&self) -> &Identity {
        &self.identity
    }
}

impl Thread {
    /// The thread has got a share of a loop. One instruction: nobody is told.
    #[inline(always)]
    pub fn count_chunk(&self) {
        self.chunks.store(self.chunks.load(Relaxed).wrapping_add(1), Relaxed);
    }

    /// The number of these shares. The record stays where it is as long as the process lives.
    pub fn chunks(&self) -> &AtomicU64 {
        &self.chunks
    }

    /// The part of the record that others point to.
    #[inline(always)]
    pub(crate) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The thread's id: from 1, the lowest that no other living thread had when it began. Async-signal-safe.
    pub fn id(&self) -> u64 {
        self.identity.id()
    }

    /// The innermost region that the thread has entered.
    #[inline]
    pub fn region(&self) -> Option<&'static Region> {
        self.region.get()
    }

    /// That region's id, or 0. For the thread itself; queries use [`crate::query`].
    #[inline]
    pub(crate) fn region_id(&self) -> u64 {
        self.own_now().region()
    }

    /// What the thread does, and in which region.
    #[inline]
    pub(crate) fn now(&self) -> Now {
        // Acquire: pairs with the store in `set_now`; the wait id that was written before is seen.
        Now::from_bits(self.now.load(Acquire))
    }

    #[inline]
    pub(crate) fn set_now(&self, now: Now) {
        // Release: pairs with the load in `now`; publishes the wait id, also to a handler on this thread.
        self.now.store(now.bits(), Release);
    }

    /// As [`now`](Self::now), for the thread itself.
    #[inline(always)]
    fn own_now(&self) -> Now {
        Now::from_bits(self.now.load(Relaxed))
    }

    /// Whether the thread is known to be outside of all regions.
    #[inline(always)]
    pub(crate) fn is_outside(&self) -> bool {
        self.own_now().is_serial()
    }

    /// Another state in the same region; states that wait have their wait id written before.
    #[inline]
    pub(crate) fn set_state(&self, state: State) {
        self.set_now(self.own_now().in_state(state));
    }

    pub(crate) fn set_unseen(&self) {
        self.set_now(self.own_now().unseen());
    }

    pub(crate) fn set_leaving(&self) {
        self.set_now(self.own_now().leaving());
    }

    #[inline]
    pub(crate) fn wait_id(&self) -> u64 {
        // Acquire: pairs with the stores in `set_waiting` and `set_wait_id`; read after `now`.
        self.wait.load(Acquire)
    }

    /// The thread waits. A handler that comes between the writes sees what was before, or overhead, never another wait's id.
    #[inline]
    pub(crate) fn set_waiting(&self, state: State, wait: u64) {
        if self.own_now().state().waits() {
            self.set_state(State::Overhead);
        }
        // Release: pairs with the load in `wait_id`; a handler on this thread does not see it before the state above.
        self.wait.store(wait, Release);
        self.set_state(state);
    }

    #[inline]
    pub(crate) fn set_wait_id(&self, wait: u64) {
        // Release: pairs with the load in `wait_id`.
        self.wait.store(wait, Release);
    }

    #[inline]
    pub(crate) fn wait_token(&self) -> &AtomicU64 {
        &self.wait_token
    }

    #[inline]
    pub(crate) fn depth(&self) -> usize {
        self.depth.load(Relaxed)
    }

    /// Whether the thread's innermost frame that is known, of a region or wait or creation, has this stack address.
    #[inline(always)]
    pub fn is_at(&self, stack: usize) -> bool {
        self.depth() == stack
    }

    #[inline]
    pub(crate) fn set_depth(&self, depth: usize) {
        self.depth.store(depth, Relaxed);
    }

    #[inline]
    pub(crate) fn task(&'static self) -> &'static ImplicitTask {
        self.task.get().unwrap_or(&self.own_task)
    }

    pub(crate) fn own_task(&'static self) -> &'static ImplicitTask {
        &self.own_task
    }

    #[inline]
    pub(crate) fn set_task(&self, task: &'static ImplicitTask) {
        self.task.set(Some(task));
    }

    #[inline(always)]
    pub(crate) fn errno(&self) -> &errno::Place {
        &self.errno
    }

    #[inline(always)]
    pub(crate) fn pins(&self) -> &[AtomicUsize; FACES] {
        &self.pins
    }

    /// The reader pin of an interface: as long as it is set, the interface's tool stays. It is the stack address of the frame that calls
    /// back, or 0.
    #[inline(always)]
    pub(crate) fn pin(&self, face: Face) -> &AtomicUsize {
        let [ora, tr2, v5] = &self.pins;
        match face {
            Face::Ora => ora,
            Face::Tr2 => tr2,
            Face::V5 => v5,
        }
    }

    /// The task that this, the calling thread, executes, where its host tracks tasks.
    #[inline(always)]
    pub fn current_task(&self) -> Option<&'static Task> {
        self.current_task.get()
    }

    #[inline]
    pub(crate) fn set_current_task(&self, task: Option<&'static Task>) {
        self.current_task.set(task);
    }

    #[inline]
    pub(crate) fn task_stack(&self) -> usize {
        self.task_stack.load(Relaxed)
    }

    #[inline]
    pub(crate) fn set_task_stack(&self, stack: usize) {
        self.task_stack.store(stack, Relaxed);
    }

    /// The ids that the thread gives to tasks.
    #[inline(always)]
    pub(crate) fn task_ids(&self) -> &Ids {
        &self.task_ids
    }

    /// The id of a task that this, the calling thread, executes. Async-signal-safe.
    #[inline(always)]
    pub(crate) fn id_of(&self, task: &Task) -> u64 {
        task.id_by(&self.task_ids)
    }

    /// A word of the host's: what it keeps of the creation of a task that this, the calling thread, is in; 0 for none, also
    /// after an exception or longjmp out of it.
    #[inline]
    pub fn creating(&self) -> &AtomicUsize {
        &self.creating
    }

    /// The tasks with dependences that the thread has created.
    pub(crate) fn siblings(&self) -> &Link<Graph> {
        &self.siblings
    }

    /// A word of the host's, with what it, or an earlier thread of the same record, has left in it.
    #[inline(always)]
    pub fn word(&self, index: usize) -> &AtomicU64 {
        #[allow(clippy::indexing_slicing)] // the mask keeps it in bounds
        &self.host[index & (HOST_WORDS - 1)]
    }

    /// The address of a frame for what begins in one callback and ends in another, so that no frame stands for it: just inside of
    /// the innermost frame that is known, and gone when that is.
    #[inline(always)]
    pub fn no_frame(&self) -> usize {
        self.depth().wrapping_sub(1)
    }

    /// The mutexes that the thread wants and holds.
    #[inline(always)]
    pub fn mutexes(&self) -> &Mutexes {
        &self.mutexes
    }

    pub(crate) fn unused(&self) -> &Link<Region> {
        &self.unused_regions
    }

    /// The region is current from now on, and the state is overhead.
    #[inline]
    pub(crate) fn push_region(&self, region: &'static Region, id: u64) {
        self.region.set(Some(region));
        self.set_now(Now::new(id, State::Overhead));
    }

    /// After the word of the enclosing region has been written.
    #[inline]
    pub(crate) fn pop_region(&self, enclosing: Option<&'static Region>) {
        self.region.set(enclosing);
    }

    /// Tells of the end of this, the calling thread, which is a worker in the pool and executes nothing any more.
    pub fn retire_worker(&'static self) {
        self.leave_last_barrier();
        self.retire();
    }

    /// The last region that the thread was the primary thread of, which is over.
    pub fn last_region(&self) -> Option<&'static Region> {
        self.unused_regions.get()
    }
}

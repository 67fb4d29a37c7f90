//! Record of a thread, which each thread has once ora has seen it. The module `registry` assigns it and takes it back.

mod ids;
mod lifetime;
mod membership;
mod published;
mod registry;
mod runtime_call;

pub use published::Published;
pub use registry::{after_fork, end, here, here_as_worker, set_up};
pub(crate) use registry::{another_calls_back, is_initial};

use crate::answer::Answers;
use crate::callback_pin::CallbackPin;
use crate::contention::Mutexes;
use crate::device::TargetConstruct;
use crate::errno;
use crate::graph::Graph;
use crate::identity::Identity;
use crate::implicit_task::ImplicitTask;
use crate::interface::{INTERFACES, Interface};
use crate::packed_state::PackedState;
use crate::region::Region;
use crate::state::State;
use crate::task::{Ids, Task};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering::*};
use system::memory::Link;

/// The number of words that a thread keeps for each of two adapters.
pub const ADAPTER_WORDS: usize = 16;

/// Model of one thread. Written by that thread alone; its own signal handlers may read it between any two writes.
#[repr(C, align(64))]
pub struct Thread {
    /// The first field, so that its address is the record's.
    identity: Identity,
    published: Published,
    /// The id of the current wait; written before the state that waits.
    wait: AtomicU64,
    region: Link<Region>,
    /// Stack address of the innermost frame that a region or wait was entered in; `usize::MAX` for none.
    depth: AtomicUsize,
    /// The implicit task that the thread executes.
    task: Link<ImplicitTask>,
    /// The task that the thread executes, where its adapter tracks tasks.
    current_task: Link<Task>,
    /// Stack address of the frame that executes that task, if it is an explicit one; else `usize::MAX`.
    task_stack: AtomicUsize,
    task_ids: Ids,
    /// Word of the adapter for the task creation that the thread is in.
    creating: AtomicUsize,
    /// Subscription of its collector to tasks that run at once.
    pub(crate) answers: Answers,
    /// Token of the wait that the thread is in, for the case that no adapter ends it.
    wait_token: AtomicU64,
    /// Token of the worker's idle span.
    pub(crate) idle: AtomicU64,
    /// For each interface: set while the thread is inside a callback.
    pins: [CallbackPin; INTERFACES],
    /// The address of the thread's errno.
    errno: errno::Place,
    /// The implicit task that the thread executes where it is no primary thread.
    own_task: ImplicitTask,
    /// Words of the runtime's adapter, and of the one for instrumented code, which may run beside it. They may hold values
    /// of an earlier thread of the record.
    words: [AtomicU64; ADAPTER_WORDS],
    instrumentation_words: [AtomicU64; ADAPTER_WORDS],
    used: AtomicBool,
    /// True while the thread's begin has been reported, and its end not yet.
    announced: AtomicBool,
    /// The place that the thread is bound to, or -1. The first place of its partition and, << 32, the partition's size.
    place: AtomicI32,
    partition: AtomicU64,
    /// The region whose begin or end is being reported: the thread's task is outside of it at that time.
    reporting: AtomicU64,
    /// The target construct that the thread executes.
    pub(crate) target: TargetConstruct,
    /// A worker's frame in which it waits for its next region; 0 where it is not known.
    idle_frame: AtomicUsize,
    /// The outlined function of the region that a worker has entered last: the region's record may serve another one
    /// before the worker has reported its way out.
    entered_function: AtomicUsize,
    mutexes: Mutexes,
    /// The number that its adapter has announced for the next team; 0: none.
    expected: AtomicU64,
    unused_regions: Link<Region>,
    /// The tasks with dependences that the thread has created, if a tool is subscribed; also those of earlier threads
    /// of the record.
    siblings: Link<Graph>,
    next: Link<Thread>,
}

system::zeroed!(Thread {
    identity,
    published,
    wait,
    region,
    depth,
    task,
    current_task,
    task_stack,
    task_ids,
    creating,
    answers,
    wait_token,
    idle,
    pins,
    errno,
    own_task,
    words,
    instrumentation_words,
    used,
    announced,
    place,
    partition,
    reporting,
    target,
    idle_frame,
    entered_function,
    mutexes,
    expected,
    unused_regions,
    siblings,
    next
});

impl AsRef<Identity> for Thread {
    #[inline(always)]
    fn as_ref(&self) -> &Identity {
        &self.identity
    }
}

impl Thread {
    /// Counts a share of a loop. One instruction; nothing is reported.
    #[inline(always)]
    pub fn count_chunk(&self) {
        self.published.count_chunk();
    }

    /// The words that collectors may read. The address is valid for as long as the process lives.
    pub fn published(&self) -> &Published {
        &self.published
    }

    /// The part of the record that other records link to.
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

    /// The id of the innermost region, or 0. For the thread itself; queries use [`crate::query`].
    #[inline]
    pub(crate) fn region_id(&self) -> u64 {
        self.own_now().region()
    }

    /// The thread's packed state.
    #[inline]
    pub(crate) fn now(&self) -> PackedState {
        self.published.now()
    }

    #[inline]
    pub(crate) fn set_now(&self, now: PackedState) {
        self.published.set_now(now);
    }

    /// [`now`](Self::now) for the thread itself.
    #[inline(always)]
    fn own_now(&self) -> PackedState {
        self.published.own_now()
    }

    /// True if the thread is known to be outside of all regions.
    #[inline(always)]
    pub(crate) fn is_outside(&self) -> bool {
        self.own_now().is_serial()
    }

    /// Sets another state in the same region. For states that wait, the wait id has to be written before.
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

    /// Sets a state that waits. A handler that comes between the writes sees the state before, or overhead, never
    /// another wait's id.
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

    /// True if the thread's innermost known frame, of a region or wait or creation, has this stack address.
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
    pub(crate) fn pins(&self) -> &[CallbackPin; INTERFACES] {
        &self.pins
    }

    /// The reader pin of an interface: while it is set, the interface's tool stays.
    #[inline(always)]
    pub(crate) fn pin(&self, interface: Interface) -> &CallbackPin {
        let [ora, tr2, v5] = &self.pins;
        match interface {
            Interface::Ora => ora,
            Interface::Tr2 => tr2,
            Interface::V5 => v5,
        }
    }

    /// The task that this, the calling thread, executes, where its adapter tracks tasks.
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

    /// A word of the adapter for the creation of a task that this, the calling thread, is in; 0 for none, also after an
    /// exception or longjmp out of it.
    #[inline]
    pub fn creating(&self) -> &AtomicUsize {
        &self.creating
    }

    /// The tasks with dependences that the thread has created.
    pub(crate) fn siblings(&self) -> &Link<Graph> {
        &self.siblings
    }

    /// The words of the runtime's adapter, with the values that it, or an earlier thread of the same record, has left in
    /// them. The adapter names all of them in one place, by a pattern.
    #[inline(always)]
    pub fn words(&self) -> &[AtomicU64; ADAPTER_WORDS] {
        &self.words
    }

    /// The words of the adapter for instrumented code, as [`Self::words`].
    #[inline(always)]
    pub fn instrumentation_words(&self) -> &[AtomicU64; ADAPTER_WORDS] {
        &self.instrumentation_words
    }

    /// The address of a frame for a construct that begins in one callback and ends in another, so that no frame stands
    /// for it: just inside of the innermost known frame, and gone when that is.
    #[inline(always)]
    pub fn no_frame(&self) -> usize {
        self.depth().wrapping_sub(1)
    }

    /// The mutexes that the thread requests and holds.
    #[inline(always)]
    pub fn mutexes(&self) -> &Mutexes {
        &self.mutexes
    }

    pub(crate) fn unused(&self) -> &Link<Region> {
        &self.unused_regions
    }

    /// Makes the region current, with the state overhead.
    #[inline]
    pub(crate) fn push_region(&self, region: &'static Region, id: u64) {
        self.region.set(Some(region));
        self.set_now(PackedState::new(id, State::Overhead));
    }

    /// Makes the enclosing region current, after the packed state of that region has been written.
    #[inline]
    pub(crate) fn pop_region(&self, enclosing: Option<&'static Region>) {
        self.region.set(enclosing);
    }

    /// Reports the end of this, the calling thread, which is a worker in the thread pool and executes nothing any more.
    pub fn retire_worker(&'static self) {
        self.leave_last_barrier();
        self.retire();
    }

    /// The last region that the thread was the primary thread of, which is over.
    pub fn last_region(&self) -> Option<&'static Region> {
        self.unused_regions.get()
    }
}

//! Record of a thread, which each thread has once ora has seen it. The module `registry` assigns and reclaims it.
//!
//! The record consists of parts. Each part reads and writes only its own fields, and has the transitions that concern
//! no other part. Transitions that raise events concern several parts: they are methods of [waits](Thread::waits),
//! [tasks](Thread::tasks), [regions](Thread::regions) and others, in modules with these names.

mod activity;
mod adapter_fields;
mod binding;
mod callback_context;
mod current;
mod ids;
mod lifetime;
mod open_spans;
mod published;
mod registry;
mod reporting;

pub use activity::Activity;
pub use adapter_fields::{ADAPTER_WORDS, AdapterFields};
pub use binding::Binding;
pub use current::Current;
pub use ids::reuse as reuse_ids;
pub use published::Published;
pub use registry::{after_fork, end, here, here_as_worker, set_up};
pub(crate) use registry::{another_calls_back, is_initial};
pub use reporting::Reporting;

use crate::answer::Answers;
use crate::contention::Mutexes;
use crate::device::TargetConstruct;
use crate::graph::Graph;
use crate::identity::Identity;
use crate::implicit_task::ImplicitTask;
use crate::region::UnusedRegions;
use crate::task::Ids;
use callback_context::CallbackContext;
use lifetime::Announced;
use open_spans::OpenSpans;
use registry::Entry;
use system::memory::Link;

/// Model of one thread. Written by that thread alone; its own signal handlers may read it between any two writes.
#[repr(C, align(64))]
pub struct Thread {
    /// The part that other records link to. It is the first field, so its address is the record's.
    pub identity: Identity,
    /// The thread's current activity.
    pub activity: Activity,
    /// The ids that the thread gives to tasks.
    pub(crate) task_ids: Ids,
    /// The region and the task that the thread executes.
    pub current: Current,
    /// The answers of the thread's collector about tasks that run immediately (undeferred).
    pub(crate) answers: Answers,
    pub(crate) open_spans: OpenSpans,
    /// Pins and errno, for use around callbacks.
    pub(crate) callback: CallbackContext,
    /// The implicit task that the thread executes if it is not a primary thread.
    own_task: ImplicitTask,
    /// Words and frames that adapters keep.
    pub adapter: AdapterFields,
    announced: Announced,
    /// The places that the thread is bound to.
    pub binding: Binding,
    /// The region whose start or end the thread reports.
    pub(crate) reporting: Reporting,
    /// The target construct that the thread executes.
    pub(crate) target: TargetConstruct,
    /// The mutexes that the thread requests and holds.
    pub mutexes: Mutexes,
    /// Records for the thread's next regions.
    pub unused_regions: UnusedRegions,
    /// The tasks with dependences that the thread has created, if a tool is subscribed; also those of earlier threads
    /// with this record.
    pub(crate) siblings: Link<Graph>,
    entry: Entry,
}

system::zeroed!(Thread {
    identity,
    activity,
    task_ids,
    current,
    answers,
    open_spans,
    callback,
    own_task,
    adapter,
    announced,
    binding,
    reporting,
    target,
    mutexes,
    unused_regions,
    siblings,
    entry
});

impl AsRef<Identity> for Thread {
    #[inline(always)]
    fn as_ref(&self) -> &Identity {
        &self.identity
    }
}

impl Thread {
    /// The thread's id: from 1, the lowest that no other living thread had when it began. Async-signal-safe.
    pub fn id(&self) -> u64 {
        self.identity.id()
    }

    /// The implicit task that the thread executes.
    #[inline]
    pub(crate) fn task(&'static self) -> &'static ImplicitTask {
        self.current.implicit_task().unwrap_or(&self.own_task)
    }

    pub(crate) fn own_task(&'static self) -> &'static ImplicitTask {
        &self.own_task
    }
}

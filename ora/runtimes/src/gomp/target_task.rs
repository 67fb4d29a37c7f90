//! Target tasks (OpenMP 5.0, 2.12.5), for tools of OMPT: those of deferred constructs, and of constructs with dependences. libgomp
//! executes all other constructs as parts of the encountering tasks, which corresponds to merged target tasks.

use super::call_data::Dependences;
use super::depend;
use super::task::in_final;
use super::task_record::complete;
use ompt_core::device::TargetTask;
use ompt_core::dispatch::Token;
use ompt_core::graph::Deferral;
use ompt_core::packed_state::PackedState;
use ompt_core::task::Task;
use ompt_core::task::flag::{EXPLICIT, FINAL, TARGET, UNDEFERRED};
use ompt_core::thread::Thread;
use ompt_core::tls::CallSite;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::*};
use system::arch::stack_pointer;
use system::memory::tagged_word;

/// Properties of a target task that its construct specifies.
#[derive(Clone, Copy)]
pub(super) struct Clauses<'call> {
    pub(super) nowait: bool,
    pub(super) depend: Option<Dependences<'call>>,
    /// The outlined function; 0 for a construct without one.
    pub(super) function: usize,
}

impl Clauses<'_> {
    /// Clauses of a construct without `nowait`, dependences and function.
    pub(super) const NONE: Self = Self { nowait: false, depend: None, function: 0 };
}

/// The target task of a region that the host device executes later. It lives from its creation until its region is over.
pub(super) struct Deferred {
    task: Task,
    /// The tool's word of the encountering task at the creation, and where that word is as long as the target task.
    encountering: AtomicU64,
    lasting: Option<&'static AtomicU64>,
    /// Action at the task's completion (see [`Record::end`](super::task_record::Record)).
    end: AtomicUsize,
}

/// The state of a thread before it began a target task.
pub(super) struct Before {
    task: Option<&'static Task>,
    now: PackedState,
    notified: Token,
}

impl Deferred {
    /// The record of a new task, which the thread is about to create.
    pub(super) fn new(thread: &'static Thread) -> Self {
        // Implicit tasks' records stay, and all their target tasks are complete before the region ends.
        let creator = thread.current.task().filter(|task| task.flags() & (EXPLICIT | TARGET) == 0);
        let lasting = creator.map(Task::data);
        Self { task: new(thread, true), encountering: AtomicU64::new(0), lasting, end: AtomicUsize::new(0) }
    }

    /// Reports the creation, with the record at its place.
    pub(super) fn create(&'static self, thread: &'static Thread, clauses: Clauses<'_>) {
        let creator = thread.current.task();
        let end = report(thread, &self.task, clauses, Some(Deferral::Deferred(0)));
        self.encountering.store(creator.map_or(0, |task| task.data().load(Relaxed)), Relaxed);
        // Release: pairs with the load in `begin`. So does libgomp's queue, by a lock that ThreadSanitizer doesn't see.
        self.end.store(end, Release);
    }

    /// Begins the task on this, the calling thread, in the frame from which libgomp calls the region.
    pub(super) fn begin(&'static self, thread: &'static Thread, frame: usize) -> (TargetTask, Before) {
        // Acquire: pairs with the store in `create`.
        self.end.load(Acquire);
        let before = enter(thread, &self.task, frame);
        let encountering = self.lasting.unwrap_or(&self.encountering);
        (TargetTask { own: self.task.data(), encountering }, before)
    }

    /// Ends the task that [`begin`](Self::begin) began. The record is not used afterwards.
    pub(super) fn end(&self, thread: &'static Thread, before: Before) {
        leave(thread, before);
        complete(self.end.load(Relaxed));
    }
}

/// The record of a new target task.
pub(super) fn new(thread: &'static Thread, nowait: bool) -> Task {
    let task = thread.tasks().new_task();
    task.set_flags(flags_of(thread, nowait));
    task
}

/// A target task that is over when the call of its construct returns.
pub(super) struct Included {
    task: &'static Task,
    encountering: &'static AtomicU64,
    before: Before,
}

/// Reports the creation of such a task, and begins it. `None` if the thread has no current task.
pub(super) fn begin_included(thread: &'static Thread, task: &'static Task, clauses: Clauses<'_>) -> Option<Included> {
    let encountering = thread.current.task().map(Task::data)?;
    let creation = thread.tasks().begin_unreported_creation(stack_pointer());
    report(thread, task, clauses, None);
    thread.tasks().end_unreported_creation(creation);
    let before = enter(thread, task, stack_pointer());
    thread.activity.resume(before.now);
    Some(Included { task, encountering, before })
}

impl Included {
    /// The words of a tool.
    pub(super) fn words(&self) -> TargetTask {
        TargetTask { own: self.task.data(), encountering: self.encountering }
    }

    /// Ends the task, whose record is not used afterwards.
    pub(super) fn end(self, thread: &'static Thread) -> &'static Task {
        leave(thread, self.before);
        self.task
    }
}

/// Flags of a target task (`ompt_task_flag_t`).
fn flags_of(thread: &Thread, nowait: bool) -> u32 {
    let is_final = in_final(thread);
    TARGET | if is_final { FINAL } else { 0 } | if nowait && !is_final { 0 } else { UNDEFERRED }
}

/// Reports a new target task and its dependences. Returns what is to be done at its end.
#[inline(never)]
fn report(thread: &'static Thread, task: &'static Task, clauses: Clauses<'_>, deferral: Option<Deferral>) -> usize {
    thread.tasks().report_new(task, clauses.function, clauses.depend.is_some());
    let Some(depend) = clauses.depend.filter(|_| depend::is_subscribed()) else { return 0 };
    depend::report(thread, task, depend, deferral).map_or(0, tagged_word)
}

#[inline(never)]
fn enter(thread: &'static Thread, task: &'static Task, frame: usize) -> Before {
    let (before, now, notified) = thread.tasks().enter(task, frame);
    // No code of the program is between: the task is in the runtime throughout.
    thread.current.enter_runtime(CallSite { return_address: 0, frame });
    Before { task: before, now, notified }
}

#[inline(never)]
fn leave(thread: &'static Thread, before: Before) {
    thread.tasks().leave(before.task, before.now, before.notified);
}

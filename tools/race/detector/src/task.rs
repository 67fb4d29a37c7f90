//! Tasks: the order of a task with its creator, its siblings and those that wait for it.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::*};

use ompt_tool::{DependenceKind, Pool};
use system::memory::Link;

use crate::call_stack::{self, CALLERS};
use crate::clock::Clock;
use crate::dependences::{self, Dependence, Variables};
use crate::facts::Creations;
use crate::fiber::Fiber;
use crate::group::Group;
use crate::region::Region;
use crate::sanitizer::Context;
use crate::share::Share;

/// A task: explicit, implicit or initial.
#[derive(Debug, Default)]
pub(crate) struct Task {
    /// Set by the creator.
    created: Clock,
    /// Set where the first child is created, and joined by each at its end.
    children: Clock,
    /// The task that created it; for an implicit task, the one that the thread executed before.
    pub(crate) parent: Link<Task>,
    /// The implicit or initial task around it, at whose barrier it has to be complete.
    implicit: Link<Task>,
    /// Innermost taskgroup that it executes in.
    group: Link<Group>,
    /// Group that it was created in.
    member_of: Link<Group>,
    /// Region of an implicit task.
    pub(crate) region: Link<Region>,
    /// League of an initial task.
    pub(crate) league: Link<Region>,
    /// Number of barriers that an implicit task has left.
    barriers: AtomicUsize,
    dependences: Link<Dependence>,
    variables: Link<Variables>,
    /// ThreadSanitizer's context that executes it; 0 before it starts.
    pub(crate) context: AtomicUsize,
    /// An implicit task's context outside chunks.
    pub(crate) own_context: AtomicUsize,
    /// The work-sharing construct that an implicit task is in.
    pub(crate) share: Share,
    /// Its calls that create tasks.
    pub(crate) creations: Creations,
    /// The task of a `taskwait` with dependences that it is in.
    pub(crate) pending_taskwait: Link<Task>,
    /// Its own fiber, if it has one.
    pub(crate) fiber: Link<Fiber>,
    /// Number of users: the task itself, until it is complete, and each child that uses it.
    users: AtomicU32,
    /// Number in the process.
    pub(crate) id: AtomicU64,
    /// See [`flag`].
    flags: AtomicU32,
    /// Return address of the call that created it.
    pub(crate) codeptr: AtomicUsize,
    /// The functions that called the one that created it, the innermost first.
    pub(crate) callers: [AtomicUsize; CALLERS],
    /// End of its context's call stack when it started, if that is not a fiber's; 0 if unknown.
    pub(crate) bottom: AtomicUsize,
    /// A context that it executes in, and the first address of that context's call stack as far as known; 0 if unknown.
    pub(crate) stack: [AtomicUsize; 2],
    /// The compiler's function for its body; 0 if unknown.
    pub(crate) function: AtomicUsize,
    /// The creator's block of arguments and its size, while the task runs inside the call that creates it.
    pub(crate) block: [AtomicUsize; 2],
    /// First address above the task's part of the stack.
    pub(crate) base: AtomicUsize,
    /// Number in its team of the thread that executes it.
    pub(crate) thread_num: AtomicU32,
}

/// Properties of a task.
pub(crate) mod flag {
    /// Its creator waits for it according to the standard: an `if` clause that is false, or a final creator.
    pub(crate) const INCLUDED: u32 = 1;
    /// Final: its children are included.
    pub(crate) const FINAL: u32 = 2;
    /// A chunk of a taskloop.
    pub(crate) const TASKLOOP: u32 = 4;
    /// Explicit.
    pub(crate) const EXPLICIT: u32 = 8;
    /// Represents a taskwait with dependences.
    pub(crate) const TASKWAIT: u32 = 16;
    /// Implicit, and has asked for its thread's number.
    pub(crate) const BY_NUMBER: u32 = 32;
    /// Has had a child.
    pub(crate) const PARENT: u32 = 64;
    /// LLVM's runtime will combine the task reductions of all threads at the end of the current taskgroup, in the last thread.
    pub(crate) const WILL_COMBINE: u32 = 128;
    /// It may combine them now, so the accesses are ignored.
    pub(crate) const COMBINES: u32 = 256;
}

static TASKS: Pool<Task> = Pool::new();
static BEGUN: AtomicU64 = AtomicU64::new(0);

impl Task {
    fn taken(flags: u32) -> &'static Self {
        let task = TASKS.take(Self::default);
        task.users.store(1, Relaxed);
        task.id.store(BEGUN.fetch_add(1, Relaxed) + 1, Relaxed);
        task.flags.store(flags, Relaxed);
        task.context.store(0, Relaxed);
        task.fiber.set(None);
        task.own_context.store(0, Relaxed);
        task.block.iter().for_each(|word| word.store(0, Relaxed));
        task.function.store(0, Relaxed);
        task.bottom.store(0, Relaxed);
        task.stack.iter().for_each(|word| word.store(0, Relaxed));
        task.league.set(None);
        task.creations.reset();
        task.pending_taskwait.set(None);
        task
    }

    /// An implicit or initial task that starts in the calling context, on a thread that executed `outer` before.
    pub(crate) fn implicit(region: Option<&'static Region>, outer: Option<&'static Self>) -> &'static Self {
        let task = Self::taken(0);
        task.parent.set(outer);
        task.implicit.set(Some(task));
        task.group.set(None);
        task.member_of.set(None);
        task.region.set(region);
        task.barriers.store(0, Relaxed);
        task
    }

    /// A new child of `parent`, which the calling context executes.
    pub(crate) fn create(parent: &'static Self, flags: u32, codeptr: usize) -> &'static Self {
        let mut flags = flags | flag::EXPLICIT;
        if parent.has(flag::FINAL) {
            flags |= flag::INCLUDED | flag::FINAL;
        }
        if parent.region.get().is_none() {
            // This avoids false reports: outside parallel regions, and in a target region on the host, all tasks belong to one
            // thread. If no two threads access a variable, there is no data race (OpenMP 5.1, 1.4.1), in any order.
            flags |= flag::INCLUDED;
        }
        if !parent.has(flag::PARENT) {
            parent.mark(flag::PARENT);
            parent.children.set();
        }
        let task = Self::taken(flags);
        parent.users.fetch_add(1, Relaxed);
        task.parent.set(Some(parent));
        task.implicit.set(parent.implicit.get());
        task.group.set(parent.group.get());
        task.member_of.set(parent.group.get());
        task.region.set(parent.region.get());
        task.codeptr.store(codeptr, Relaxed);
        task.created.set();
        task
    }

    /// Notes where the call stack of the context begins in which it starts, on a thread that executed `outer` before.
    pub(crate) fn note_stack(&self, context: Context, fiber: Option<&Fiber>, outer: Option<&Self>) {
        let begin = || outer.and_then(|outer| outer.stack_in(context)).unwrap_or_else(|| call_stack::top(context));
        let begin = fiber.map_or_else(begin, Fiber::bottom);
        self.stack[0].store(context.0, Relaxed);
        self.stack[1].store(begin, Relaxed);
        call_stack::note_begin(context, begin);
    }

    /// The calling thread continues with it.
    pub(crate) fn resume_stack(&self) {
        let [context, begin] = self.stack.each_ref().map(|word| word.load(Relaxed));
        call_stack::note_begin(Context(context), begin);
    }

    /// First address of the call stack of the context, if it executes there.
    fn stack_in(&self, context: Context) -> Option<usize> {
        let [of, begin] = self.stack.each_ref().map(|word| word.load(Relaxed));
        (of == context.0 && begin != 0).then_some(begin)
    }

    /// An address of its code: the compiler's function for its body, or where it was created.
    pub(crate) fn code(&self) -> usize {
        let function = self.function.load(Relaxed);
        if function == 0 { self.codeptr.load(Relaxed) } else { function }
    }

    pub(crate) fn has(&self, flag: u32) -> bool {
        self.flags.load(Relaxed) & flag != 0
    }

    pub(crate) fn mark(&self, flag: u32) {
        self.flags.fetch_or(flag, Relaxed);
    }

    /// Clears a property; true if the task had it.
    pub(crate) fn unmark(&self, flag: u32) -> bool {
        self.has(flag) && self.flags.fetch_and(!flag, Relaxed) & flag != 0
    }

    /// Records a dependence of a new child of `parent`. The calling context is the parent's.
    pub(crate) fn note_dependence(&self, parent: &Self, variable: u64, kind: DependenceKind) {
        dependences::note(&self.dependences, &parent.variables, variable, kind);
    }

    /// Orders the calling context, which is the task's, after the tasks that it depends on.
    pub(crate) fn acquire_dependences(&self) {
        if self.dependences.get().is_some() {
            dependences::acquire(&self.dependences, self.parent.get().and_then(|parent| parent.variables.get()));
        }
    }

    /// Orders the calling context after the task's creation and the tasks that it depends on.
    pub(crate) fn begin(&self) {
        if !self.has(flag::INCLUDED) {
            self.created.acquire();
        }
        self.acquire_dependences();
    }

    /// The task's end, in the calling context: what waits for it is ordered after it. Not for an included task, which its
    /// creator's context executes.
    pub(crate) fn release(&self) {
        if self.has(flag::INCLUDED) {
            dependences::release(&self.dependences);
        } else {
            self.fulfill();
        }
    }

    /// The event of a detached task is fulfilled, in the calling context: what waits for the task is ordered after
    /// that.
    pub(crate) fn fulfill(&self) {
        dependences::release(&self.dependences);
        self.parent.get().inspect(|parent| parent.children.join());
        self.member_of.get().inspect(|group| group.ends.join());
        self.implicit.get().and_then(Self::barrier).inspect(|clock| clock.join());
    }

    /// The clock of the next barrier of an implicit task.
    pub(crate) fn barrier(&'static self) -> Option<&'static Clock> {
        self.region.get().map(|region| region.barrier(self.barriers.load(Relaxed)))
    }

    /// An implicit task leaves a barrier. `ends_region`: it is the region's last one.
    pub(crate) fn leave_barrier(&'static self, ends_region: bool) {
        // Nothing in the task follows its region's end; what its thread does next is ordered after another fork. Without an order
        // here, the regions of two teams of a league are concurrent, although their threads are the same.
        if !ends_region {
            self.barrier().inspect(|clock| clock.acquire());
        }
        self.barriers.fetch_add(1, Relaxed);
        dependences::forget_variables(&self.variables);
    }

    /// The task has waited for its children.
    pub(crate) fn wait_for_children(&self) {
        if self.has(flag::PARENT) {
            self.children.acquire();
            // Later children are ordered after these by their creation.
            dependences::forget_variables(&self.variables);
        }
    }

    /// A taskgroup begins in the task.
    pub(crate) fn begin_group(&self) {
        self.group.set(Some(Group::begin(self.group.get())));
    }

    /// The task has waited for the tasks of its innermost taskgroup.
    pub(crate) fn wait_for_group(&self) {
        self.group.get().inspect(|group| group.ends.acquire());
    }

    /// A taskgroup ends in the task.
    pub(crate) fn end_group(&self) {
        if let Some(group) = self.group.get() {
            self.group.set(group.end());
        }
    }

    /// The task is complete, or was never started. Its record is kept as long as a child uses it.
    pub(crate) fn finish(&'static self) {
        dependences::forget(&self.dependences);
        let mut last = self;
        // AcqRel: pairs with itself: the last one sees what the others did with the record.
        while last.users.fetch_sub(1, AcqRel) == 1 {
            dependences::forget_variables(&last.variables);
            let parent = last.parent.get().filter(|_| last.has(flag::EXPLICIT));
            TASKS.give_back(last);
            let Some(parent) = parent else { break };
            last = parent;
        }
    }
}

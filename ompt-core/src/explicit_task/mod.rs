//! Creation and execution of explicit tasks on a thread: an execution suspends the task that the thread executed
//! before.

mod creation;

pub use self::creation::Creation;
use crate::detail::{CancelAct, Cancelled, Detail, Interrupted, Status};
use crate::dispatch::{Token, armed};
use crate::event::{Event, EventSet};
use crate::packed_state::PackedState;
use crate::state::State;
pub use crate::suspended::{Suspended, SuspendedCell};
use crate::task::{Task, flag};
use crate::thread::Thread;
use crate::tls::{self, CallSite};

/// The three events of a creation.
pub(crate) const CREATION_EVENTS: EventSet = Event::TaskCreateBegin.with_ends();

/// The three events of an execution.
pub(crate) const EXECUTION_EVENTS: EventSet = Event::TaskBegin.with_ends().union(EventSet::of(&[Event::TaskFetched]));

/// The event of a thread that switches from one task to another.
const SWITCH: EventSet = EventSet::of(&[Event::TaskSwitch]);

/// Transitions of a thread, the calling one, that creates, executes and leaves tasks.
#[derive(Clone, Copy)]
pub struct Tasks {
    pub(crate) thread: &'static Thread,
}

impl Thread {
    /// The transitions of its tasks.
    #[inline(always)]
    pub fn tasks(&'static self) -> Tasks {
        Tasks { thread: self }
    }
}

impl Tasks {
    /// Begins the execution of an explicit task on this, the calling thread, in the frame at that stack address. The
    /// record stays at its address until [`end`](Self::end).
    #[inline(always)]
    pub fn begin(self, stack: usize, task: &'static Task) -> Suspended {
        self.begin_after(stack, task, || {})
    }

    /// [`begin`](Self::begin) of a task that the thread has taken from a queue, if the task was deferred.
    #[inline(always)]
    pub fn begin_fetched(self, stack: usize, task: &'static Task) -> Suspended {
        self.begin_after(stack, task, || {
            if task.flags() & flag::UNDEFERRED == 0 {
                self.thread.raise(Event::TaskFetched);
            }
        })
    }

    #[inline(always)]
    fn begin_after(self, stack: usize, task: &'static Task, fetch: impl FnOnce()) -> Suspended {
        let thread = self.thread;
        if thread.activity.now().executes_nothing() {
            // According to the last report the thread is in the thread pool: the region was never seen.
            thread.drop_stale(stack);
        }
        let now = thread.activity.now();
        // A handler never sees the new task together with the suspended task's wait.
        thread.activity.set_now(now.in_state(State::Overhead));
        fetch();
        self.start(stack, task, (now, thread.current.depth()), Token::NONE)
    }

    /// Begins a new task that runs immediately within its creation. Ends the creation.
    #[inline(always)]
    pub fn begin_at_once(self, stack: usize, task: &'static Task, creation: Creation) -> Suspended {
        if creation.token != Token::NONE {
            self.report_created(task, true, creation.token);
        }
        self.start(stack, task, (creation.now, creation.depth), Token::NONE)
    }

    /// Begins the execution of a task inside a creation on the [fast path](crate::fast_task), if executions are reported by then.
    pub fn begin_in_unreported_creation(self, stack: usize, task: &'static Task) -> Suspended {
        self.start(
            stack,
            task,
            (self.thread.activity.now().in_state(State::WorkParallel), self.thread.current.depth()),
            Token::NONE,
        )
    }

    /// Starts a task; `now` and `depth` are the thread's before it. The start is not reported to `declined` sessions.
    #[inline(always)]
    pub(crate) fn start(
        self,
        stack: usize,
        task: &'static Task,
        (now, depth): (PackedState, usize),
        declined: Token,
    ) -> Suspended {
        let thread = self.thread;
        let before = (thread.current.task(), thread.current.task_stack());
        self.place(task, tls::call().frame, before.0);
        thread.current.set_task(Some(task));
        thread.current.set_task_stack(stack);
        thread.current.set_depth(stack);
        thread.activity.set_now(now.at_work());
        let wait = self.report_start(before.0, now, task);
        let token = thread.begin_unless_declined(Event::TaskBegin, declined);
        Suspended { now, task: before.0, depth, stack: before.1, token, wait }
    }

    /// Sets the task's frame, and the task below it on the thread. `frame` is the frame that calls the task; 0: calls
    /// are not reported.
    #[inline(always)]
    pub(crate) fn place(self, task: &'static Task, frame: usize, below: Option<&'static Task>) {
        if frame != 0 {
            task.frame.set_exit(frame);
            task.set_thread_number(self.thread.task().task.thread_number());
            task.put_above(below);
        }
    }

    /// Reports that the taskwait with dependences that this task represents is over.
    #[inline(always)]
    pub fn end_taskwait(self, task: &'static Task) {
        self.report_switch(Some(task), Status::TaskwaitComplete, self.thread.current.task(), Interrupted::NONE);
    }

    /// Reports that the event of a detachable task is about to be fulfilled by this, the calling thread.
    #[cold]
    pub fn fulfil(self, task: &'static Task, status: Status) {
        self.report_switch(Some(task), status, self.thread.current.task(), Interrupted::NONE);
    }

    /// Reports that the current task has encountered an active cancellation point. An explicit task ends there.
    #[cold]
    pub fn cancel(self, construct: Cancelled, act: CancelAct) {
        let thread = self.thread;
        let implicit = &thread.task().task;
        if let Some(task) = thread.current.task().filter(|task| !std::ptr::eq(*task, implicit)) {
            task.cancel();
        }
        thread.raise_with(Event::Cancel, &Detail::Cancel { construct, act });
    }

    /// Reports that a queued task is discarded, with the region or taskgroup `construct`.
    #[cold]
    pub fn discard(self, task: &'static Task, construct: Cancelled) {
        let thread = self.thread;
        let call = tls::call();
        tls::set_call(CallSite::default());
        // The region still exists, because the task belongs to it: even if a worker is waiting to leave.
        let now = thread.activity.switch_to(State::Overhead);
        task.frame.set_exit(call.frame);
        task.set_thread_number(thread.task().task.thread_number());
        task.put_above(thread.current.task());
        let current = thread.current.switch_task(Some(task));
        thread.raise_with(Event::Cancel, &Detail::Cancel { construct, act: CancelAct::DiscardedTask });
        thread.current.set_task(current);
        // Archer matches starts and ends: a task that ends without a start makes it lose track of the thread.
        let wait = thread.waits().interrupted(now);
        self.report_switch(current, Status::Switch, Some(task), wait);
        self.report_switch(Some(task), Status::Cancel, current, wait);
        thread.activity.resume(now);
        // What follows belongs to the call that the thread is in, whose frame shows that calls are reported.
        tls::set_call(call);
    }

    #[inline(always)]
    pub(crate) fn report_switch(
        self,
        prior: Option<&'static Task>,
        status: Status,
        next: Option<&'static Task>,
        wait: Interrupted,
    ) {
        if let Some((prior, next)) = prior.zip(next) {
            self.thread.raise_with(Event::TaskSwitch, &Detail::Switch { prior, status, next, wait });
        }
    }

    /// Reports that the thread switches from the task `prior`, where its packed state was `now`, to a new one. Returns the sessions that
    /// were notified of the wait that this interrupts, for [`report_end_of_body`](Self::report_end_of_body).
    #[inline(always)]
    pub(crate) fn report_start(self, prior: Option<&'static Task>, now: PackedState, task: &'static Task) -> Token {
        if armed(SWITCH) { self.report_armed_start(prior, now, task) } else { Token::NONE }
    }

    #[cold]
    fn report_armed_start(self, prior: Option<&'static Task>, now: PackedState, task: &'static Task) -> Token {
        let wait = self.thread.waits().interrupted(now);
        self.report_switch(prior, Status::Switch, Some(task), wait);
        wait.notified()
    }

    /// Reports that the current task's body has returned, and that the thread switches back to `next`, where its packed
    /// state was `now`.
    #[inline(always)]
    pub(crate) fn report_end_of_body(
        self,
        status: Status,
        next: Option<&'static Task>,
        now: PackedState,
        notified: Token,
    ) {
        if armed(SWITCH) {
            self.report_armed_end_of_body(status, next, now, notified);
        }
    }

    #[cold]
    fn report_armed_end_of_body(self, status: Status, next: Option<&'static Task>, now: PackedState, notified: Token) {
        let task = self.thread.current.task();
        if let Some(task) = task {
            task.frame.set_exit(0);
        }
        let status = match status {
            Status::Complete if task.is_some_and(Task::is_cancelled) => Status::Cancel,
            status => status,
        };
        self.report_switch(task, status, next, self.thread.waits().go_on_waiting(now, notified));
    }

    /// Ends a task whose body is complete. The runtime's cleanup after it can't be observed.
    #[inline(always)]
    pub fn end(self, suspended: Suspended) {
        self.end_as(Status::Complete, suspended);
    }

    /// Ends a task whose body is complete, with that status.
    #[inline(always)]
    pub fn end_as(self, status: Status, suspended: Suspended) {
        self.report_end(status, suspended);
        self.resume(suspended);
    }

    /// Reports the end of the current task, whose body is complete, with that status.
    #[inline(always)]
    pub(crate) fn report_end(self, status: Status, suspended: Suspended) {
        if suspended.token != Token::NONE {
            self.report_finish(suspended.token);
        }
        self.report_end_of_body(status, suspended.task, suspended.now, suspended.wait);
    }

    /// Makes the suspended task the current one again.
    #[inline(always)]
    pub(crate) fn resume(self, suspended: Suspended) {
        let thread = self.thread;
        thread.activity.set_now(suspended.now.in_state(State::Overhead));
        thread.current.set_task_stack(suspended.stack);
        thread.current.set_task(suspended.task);
        thread.current.set_depth(suspended.depth);
        thread.activity.set_now(suspended.now);
    }

    #[cold]
    fn report_finish(self, token: Token) {
        self.thread.activity.set_state(State::TaskFinish);
        if armed(EventSet::of(&[Event::TaskFinishBegin])) {
            return self.report_whole_finish(token);
        }
        self.thread.end_with(Event::TaskFinishEnd, token);
    }

    /// Reports start and end of a task's finish.
    #[cold]
    #[inline(never)]
    fn report_whole_finish(self, token: Token) {
        self.thread.end_with(Event::TaskFinishBegin, token);
        self.thread.end_with(Event::TaskFinishEnd, token);
    }

    /// Drops the frames of all tasks that the thread executes in its region.
    pub(crate) fn leave_all(self) {
        let thread = self.thread;
        thread.current.set_task_stack(usize::MAX);
        if thread.current.task().is_some() {
            thread.current.set_task(Some(&thread.task().task));
        }
    }
}

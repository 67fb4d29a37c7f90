//! Creation and execution of explicit tasks on a thread: an execution suspends the task that the thread executed
//! before.

use crate::detail::Interrupted;
use crate::detail::{CancelAct, Cancelled, Detail, Status, Work};
use crate::dispatch::{Token, armed};
use crate::event::{Event, EventSet};
use crate::packed_state::PackedState;
use crate::state::State;
pub use crate::suspended::{Suspended, SuspendedCell};
use crate::task::{Task, flag};
use crate::thread::Thread;
use crate::tls::{self, CallSite};
use system::arch::stack_pointer;

/// The three events of a creation.
pub(crate) const CREATION_EVENTS: EventSet = Event::TaskCreateBegin.with_ends();

/// The three events of an execution.
pub(crate) const EXECUTION_EVENTS: EventSet = Event::TaskBegin.with_ends().union(EventSet::of(&[Event::TaskFetched]));

/// The event of a thread that switches from one task to another.
const SWITCH: EventSet = EventSet::of(&[Event::TaskSwitch]);

/// A creation that has begun.
#[derive(Clone, Copy, Debug)]
#[must_use = "a creation that began has to end"]
pub struct Creation {
    token: Token,
    pub(crate) now: PackedState,
    pub(crate) depth: usize,
    /// The call that creates the task; zeros if it is not known.
    call: CallSite,
}

impl Creation {
    /// A creation that is not reported.
    #[inline(always)]
    pub(crate) fn unreported(now: PackedState, depth: usize) -> Self {
        Self { token: Token::NONE, now, depth, call: CallSite::default() }
    }

    /// True if the start was reported.
    #[inline(always)]
    pub(crate) fn is_reported(&self) -> bool {
        self.token != Token::NONE
    }

    /// The call that creates the task.
    #[inline(always)]
    pub fn call(&self) -> CallSite {
        self.call
    }

    /// The creation as words, for an adapter whose runtime stores it. The first word is never 0, the last two always
    /// are.
    #[inline(always)]
    pub fn into_words(self) -> [u64; 6] {
        [1, self.token.bits(), self.now.bits(), self.depth as u64, 0, 0]
    }

    /// The creation that [`into_words`](Self::into_words) came from; `None` for zeros.
    #[inline(always)]
    pub fn from_words([begun, token, now, depth, ..]: [u64; 6]) -> Option<Self> {
        let (token, depth) = (Token::from_bits(token), usize::try_from(depth).unwrap_or(0));
        (begun != 0).then(|| Self { token, now: PackedState::from_bits(now), depth, call: CallSite::default() })
    }
}

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
    /// Begins the creation of a task on this, the calling thread, in the frame at that stack address.
    #[inline(always)]
    pub fn begin_creation(self, stack: usize) -> Creation {
        let creation = Creation { token: Token::NONE, ..self.begin_unreported_creation(stack) };
        let token = self.report_creation();
        // On this path, all events are reported.
        self.thread.answers.take_creation();
        Creation { token, ..creation }
    }

    /// Reports that the thread creates a task.
    #[inline(always)]
    pub(crate) fn report_creation(self) -> Token {
        let thread = self.thread;
        tls::set_creator(thread.current.task().map_or(0, Task::id));
        let token = thread.begin_one_of(Event::TaskCreateBegin);
        if token != Token::NONE {
            thread.open_spans.set_wait(token);
        }
        token
    }

    /// [`begin_creation`](Self::begin_creation) without a report, for tasks whose own creations are reported when they
    /// start.
    #[inline(always)]
    pub fn begin_unreported_creation(self, stack: usize) -> Creation {
        let thread = self.thread;
        thread.drop_stale(stack);
        thread.fast_tasks().note_queued();
        let (now, call) = (thread.activity.now(), tls::call());
        thread.current.enter_runtime(call);
        let creation = Creation { token: Token::NONE, now, depth: thread.current.depth(), call };
        thread.current.set_depth(stack);
        thread.activity.set_now(now.in_state(State::TaskCreate));
        creation
    }

    /// The end of [`begin_unreported_creation`](Self::begin_unreported_creation).
    #[inline(always)]
    pub fn end_unreported_creation(self, creation: Creation) {
        let thread = self.thread;
        thread.current.leave_runtime(creation.call);
        thread.current.set_depth(creation.depth);
        thread.activity.set_now(creation.now);
    }

    /// Assigns a task's id and reports its creation, which was deferred until the task was about to start.
    pub fn create_late(self, task: &'static Task, immediate: bool, function: usize) {
        let creation = self.begin_creation(stack_pointer());
        self.name_child_of(task.parent(), task);
        if immediate {
            task.set_flags(task.flags() | flag::UNDEFERRED);
            self.report_new(task, function, false);
        }
        self.end_creation(task, immediate, creation);
    }

    /// Begins the creation of one chunk of a taskloop, and assigns the chunk's id. The call that creates the taskloop
    /// continues after the chunk's creation.
    pub fn begin_chunk(self, stack: usize, task: &Task) -> Creation {
        let creation = self.begin_creation(stack);
        self.name_child_of(task.parent(), task);
        Creation { call: CallSite::default(), ..creation }
    }

    /// Reports that the task starts or stops creating the tasks of a taskloop.
    #[inline(always)]
    pub fn report_taskloop(self, event: Event, count: impl FnOnce() -> u64) {
        if armed(EventSet::of(&[event])) {
            self.thread.raise_with(event, &Detail::Work { kind: Work::Taskloop, count: count() });
        }
    }

    /// Reports a new task, at its final address, in the call that creates it.
    #[inline(always)]
    pub fn report_new(self, task: &'static Task, function: usize, depends: bool) {
        self.thread.raise_with(Event::TaskCreate, &Detail::Create { task, function, depends });
    }

    /// Ends a creation: the new task runs immediately, or is queued. While that is reported, the new task is the
    /// current one.
    #[inline(always)]
    pub fn end_creation(self, task: &'static Task, immediate: bool, creation: Creation) {
        if creation.token != Token::NONE {
            self.report_created(task, immediate, creation.token);
        }
        self.end_unreported_creation(creation);
    }

    /// Reports the end of a creation.
    #[cold]
    pub(crate) fn report_created(self, task: &'static Task, immediate: bool, token: Token) {
        let thread = self.thread;
        thread.open_spans.set_wait(Token::NONE);
        let current = thread.current.switch_task(Some(task));
        let end = if immediate { Event::TaskCreateEndImmediate } else { Event::TaskCreateEndDeferred };
        thread.end_with(end, token);
        thread.current.set_task(current);
    }

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

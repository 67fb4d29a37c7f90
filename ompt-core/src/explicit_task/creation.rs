//! Creation of explicit tasks.

use system::arch::stack_pointer;

use super::Tasks;
use crate::detail::{Detail, Work};
use crate::dispatch::{Token, armed};
use crate::event::{Event, EventSet};
use crate::packed_state::PackedState;
use crate::state::State;
use crate::task::{Task, flag};
use crate::tls::{self, CallSite};

/// A creation that has begun.
#[derive(Clone, Copy, Debug)]
#[must_use = "a creation that began has to end"]
pub struct Creation {
    pub(super) token: Token,
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
}

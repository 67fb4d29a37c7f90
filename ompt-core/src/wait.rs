//! Waits of a thread: the transitions into them and out of them.

use crate::detail::Interrupted;
use crate::dispatch::{self, Token};
use crate::event::Span;
use crate::implicit_task::ImplicitTask;
use crate::packed_state::PackedState;
use crate::state::State;
use crate::thread::Thread;
use crate::tls::{self, CallSite};
use system::arch::stack_pointer;

/// A wait that has begun: the thread's state before it, and the sessions that were notified. Plain data: if an
/// exception, a longjmp or the thread's end skips its end, the thread's next entry detects that (see the module
/// `unwinding`).
#[derive(Clone, Copy, Debug)]
#[must_use = "a wait that began has to end"]
pub struct Wait {
    span: Span,
    token: Token,
    now: PackedState,
    wait: u64,
    depth: usize,
    /// The call that waits; zeros if it is not known.
    call: CallSite,
}

impl Wait {
    /// The wait as words, for an adapter whose runtime stores it. The first word is not 0.
    pub fn into_words(self) -> [u64; 6] {
        let span = 1 << 16 | u64::from(self.span.begin as u8) << 8 | u64::from(self.span.end as u8);
        [span, self.token.bits(), self.now.bits(), self.wait, self.depth as u64, 0]
    }

    /// The wait that [`into_words`](Self::into_words) came from; `None` for zeros.
    pub fn from_words([span, token, now, wait, depth, _]: [u64; 6]) -> Option<Self> {
        let span = Span::WAITS.into_iter().find(|s| span == Self::of(*s).into_words()[0])?;
        Some(Self {
            token: Token::from_bits(token),
            now: PackedState::from_bits(now),
            wait,
            depth: usize::try_from(depth).ok()?,
            ..Self::of(span)
        })
    }

    const fn of(span: Span) -> Self {
        Self {
            span,
            token: Token::NONE,
            now: PackedState::new(0, State::WorkSerial),
            wait: 0,
            depth: 0,
            call: CallSite { return_address: 0, frame: 0 },
        }
    }
}

/// The span that a thread in this state has open.
pub(crate) fn span_of(state: State) -> Option<Span> {
    match state {
        State::WaitBarrierExplicit => Some(Span::EXPLICIT_BARRIER),
        State::WaitBarrierImplicitWorkshare => Some(Span::WORK_BARRIER),
        State::WaitLock | State::WaitNestLock => Some(Span::LOCK_WAIT),
        State::WaitCritical => Some(Span::CRITICAL_WAIT),
        State::WaitOrdered => Some(Span::ORDERED_WAIT),
        State::WaitAtomic => Some(Span::ATOMIC_WAIT),
        State::WaitTaskwait | State::WaitTaskgroup => Some(Span::TASK_WAIT),
        // An exception ended the creation, so no task could run.
        State::TaskCreate => Some(Span::TASK_CREATE),
        _ => None,
    }
}

/// Transitions of a thread, the calling one, into waits and out of them.
#[derive(Clone, Copy)]
pub struct Waits {
    thread: &'static Thread,
}

impl Thread {
    /// The transitions of its waits.
    #[inline(always)]
    pub fn waits(&'static self) -> Waits {
        Waits { thread: self }
    }
}

impl Waits {
    /// Begins a wait of this, the calling thread, in the calling frame: sets state and wait id, then raises the event.
    #[inline(always)]
    pub fn begin(self, span: Span, state: State, wait_id: u64) -> Wait {
        self.begin_at(stack_pointer(), span, state, wait_id)
    }

    /// [`begin`](Self::begin) in the frame at that stack address.
    #[inline(always)]
    pub fn begin_at(self, stack: usize, span: Span, state: State, wait_id: u64) -> Wait {
        self.begin_by(stack, span, state, wait_id, || self.thread.begin(span))
    }

    /// [`begin_at`](Self::begin_at) that calls `raise` to raise the event.
    #[inline(always)]
    fn begin_by(self, stack: usize, span: Span, state: State, wait_id: u64, raise: impl FnOnce() -> Token) -> Wait {
        let thread = self.thread;
        thread.drop_stale(stack);
        let call = tls::call();
        thread.current.enter_runtime(call);
        let before = Wait {
            now: thread.activity.now(),
            wait: thread.activity.wait_id(),
            depth: thread.current.depth(),
            call,
            ..Wait::of(span)
        };
        thread.current.set_depth(stack);
        thread.activity.set_waiting(state, wait_id);
        let token = raise();
        if token != Token::NONE {
            thread.open_spans.set_wait(token);
        }
        Wait { token, ..before }
    }

    /// Begins a wait of this, the calling thread, at a barrier of its team. Outside of all regions the thread is a team of its own: OMPT
    /// has that barrier (TR2, 3.2.2; OpenMP 5.0, 2.17.2), the Sun Collector API does not.
    #[inline(always)]
    pub fn begin_barrier(self, span: Span, state: State) -> Wait {
        self.begin_barrier_at(stack_pointer(), span, state)
    }

    /// [`begin_barrier`](Self::begin_barrier) in the frame at that stack address.
    #[inline(always)]
    pub fn begin_barrier_at(self, stack: usize, span: Span, state: State) -> Wait {
        let thread = self.thread;
        if thread.activity.is_outside() {
            return self.begin_barrier_outside(stack, span, state);
        }
        self.begin_at(stack, span, state, thread.constructs().next_barrier())
    }

    #[cold]
    fn begin_barrier_outside(self, stack: usize, span: Span, state: State) -> Wait {
        let thread = self.thread;
        if !dispatch::ompt_wants(span) {
            return Wait { now: thread.activity.now(), depth: thread.current.depth(), ..Wait::of(span) };
        }
        let wait_id = thread.constructs().next_barrier();
        self.begin_by(stack, span, state, wait_id, || thread.begin_for_ompt(span))
    }

    /// Ends the wait: raises the event, then restores the thread's state before the wait.
    #[inline(always)]
    pub fn end(self, wait: Wait) {
        let thread = self.thread;
        if wait.call.frame != 0 {
            tls::set_call(wait.call);
        }
        if wait.token != Token::NONE {
            thread.open_spans.set_wait(Token::NONE);
            thread.end(wait.span, wait.token);
        }
        thread.current.leave_runtime(wait.call);
        thread.current.set_depth(wait.depth);
        // The thread's previous state may be that of a wait, or nested in one: its wait id is also restored.
        if wait.now.state().waits() {
            thread.activity.set_state(State::Overhead);
            thread.activity.set_wait_id(wait.wait);
            thread.activity.set_now(wait.now);
        } else {
            thread.activity.set_now(wait.now);
            thread.activity.set_wait_id(wait.wait);
        }
    }

    /// The wait that a task is about to interrupt; the thread's packed state is `now`.
    pub(crate) fn interrupted(self, now: PackedState) -> Interrupted {
        let Some(now) = now.in_wait_for_tasks() else { return Interrupted::NONE };
        let notified = match now.state() {
            State::WaitBarrierImplicitParallel => self.thread.task().last_barrier(),
            _ => self.thread.open_spans.wait(),
        };
        Interrupted::new(now, notified)
    }

    /// Resumes the wait after a task is over. The thread's wait token may have become that of a wait within the task.
    pub(crate) fn go_on_waiting(self, now: PackedState, notified: Token) -> Interrupted {
        self.go_on_waiting_in(Some(self.thread.task()), now, notified)
    }

    /// [`go_on_waiting`](Self::go_on_waiting) for the wait of this implicit task.
    pub(crate) fn go_on_waiting_in(
        self,
        task: Option<&'static ImplicitTask>,
        now: PackedState,
        notified: Token,
    ) -> Interrupted {
        let task = task.filter(|_| notified != Token::NONE);
        let Some((task, now)) = task.zip(now.in_wait_for_tasks()) else { return Interrupted::NONE };
        match now.state() {
            State::WaitBarrierImplicitParallel => task.set_last_barrier(notified),
            _ => self.thread.open_spans.set_wait(notified),
        }
        Interrupted::new(now, notified)
    }
}

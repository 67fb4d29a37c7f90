//! Waits, and other short absences of a thread from its program's code.

use crate::detail::Interrupted;
use crate::dispatch::Token;
use crate::event::Span;
use crate::implicit_task::ImplicitTask;
use crate::packed_state::PackedState;
use crate::state::State;
use crate::thread::Thread;
use crate::tls::{self, Call};
use std::sync::atomic::{AtomicU64, Ordering::*};
use system::arch::stack_pointer;

/// A wait that has begun: the thread's state before, and the sessions that were notified. Plain data: where an
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
    /// The call that waits; zeros where it is not known.
    call: Call,
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
            call: Call { return_address: 0, frame: 0 },
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
        // An exception ended the creation: there is no task that could run.
        State::TaskCreate => Some(Span::TASK_CREATE),
        _ => None,
    }
}

impl Thread {
    /// Begins a wait of this, the calling thread, in the calling frame: sets state and wait id, then raises the event.
    #[inline(always)]
    pub fn begin_wait(&'static self, span: Span, state: State, wait_id: u64) -> Wait {
        self.begin_wait_at(stack_pointer(), span, state, wait_id)
    }

    /// [`begin_wait`](Self::begin_wait) in the frame at that stack address.
    #[inline(always)]
    pub fn begin_wait_at(&'static self, stack: usize, span: Span, state: State, wait_id: u64) -> Wait {
        self.drop_stale(stack);
        let call = tls::call();
        self.enter_runtime(call);
        let before = Wait { now: self.now(), wait: self.wait_id(), depth: self.depth(), call, ..Wait::of(span) };
        self.set_depth(stack);
        self.set_waiting(state, wait_id);
        let token = self.begin(span);
        if token != Token::NONE {
            self.wait_token().store(token.bits(), Relaxed);
        }
        Wait { token, ..before }
    }

    /// Begins a wait of this, the calling thread, at a barrier of its team. Outside of all regions there is no team to
    /// wait for, and nothing is reported.
    #[inline(always)]
    pub fn begin_barrier(&'static self, span: Span, state: State) -> Wait {
        self.begin_barrier_at(stack_pointer(), span, state)
    }

    /// [`begin_barrier`](Self::begin_barrier) in the frame at that stack address.
    #[inline(always)]
    pub fn begin_barrier_at(&'static self, stack: usize, span: Span, state: State) -> Wait {
        if self.is_outside() {
            return Wait { now: self.now(), depth: self.depth(), ..Wait::of(span) };
        }
        self.begin_wait_at(stack, span, state, self.next_barrier())
    }

    /// Ends the wait: raises the event, then restores the thread's state before the wait.
    #[inline(always)]
    pub fn end_wait(&'static self, wait: Wait) {
        if wait.call.frame != 0 {
            tls::set_call(wait.call);
        }
        if wait.token != Token::NONE {
            self.wait_token().store(0, Relaxed);
            self.end(wait.span, wait.token);
        }
        self.leave_runtime(wait.call);
        self.set_depth(wait.depth);
        // The thread's state before may be that of a wait, or lie within one: its wait id is restored, too.
        if wait.now.state().waits() {
            self.set_state(State::Overhead);
            self.set_wait_id(wait.wait);
            self.set_now(wait.now);
        } else {
            self.set_now(wait.now);
            self.set_wait_id(wait.wait);
        }
    }

    /// The wait that a task is about to interrupt, where the thread's packed state is `now`.
    pub(crate) fn interrupted(&'static self, now: PackedState) -> Interrupted {
        let Some(now) = now.in_wait_for_tasks() else { return Interrupted::NONE };
        Interrupted::new(now, Token::from_bits(self.token_of_wait(self.task(), now).load(Relaxed)))
    }

    /// Resumes the wait after a task is over. The thread's wait token may have become that of a wait within the task.
    pub(crate) fn go_on_waiting(&'static self, now: PackedState, notified: Token) -> Interrupted {
        self.go_on_waiting_in(Some(self.task()), now, notified)
    }

    /// [`go_on_waiting`](Self::go_on_waiting) where the wait is that of this implicit task.
    pub(crate) fn go_on_waiting_in(
        &'static self,
        task: Option<&'static ImplicitTask>,
        now: PackedState,
        notified: Token,
    ) -> Interrupted {
        let task = task.filter(|_| notified != Token::NONE);
        let Some((task, now)) = task.zip(now.in_wait_for_tasks()) else { return Interrupted::NONE };
        self.token_of_wait(task, now).store(notified.bits(), Relaxed);
        Interrupted::new(now, notified)
    }

    fn token_of_wait(&'static self, task: &'static ImplicitTask, now: PackedState) -> &'static AtomicU64 {
        match now.state() {
            State::WaitBarrierImplicitParallel => &task.last_barrier,
            _ => self.wait_token(),
        }
    }

    /// Sets the state overhead until [`resume`](Self::resume) gets the result. Outside of all regions there is no such
    /// state.
    #[inline(always)]
    pub fn overhead(&self) -> PackedState {
        let now = self.now();
        if !now.is_serial() {
            self.set_now(now.in_state(State::Overhead));
        }
        now
    }

    /// Sets a state that doesn't wait until [`resume`](Self::resume) gets the result.
    #[inline]
    pub fn switch_to(&self, state: State) -> PackedState {
        let now = self.now();
        self.set_state(state);
        now
    }

    /// Restores the state before [`overhead`](Self::overhead) or [`switch_to`](Self::switch_to).
    #[inline(always)]
    pub fn resume(&self, before: PackedState) {
        self.set_now(before);
    }
}

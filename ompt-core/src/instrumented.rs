//! Constructs that an instrumented program reports itself: those that compilers implement without their runtimes, and
//! the purpose of a barrier.
//!
//! An instrumenter replaces an implicit barrier by an explicit one between two calls. The first call *announces* the
//! barrier: the runtime adapter, which sees an explicit barrier, then doesn't report it.

use crate::detail::{Detail, Mutex};
use crate::dispatch::Token;
use crate::event::{Event, Span};
use crate::implicit_task::ImplicitTask;
use crate::state::State;
use crate::thread::Thread;
use crate::tls;
use crate::wait::Wait;

/// Transitions that the instrumented code of the calling thread reports.
#[derive(Clone, Copy)]
pub struct InstrumentedCode {
    thread: &'static Thread,
}

impl Thread {
    /// The transitions that its instrumented code reports.
    #[inline(always)]
    pub fn instrumented(&'static self) -> InstrumentedCode {
        InstrumentedCode { thread: self }
    }
}

impl InstrumentedCode {
    /// Begins the masked region that the thread executes: raises its start event.
    pub fn open_masked(self) {
        self.thread.task().instrumented.set_masked(self.thread.begin(Span::MASKED));
    }

    /// Ends the masked region that the thread may be executing; does nothing if it has ended.
    pub fn close_masked(self) {
        self.close_masked_of(self.thread.task());
    }

    #[inline]
    pub(crate) fn close_masked_of(self, task: &ImplicitTask) {
        let token = task.instrumented.masked();
        if token != Token::NONE {
            task.instrumented.set_masked(Token::NONE);
            self.thread.end(Span::MASKED, token);
        }
    }

    /// Begins a wait of the thread, in the frame at that stack address, which [`end_announced`](Self::end_announced)
    /// ends. Called after everything before the wait has been reported.
    pub fn announce_wait(self, stack: usize, span: Span, state: State, wait_id: u64) {
        self.keep_announced(self.thread.waits().begin_at(stack, span, state, wait_id));
    }

    /// Like [`announce_wait`](Self::announce_wait), at a barrier of the team.
    pub fn announce_barrier(self, stack: usize, span: Span, state: State) {
        self.keep_announced(self.thread.waits().begin_barrier_at(stack, span, state));
    }

    fn keep_announced(self, wait: Wait) {
        self.thread.task().instrumented.set_wait(wait.into_words());
    }

    /// Announces the region's last barrier: the thread has completed its work in the region's body, and is in the last
    /// barrier from now on, no matter how many barriers of the runtime that involves. Does nothing outside of a
    /// region's body.
    pub fn announce_last_barrier(self) {
        let thread = self.thread;
        if thread.current.region().is_some() && thread.activity.now().works() {
            thread.team().begin_last_barrier_in_body(tls::call().frame);
            thread.task().instrumented.announce_last_barrier();
        }
    }

    /// True if the barrier that the thread encounters was announced.
    #[inline(always)]
    pub fn is_announced(self) -> bool {
        self.thread.task().instrumented.is_announced()
    }

    /// Ends the announced wait. After the last barrier of a region the thread only leaves the region: it stays in the
    /// state of that barrier until the runtime's adapter reports the end.
    pub fn end_announced(self) {
        let thread = self.thread;
        let announced = &thread.task().instrumented;
        if let Some(wait) = Wait::from_words(announced.wait()) {
            announced.forget_wait();
            thread.waits().end(wait);
        } else if announced.stands_at_last_barrier() {
            thread.team().end_last_barrier();
        }
    }

    /// Begins an atomic update. It is not known to wait, so it is reported as acquired immediately.
    pub fn open_atomic(self, wait_id: u64) {
        let thread = self.thread;
        thread.task().instrumented.enter_atomic();
        let detail = Detail::Mutex { kind: Mutex::Atomic, wait_id, hint: 0 };
        thread.raise_with(Event::MutexAcquire, &detail);
        thread.raise_with(Event::MutexAcquired, &detail);
    }

    /// Ends the atomic update.
    pub fn close_atomic(self, wait_id: u64) {
        if self.thread.task().instrumented.leave_atomic() {
            self.thread.raise_with(Event::MutexReleased, &Detail::Mutex { kind: Mutex::Atomic, wait_id, hint: 0 });
        }
    }

    /// True if the thread is in an atomic update that was reported.
    #[inline(always)]
    pub fn is_in_atomic(self) -> bool {
        self.thread.task().instrumented.is_in_atomic()
    }
}

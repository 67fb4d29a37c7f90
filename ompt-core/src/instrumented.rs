//! What a program says of its implicit tasks by itself, where its source was instrumented: what compilers do without their
//! runtimes, and what a barrier is for.
//!
//! An instrumenter puts an explicit barrier in the place of an implicit one, between two calls. The first call *announces*
//! it: the runtime's host, which sees an explicit barrier, then tells nothing of it.

use crate::detail::{Detail, Mutex};
use crate::dispatch::Token;
use crate::event::{Event, Span};
use crate::implicit_task::{ImplicitTask, LAST};
use crate::state::State;
use crate::thread::Thread;
use crate::tls;
use crate::wait::Wait;
use std::sync::atomic::Ordering::*;

impl Thread {
    /// The thread executes a masked region: raises its begin.
    pub fn open_masked(&'static self) {
        self.task().instrumented.masked.store(self.begin(Span::MASKED).bits(), Relaxed);
    }

    /// The masked region that the thread may be executing has ended, if it didn't already.
    pub fn close_masked(&'static self) {
        self.close_masked_of(self.task());
    }

    #[inline]
    pub(crate) fn close_masked_of(&'static self, task: &ImplicitTask) {
        let token = task.instrumented.masked.load(Relaxed);
        if token != 0 {
            task.instrumented.masked.store(0, Relaxed);
            self.end(Span::MASKED, Token::from_bits(token));
        }
    }

    /// The thread, in the frame at that stack address, starts a wait that [`end_announced`](Self::end_announced) ends. To be
    /// called once what comes before the wait is told.
    pub fn announce_wait(&'static self, stack: usize, span: Span, state: State, wait_id: u64) {
        self.keep_announced(self.begin_wait_at(stack, span, state, wait_id));
    }

    /// As above, at a barrier of the team.
    pub fn announce_barrier(&'static self, stack: usize, span: Span, state: State) {
        self.keep_announced(self.begin_barrier_at(stack, span, state));
    }

    fn keep_announced(&'static self, wait: Wait) {
        let places = &self.task().instrumented.wait;
        for (place, word) in places.iter().zip(wait.into_words()) {
            place.store(word, Relaxed);
        }
    }

    /// The thread has done all that it does in the body of its region, and stands at the last barrier from now on, whatever
    /// barriers of the runtime's that takes. Nothing outside of a region's body.
    pub fn announce_last_barrier(&'static self) {
        if self.region().is_some() && self.now().works() {
            self.begin_last_barrier_in_body(tls::call().frame);
            let [first, ..] = &self.task().instrumented.wait;
            first.store(LAST, Relaxed);
        }
    }

    /// Whether the barrier that the thread meets was announced.
    #[inline(always)]
    pub fn is_announced(&'static self) -> bool {
        let [first, ..] = &self.task().instrumented.wait;
        first.load(Relaxed) != 0
    }

    /// The wait that was announced is over. Behind the last barrier of a region the thread does no more than to leave it: it is
    /// in the state of that barrier until the region's host says so.
    pub fn end_announced(&'static self) {
        let places = &self.task().instrumented.wait;
        let words = places.each_ref().map(|place| place.load(Relaxed));
        let [first, ..] = places;
        if let Some(wait) = Wait::from_words(words) {
            first.store(0, Relaxed);
            self.end_wait(wait);
        } else if first.load(Relaxed) == LAST {
            self.end_last_barrier();
        }
    }

    /// The thread does an atomic update, which nobody knows to wait: it has it at once.
    pub fn open_atomic(&'static self, wait_id: u64) {
        self.task().instrumented.atomic.store(true, Relaxed);
        let detail = Detail::Mutex { kind: Mutex::Atomic, wait_id, hint: 0 };
        self.raise_with(Event::MutexAcquire, &detail);
        self.raise_with(Event::MutexAcquired, &detail);
    }

    /// The update is done.
    pub fn close_atomic(&'static self, wait_id: u64) {
        if self.task().instrumented.atomic.swap(false, Relaxed) {
            self.raise_with(Event::MutexReleased, &Detail::Mutex { kind: Mutex::Atomic, wait_id, hint: 0 });
        }
    }

    /// Whether the thread is in an atomic update that was told.
    #[inline(always)]
    pub fn is_in_atomic(&'static self) -> bool {
        self.task().instrumented.atomic.load(Relaxed)
    }
}

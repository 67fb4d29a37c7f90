//! Constructs that an instrumented program reports itself: those that compilers implement without their runtimes, and
//! the purpose of a barrier.
//!
//! An instrumenter puts an explicit barrier in the place of an implicit one, between two calls. The first call
//! *announces* the barrier: the runtime adapter, which sees an explicit barrier, then reports nothing of it.

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
    /// Begins the masked region that the thread executes: raises its begin.
    pub fn open_masked(&'static self) {
        self.task().instrumented.masked.store(self.begin(Span::MASKED).bits(), Relaxed);
    }

    /// Ends the masked region that the thread may be executing; does nothing if it has ended.
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

    /// Begins a wait of the thread, in the frame at that stack address, which [`end_announced`](Self::end_announced)
    /// ends. To be called once what comes before the wait is reported.
    pub fn announce_wait(&'static self, stack: usize, span: Span, state: State, wait_id: u64) {
        self.keep_announced(self.begin_wait_at(stack, span, state, wait_id));
    }

    /// As [`announce_wait`](Self::announce_wait), at a barrier of the team.
    pub fn announce_barrier(&'static self, stack: usize, span: Span, state: State) {
        self.keep_announced(self.begin_barrier_at(stack, span, state));
    }

    fn keep_announced(&'static self, wait: Wait) {
        let places = &self.task().instrumented.wait;
        for (place, word) in places.iter().zip(wait.into_words()) {
            place.store(word, Relaxed);
        }
    }

    /// Announces the region's last barrier: the thread has done all its work in the region's body, and is in the last
    /// barrier from now on, whichever barriers of the runtime that takes. Does nothing outside of a region's body.
    pub fn announce_last_barrier(&'static self) {
        if self.region().is_some() && self.now().works() {
            self.begin_last_barrier_in_body(tls::call().frame);
            let [first, ..] = &self.task().instrumented.wait;
            first.store(LAST, Relaxed);
        }
    }

    /// True if the barrier that the thread encounters was announced.
    #[inline(always)]
    pub fn is_announced(&'static self) -> bool {
        let [first, ..] = &self.task().instrumented.wait;
        first.load(Relaxed) != 0
    }

    /// Ends the announced wait. After the last barrier of a region the thread only leaves the region: it stays in the
    /// state of that barrier until the runtime's adapter reports the end.
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

    /// Begins an atomic update. It is not known to wait, so it is acquired at once.
    pub fn open_atomic(&'static self, wait_id: u64) {
        self.task().instrumented.atomic.store(true, Relaxed);
        let detail = Detail::Mutex { kind: Mutex::Atomic, wait_id, hint: 0 };
        self.raise_with(Event::MutexAcquire, &detail);
        self.raise_with(Event::MutexAcquired, &detail);
    }

    /// Ends the atomic update.
    pub fn close_atomic(&'static self, wait_id: u64) {
        if self.task().instrumented.atomic.swap(false, Relaxed) {
            self.raise_with(Event::MutexReleased, &Detail::Mutex { kind: Mutex::Atomic, wait_id, hint: 0 });
        }
    }

    /// True if the thread is in an atomic update that was reported.
    #[inline(always)]
    pub fn is_in_atomic(&'static self) -> bool {
        self.task().instrumented.atomic.load(Relaxed)
    }
}

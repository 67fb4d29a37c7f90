//! What a thread keeps for the implicit task that it executes: counts of constructs met, and constructs still open.
//!
//! Every thread of a team meets barriers and work-sharing constructs in the same order, so equal counts on two threads of
//! a region mean the same construct.

use crate::dispatch::Token;
use crate::event::Span;
use crate::thread::Thread;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::*};

/// The part of a thread's record that belongs to its implicit task.
#[derive(Default)]
pub(crate) struct ImplicitTask {
    barriers: AtomicU64,
    copies: AtomicU64,
    /// The executor's token of a single region that has not ended.
    single: AtomicU64,
    ordered: OrderedLoop,
}

/// How far a thread is in an ordered loop. Iterations are counted from the loop's start, as unsigned distances.
#[derive(Default)]
pub struct OrderedLoop {
    loops: AtomicU64,
    /// Token of the ordered region that the thread executes.
    token: AtomicU64,
    /// Which of its host's places keeps the loop's turn, plus 1; 0: none.
    place: AtomicU64,
    start: AtomicU64,
    down: AtomicU64,
    chunk: [AtomicU64; 2],
}

/// An implicit task put aside while its thread executes an inner region.
#[derive(Default)]
pub(crate) struct Saved {
    pub(crate) now: AtomicU64,
    pub(crate) wait: AtomicU64,
    pub(crate) depth: AtomicUsize,
    pub(crate) barrier: AtomicU64,
    task: ImplicitTask,
}

impl ImplicitTask {
    /// Copies what `from` holds.
    #[inline]
    fn assign(&self, from: &Self) {
        copy(&self.barriers, &from.barriers);
        copy(&self.copies, &from.copies);
        copy(&self.single, &from.single);
        copy(&self.ordered.loops, &from.ordered.loops);
        if from.ordered.loops.load(Relaxed) != 0 || from.ordered.token.load(Relaxed) != 0 {
            self.ordered.assign(&from.ordered);
        }
    }

    /// Makes it a new task.
    #[inline]
    pub(crate) fn reset(&self) {
        self.barriers.store(0, Relaxed);
        self.copies.store(0, Relaxed);
        self.single.store(0, Relaxed);
        self.ordered.loops.store(0, Relaxed);
        self.ordered.token.store(0, Relaxed);
        self.ordered.place.store(0, Relaxed);
    }
}

impl OrderedLoop {
    fn assign(&self, from: &Self) {
        copy(&self.token, &from.token);
        copy(&self.place, &from.place);
        copy(&self.start, &from.start);
        copy(&self.down, &from.down);
        for (mine, its) in self.chunk.iter().zip(&from.chunk) {
            copy(mine, its);
        }
    }

    /// The thread starts its next ordered loop, whose turn is kept in the place that `place` finds for the loop's number.
    pub fn start(&self, start: u64, down: bool, place: impl FnOnce(u64) -> Option<usize>) {
        let number = self.loops.load(Relaxed);
        self.loops.store(number + 1, Relaxed);
        self.place.store(place(number).map_or(0, |p| p as u64 + 1), Relaxed);
        self.start.store(start, Relaxed);
        self.down.store(u64::from(down), Relaxed);
    }

    /// The thread has got the iterations from `begin` to before `end`.
    pub fn set_chunk(&self, begin: u64, end: u64) {
        for (place, value) in self.chunk.iter().zip([begin, end]) {
            let start = self.start.load(Relaxed);
            let down = self.down.load(Relaxed) != 0;
            place.store(if down { start.wrapping_sub(value) } else { value.wrapping_sub(start) }, Relaxed);
        }
    }

    /// The thread has no iterations any more.
    pub fn finish(&self) {
        self.place.store(0, Relaxed);
    }

    /// The loop's place and the distances of the chunk's begin and end; `None` when nothing is known of the loop.
    pub fn position(&self) -> Option<(usize, u64, u64)> {
        let place = usize::try_from(self.place.load(Relaxed)).ok()?.checked_sub(1)?;
        let [begin, end] = &self.chunk;
        Some((place, begin.load(Relaxed), end.load(Relaxed)))
    }

    /// How many ordered loops the implicit task has met.
    pub fn number(&self) -> u64 {
        self.loops.load(Relaxed)
    }
}

#[inline]
fn copy(to: &AtomicU64, from: &AtomicU64) {
    to.store(from.load(Relaxed), Relaxed);
}

impl Thread {
    /// A wait id for the next barrier of the implicit task: the same on all its team, another at the next barrier.
    #[inline]
    pub(crate) fn next_barrier(&self) -> u64 {
        let count = self.task().barriers.load(Relaxed) + 1;
        self.task().barriers.store(count, Relaxed);
        self.region_id() << 32 | count & 0xffff_ffff
    }

    /// The number of the next single region with copyprivate that the implicit task meets, from 1.
    #[inline]
    pub fn next_copy(&self) -> u64 {
        let count = self.task().copies.load(Relaxed) + 1;
        self.task().copies.store(count, Relaxed);
        count
    }

    /// The thread executes a single region: raises its begin.
    #[inline]
    pub fn open_single(&'static self) {
        self.task().single.store(self.begin(Span::SINGLE).bits(), Relaxed);
    }

    /// The single region that the thread may be executing has ended, if it didn't already.
    #[inline]
    pub fn close_single(&'static self) {
        let token = Token::from_bits(self.task().single.load(Relaxed));
        if token != Token::NONE {
            self.task().single.store(0, Relaxed);
            self.end(Span::SINGLE, token);
        }
    }

    /// How far the thread is in its ordered loop.
    pub fn ordered_loop(&self) -> &OrderedLoop {
        &self.task().ordered
    }

    /// The thread executes an ordered region: raises its begin.
    pub fn open_ordered(&'static self) {
        self.task().ordered.token.store(self.begin(Span::ORDERED).bits(), Relaxed);
    }

    /// The ordered region that the thread may be executing has ended, if it didn't already.
    #[inline]
    pub fn close_ordered(&'static self) {
        let token = Token::from_bits(self.task().ordered.token.load(Relaxed));
        if token != Token::NONE {
            self.task().ordered.token.store(0, Relaxed);
            self.end(Span::ORDERED, token);
        }
    }

    /// Puts the implicit task aside and starts a new one.
    #[inline]
    pub(crate) fn save_task(&self, saved: &Saved) {
        saved.task.assign(self.task());
        self.task().reset();
    }

    /// Takes the implicit task up again.
    #[inline]
    pub(crate) fn restore_task(&self, saved: &Saved) {
        self.task().reset();
        self.task().assign(&saved.task);
    }
}

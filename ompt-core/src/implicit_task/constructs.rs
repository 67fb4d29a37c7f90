//! Constructs that an implicit task meets: barriers, single and ordered regions, work-sharing.

use super::{ImplicitTask, OrderedLoop};
use crate::detail::{Detail, Work};
use crate::dispatch::{Token, armed};
use crate::event::{Event, Span};
use crate::thread::Thread;
use crate::tls::{self, Call};
use std::sync::atomic::{AtomicU64, Ordering::*};

/// With the kind of a construct that begins when the thread asks for a share of its work.
const EXPECTED: u64 = 1 << 8;

impl Thread {
    /// A wait id for the next barrier of the implicit task: the same on all its team, another at the next barrier.
    #[inline]
    pub(crate) fn next_barrier(&'static self) -> u64 {
        self.region_id() << 32 | self.task().count(0, 32)
    }

    /// The number of the next single region with copyprivate that the implicit task meets, from 1; 16 bits.
    #[inline]
    pub fn next_copy(&'static self) -> u64 {
        self.task().count(32, 16)
    }

    /// The implicit task meets its next ordered loop, which starts at `start` and may count down. `place` finds the place
    /// where its host keeps the turn of the loop of this number (from 1; 16 bits).
    pub fn start_ordered_loop(&'static self, start: u64, down: bool, place: impl FnOnce(u64) -> Option<usize>) {
        let number = self.task().count(48, 16);
        let ordered = &self.task().ordered_loop;
        ordered.number.store(number, Relaxed);
        ordered.place.store(place(number).map_or(0, |p| p as u64 + 1), Relaxed);
        ordered.start.store(start, Relaxed);
        ordered.down.store(u64::from(down), Relaxed);
    }

    /// The thread executes a single region: raises its begin.
    #[inline]
    pub fn open_single(&'static self) {
        self.task().single.store(self.begin(Span::SINGLE).bits(), Relaxed);
    }

    /// The single region that the thread may be executing has ended, if it didn't already.
    #[inline]
    pub fn close_single(&'static self) {
        if self.task().single.load(Relaxed) != 0 {
            self.close(Span::SINGLE, &self.task().single);
        }
    }

    /// The thread meets what only comes after single regions and work-sharing constructs: ends those that have not ended.
    #[inline(always)]
    pub fn close_constructs(&'static self) {
        let task = self.task();
        if task.single.load(Relaxed) | task.work.load(Relaxed) != 0 {
            self.close_open_constructs();
        }
    }

    #[cold]
    #[inline(never)]
    fn close_open_constructs(&'static self) {
        self.close_single();
        self.close_work();
    }

    /// The implicit task starts to take part in a loop, sections or scope.
    #[inline]
    pub fn open_work(&'static self, kind: Work, count: impl FnOnce() -> u64) {
        if armed(Span::WORK.events()) {
            self.open_told_work(kind, count());
        }
    }

    #[cold]
    fn open_told_work(&'static self, kind: Work, count: u64) {
        let task = self.task();
        let token = self.begin_with(Span::WORK, &Detail::Work { kind, count });
        task.work_kind.store(kind as u64, Relaxed);
        task.work_count.store(count, Relaxed);
        task.work.store(token.bits(), Relaxed);
    }

    /// As above, where the region itself is the construct: told when the thread asks for a share. Before that the compiler
    /// may have put a barrier, between the copies of variables that are `firstprivate` and the writes of those that are
    /// `lastprivate` too.
    #[inline]
    pub fn expect_work(&'static self, kind: Work, count: u64) {
        let task = self.task();
        task.work_kind.store(kind as u64 | EXPECTED, Relaxed);
        task.work_count.store(count, Relaxed);
    }

    /// The thread asks for a share.
    #[inline]
    pub fn ask_for_work(&'static self) {
        if self.task().work_kind.load(Relaxed) & EXPECTED != 0 {
            self.open_expected_work(self.task());
        }
    }

    /// Of the call that met the region.
    #[cold]
    fn open_expected_work(&'static self, task: &ImplicitTask) {
        let kind = Work::from_number(task.work_kind.load(Relaxed) & !EXPECTED);
        task.work_kind.store(0, Relaxed);
        if let Some((kind, region)) = kind.zip(self.region()) {
            let call = tls::call();
            tls::set_call(Call { return_address: region.call().return_address, ..call });
            self.open_work(kind, || task.work_count.load(Relaxed));
            tls::set_call(call);
        }
    }

    /// The construct that the implicit task takes part in has no more work for it, if it is in one.
    #[inline]
    pub fn close_work(&'static self) {
        if self.task().work.load(Relaxed) != 0 {
            self.close_told_work(self.task());
        }
    }

    #[cold]
    fn close_told_work(&'static self, task: &ImplicitTask) {
        let token = Token::from_bits(task.work.load(Relaxed));
        task.work.store(0, Relaxed);
        let count = task.work_count.load(Relaxed);
        if let Some(kind) = Work::from_number(task.work_kind.load(Relaxed)) {
            self.end_in_detail(Event::WorkEnd, &Detail::Work { kind, count }, token);
        }
    }

    /// The implicit task meets a doacross loop nest of so many loops.
    pub fn start_doacross(&'static self, loops: u16) {
        let doacross = &self.task().doacross;
        doacross.store(((doacross.load(Relaxed) >> 16) + 1) << 16 | u64::from(loops), Relaxed);
    }

    /// The number of the implicit task's newest doacross loop nest, from 1, and how many loops that has.
    pub fn doacross(&'static self) -> (u64, u16) {
        let doacross = self.task().doacross.load(Relaxed);
        #[allow(clippy::cast_possible_truncation)] // the low bits
        (doacross >> 16, doacross as u16)
    }

    /// The thread's progress in its ordered loop.
    pub fn ordered_loop(&'static self) -> &'static OrderedLoop {
        &self.task().ordered_loop
    }

    /// The thread executes an ordered region: raises its begin.
    pub fn open_ordered(&'static self) {
        self.task().ordered.store(self.begin(Span::ORDERED).bits(), Relaxed);
    }

    /// The ordered region that the thread may be executing has ended, if it didn't already.
    pub fn close_ordered(&'static self) {
        self.close(Span::ORDERED, &self.task().ordered);
    }

    /// The implicit task ends: closes what it has open.
    #[inline]
    pub(crate) fn close_task(&'static self, task: &ImplicitTask) {
        if task.work.load(Relaxed) | task.single.load(Relaxed) | task.ordered.load(Relaxed) != 0 {
            self.close_told_work(task);
            self.close(Span::ORDERED, &task.ordered);
            self.close(Span::SINGLE, &task.single);
        }
        self.close_masked_of(task);
    }

    #[cold]
    fn close(&'static self, span: Span, token: &AtomicU64) {
        // No swap, which is a locked instruction: the word is the thread's own.
        let begun = Token::from_bits(token.load(Relaxed));
        token.store(0, Relaxed);
        self.end(span, begun);
    }
}

//! Constructs that an implicit task encounters: barriers, single and ordered regions, work-sharing.

use super::{ImplicitTask, OrderedLoop};
use crate::detail::{Detail, Work};
use crate::dispatch::{Token, armed};
use crate::event::{Event, Span};
use crate::thread::Thread;
use crate::tls::{self, CallSite};
use std::sync::atomic::{AtomicU64, Ordering::*};

/// Flag of a construct that starts when the thread asks for a share of its work.
const EXPECTED: u64 = 1 << 8;

/// Constructs that the implicit task of a thread, the calling one, encounters.
#[derive(Clone, Copy)]
pub struct Constructs {
    pub(crate) thread: &'static Thread,
}

impl Thread {
    /// The constructs of its implicit task.
    #[inline(always)]
    pub fn constructs(&'static self) -> Constructs {
        Constructs { thread: self }
    }
}

impl Constructs {
    /// Wait id of the implicit task's next barrier: the same on the whole team, and different from the previous
    /// barrier's.
    #[inline]
    pub(crate) fn next_barrier(self) -> u64 {
        self.thread.activity.region_id() << 32 | self.thread.task().count(0, 32)
    }

    /// The number of the next single region with copyprivate that the implicit task encounters, from 1; 16 bits.
    #[inline]
    pub fn next_copy(self) -> u64 {
        self.thread.task().count(32, 16)
    }

    /// Starts the implicit task's next ordered loop, whose variable starts at `start` and counts down if `down`.
    /// `place` returns the index of the adapter's entry for the turn of the loop of that number (from 1; 16 bits).
    pub fn start_ordered_loop(self, start: u64, down: bool, place: impl FnOnce(u64) -> Option<usize>) {
        let number = self.thread.task().count(48, 16);
        let ordered = &self.thread.task().ordered_loop;
        ordered.number.store(number, Relaxed);
        ordered.place.store(place(number).map_or(0, |p| p as u64 + 1), Relaxed);
        ordered.start.store(start, Relaxed);
        ordered.down.store(u64::from(down), Relaxed);
    }

    /// Begins the single region that the thread executes: raises its start event.
    #[inline]
    pub fn open_single(self) {
        self.thread.task().single.store(self.thread.begin(Span::SINGLE).bits(), Relaxed);
    }

    /// Ends the single region that the thread may be executing; does nothing if it has ended.
    #[inline]
    pub fn close_single(self) {
        if self.thread.task().single.load(Relaxed) != 0 {
            self.close(Span::SINGLE, &self.thread.task().single);
        }
    }

    /// Ends the single region and the work-sharing construct that have not ended: the thread encounters something that
    /// can only come after them.
    #[inline(always)]
    pub fn close_constructs(self) {
        let task = self.thread.task();
        if task.single.load(Relaxed) | task.work.load(Relaxed) != 0 {
            self.close_open_constructs();
        }
    }

    /// The same for a thread that encounters a single construct, which a scope construct may contain.
    #[inline(always)]
    pub fn close_before_single(self) {
        let task = self.thread.task();
        if task.single.load(Relaxed) | task.work.load(Relaxed) != 0 {
            self.close_all_but_scope();
        }
    }

    #[cold]
    #[inline(never)]
    fn close_all_but_scope(self) {
        if Work::from_number(self.thread.task().work_kind.load(Relaxed)) == Some(Work::Scope) {
            self.close_single();
        } else {
            self.close_open_constructs();
        }
    }

    #[cold]
    #[inline(never)]
    fn close_open_constructs(self) {
        self.close_single();
        self.close_work();
    }

    /// Begins the implicit task's part of a loop, sections or scope construct.
    #[inline]
    pub fn open_work(self, kind: Work, count: impl FnOnce() -> u64) {
        if armed(Span::WORK.events()) {
            self.open_reported_work(kind, count());
        }
    }

    #[cold]
    fn open_reported_work(self, kind: Work, count: u64) {
        let task = self.thread.task();
        let token = self.thread.begin_with(Span::WORK, &Detail::Work { kind, count });
        task.work_kind.store(kind as u64, Relaxed);
        task.work_count.store(count, Relaxed);
        task.work.store(token.bits(), Relaxed);
    }

    /// Like [`open_work`](Self::open_work), if the region itself is the construct: its start is reported when the
    /// thread asks for a share. Before that, the compiler may have put a barrier between the copies of `firstprivate`
    /// variables and the writes of those that are also `lastprivate`.
    #[inline]
    pub fn expect_work(self, kind: Work, count: u64) {
        let task = self.thread.task();
        task.work_kind.store(kind as u64 | EXPECTED, Relaxed);
        task.work_count.store(count, Relaxed);
    }

    /// Begins the [expected](Self::expect_work) construct, if there is one: the thread asks for a share.
    #[inline]
    pub fn ask_for_work(self) {
        if self.thread.task().work_kind.load(Relaxed) & EXPECTED != 0 {
            self.open_expected_work(self.thread.task());
        }
    }

    /// Begins the expected construct, with the call site that encountered the region.
    #[cold]
    fn open_expected_work(self, task: &ImplicitTask) {
        let kind = Work::from_number(task.work_kind.load(Relaxed) & !EXPECTED);
        task.work_kind.store(0, Relaxed);
        if let Some((kind, region)) = kind.zip(self.thread.current.region()) {
            let call = tls::call();
            tls::set_call(CallSite { return_address: region.call().return_address, ..call });
            self.open_work(kind, || task.work_count.load(Relaxed));
            tls::set_call(call);
        }
    }

    /// Begins a construct at a call that the compiler made for it. No call ends it: its end is reported with the same call site, before
    /// what the thread encounters next. The number of its iterations is not known.
    pub fn open_inlined(self, kind: Work, return_address: usize) {
        let call = tls::call();
        tls::set_call(CallSite { return_address, ..call });
        self.close_constructs();
        self.open_work(kind, || 0);
        let task = self.thread.task();
        if task.work.load(Relaxed) != 0 {
            task.inlined_code.store(return_address, Relaxed);
        }
        tls::set_call(call);
    }

    /// Ends the implicit task's part of the construct, if it is in one: the construct has run out of work for the task.
    #[inline]
    pub fn close_work(self) {
        if self.thread.task().work.load(Relaxed) != 0 {
            self.close_reported_work(self.thread.task());
        }
    }

    #[cold]
    fn close_reported_work(self, task: &ImplicitTask) {
        let token = Token::from_bits(task.work.load(Relaxed));
        task.work.store(0, Relaxed);
        let count = task.work_count.load(Relaxed);
        let Some(kind) = Work::from_number(task.work_kind.load(Relaxed)) else { return };
        let (call, inlined) = (tls::call(), task.inlined_code.load(Relaxed));
        if inlined != 0 {
            task.inlined_code.store(0, Relaxed);
            tls::set_call(CallSite { return_address: inlined, ..call });
        }
        self.thread.end_in_detail(Event::WorkEnd, &Detail::Work { kind, count }, token);
        if inlined != 0 {
            tls::set_call(call);
        }
    }

    /// Begins a doacross loop nest of `loops` loops.
    pub fn start_doacross(self, loops: u16) {
        let doacross = &self.thread.task().doacross;
        doacross.store(((doacross.load(Relaxed) >> 16) + 1) << 16 | u64::from(loops), Relaxed);
    }

    /// The number of the implicit task's newest doacross loop nest, from 1, and its number of loops.
    pub fn doacross(self) -> (u64, u16) {
        let doacross = self.thread.task().doacross.load(Relaxed);
        #[allow(clippy::cast_possible_truncation)] // the low bits
        (doacross >> 16, doacross as u16)
    }

    /// The thread's progress in its ordered loop.
    pub fn ordered_loop(self) -> &'static OrderedLoop {
        &self.thread.task().ordered_loop
    }

    /// Begins the ordered region that the thread executes: raises its start event.
    pub fn open_ordered(self) {
        self.thread.task().ordered.store(self.thread.begin(Span::ORDERED).bits(), Relaxed);
    }

    /// Ends the ordered region that the thread may be executing; does nothing if it has ended.
    pub fn close_ordered(self) {
        self.close(Span::ORDERED, &self.thread.task().ordered);
    }

    /// Ends all constructs that the implicit task has open, at its end.
    #[inline]
    pub(crate) fn close_all(self, task: &ImplicitTask) {
        if task.work.load(Relaxed) | task.single.load(Relaxed) | task.ordered.load(Relaxed) != 0 {
            self.close_reported_work(task);
            self.close(Span::ORDERED, &task.ordered);
            self.close(Span::SINGLE, &task.single);
        }
        self.thread.instrumented().close_masked_of(task);
    }

    #[cold]
    fn close(self, span: Span, token: &AtomicU64) {
        // Not a swap, which is a locked instruction: only this thread writes the word.
        let begun = Token::from_bits(token.load(Relaxed));
        token.store(0, Relaxed);
        self.thread.end(span, begun);
    }
}

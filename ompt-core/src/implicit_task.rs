//! What a thread keeps for the implicit task that it executes: counts of constructs met, and constructs still open.
//!
//! Every thread of a team meets barriers and work-sharing constructs in the same order, so equal counts on two threads of
//! a region mean the same construct.

use crate::detail::{Detail, Work};
use crate::dispatch::{Token, armed};
use crate::event::{Event, Span};
use crate::instrumented::Instrumented;
use crate::iterations::CurrentLoop;
use crate::task::Task;
use crate::thread::Thread;
use crate::tls::{self, Call};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::*};
use system::memory::Zeroed;

/// With the kind of a construct that begins when the thread asks for a share of its work.
const EXPECTED: u64 = 1 << 8;

/// One implicit task. A team's primary thread has it in the region's record, every other thread in its own: so a nested
/// region just points its thread to another one.
#[derive(Default)]
pub(crate) struct ImplicitTask {
    /// Barriers met; single regions with copyprivate met << 32; ordered loops met << 48.
    counts: AtomicU64,
    /// The executor's token of a single region that has not ended.
    single: AtomicU64,
    /// The token of an ordered region that has not ended.
    ordered: AtomicU64,
    /// The token of the region's last barrier.
    pub(crate) last_barrier: AtomicU64,
    /// The call that met the region: what that barrier is told to belong to.
    pub(crate) code: AtomicUsize,
    /// The token of the task itself.
    pub(crate) told: AtomicU64,
    /// The work-sharing construct that has not ended: its token, which one it is, and how much it has to share.
    work: AtomicU64,
    work_kind: AtomicU64,
    work_count: AtomicU64,
    /// The iteration space of that construct if it is a loop, and an address in its code if it is a sections construct: what
    /// chunks and sections are reported by.
    pub(crate) current_loop: CurrentLoop,
    pub(crate) sections_code: AtomicUsize,
    /// Its newest doacross loop nest: how many loops it has, and, << 16, which one it is.
    doacross: AtomicU64,
    ordered_loop: OrderedLoop,
    /// What instrumented code has said of it: see `instrumented`.
    pub(crate) instrumented: Instrumented,
    /// Who it is. A thread's own one is its initial task, too, outside of all regions.
    pub(crate) task: Task,
}

#[allow(unsafe_code)]
// SAFETY: atomics only, for which zero is a value.
unsafe impl Zeroed for ImplicitTask {}

/// How far a thread is in an ordered loop. Iterations are counted from the loop's start, as unsigned distances.
#[derive(Default)]
pub struct OrderedLoop {
    /// The loop's number in the implicit task.
    number: AtomicU64,
    /// Which of its host's places keeps the loop's turn, plus 1; 0: none.
    place: AtomicU64,
    start: AtomicU64,
    down: AtomicU64,
    chunk: [AtomicU64; 2],
}

impl ImplicitTask {
    /// Makes it a new task.
    #[inline]
    pub(crate) fn reset(&self) {
        self.counts.store(0, Relaxed);
        self.single.store(0, Relaxed);
        self.ordered.store(0, Relaxed);
        self.work.store(0, Relaxed);
        self.work_kind.store(0, Relaxed);
        self.current_loop.forget();
        self.sections_code.store(0, Relaxed);
        self.doacross.store(0, Relaxed);
        self.ordered_loop.place.store(0, Relaxed);
        self.instrumented.reset();
    }

    /// Barriers are counted from a number on that depends on that of a target region: no wait id is that of a barrier of the
    /// enclosing team, and hardly one of another thread's target region.
    pub(crate) fn count_barriers_from(&self, target: u64) {
        self.counts.store(1 << 31 | (target & 0x7fff) << 16, Relaxed);
    }

    /// Counts one up, and gives the field's new value.
    #[inline]
    fn count(&self, shift: u32, bits: u32) -> u64 {
        let mask = ((1 << bits) - 1) << shift;
        let counts = self.counts.load(Relaxed);
        let field = counts.wrapping_add(1 << shift) & mask;
        self.counts.store(counts & !mask | field, Relaxed);
        field >> shift
    }
}

impl OrderedLoop {
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

    /// The loop's number in its implicit task, from 1.
    pub fn number(&self) -> u64 {
        self.number.load(Relaxed)
    }
}

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

    /// How far the thread is in its ordered loop.
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

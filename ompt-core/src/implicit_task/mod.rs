//! Record of the implicit task that a thread executes: counts of the constructs that it has encountered, and the
//! constructs that are still open.
//!
//! Every thread of a team encounters barriers and work-sharing constructs in the same order, so equal counts on two
//! threads of a region identify the same construct.

mod constructs;

pub use constructs::Constructs;

use crate::interface::Token;
use crate::iterations::CurrentLoop;
use crate::task::{Task, flag};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::*};

/// One implicit task. A team's primary thread has it in the region's record, every other thread in its own record. So
/// entering a nested region only changes the thread's link.
#[derive(Default)]
pub(crate) struct ImplicitTask {
    /// Barriers encountered; single regions with copyprivate << 32; ordered loops << 48.
    counts: AtomicU64,
    /// The executor's token of a single region that has not ended.
    single: AtomicU64,
    /// The token of an ordered region that has not ended.
    ordered: AtomicU64,
    /// The token of the region's last barrier.
    last_barrier: AtomicU64,
    /// Return address of the call that encountered the region; the last barrier is reported with it.
    code: AtomicUsize,
    /// Token of the task itself.
    token: AtomicU64,
    /// Token of the work-sharing construct that has not ended, the construct's kind, and its number of iterations or
    /// sections.
    work: AtomicU64,
    work_kind: AtomicU64,
    work_count: AtomicU64,
    /// Iteration space of that construct if it is a loop, or an address in its code if it is a sections construct.
    /// Chunks and sections are reported with them.
    pub(crate) current_loop: CurrentLoop,
    sections_code: AtomicUsize,
    /// Call site of that construct if the compiler has inlined it into the program; otherwise 0.
    inlined_code: AtomicUsize,
    /// Number of loops of the newest doacross loop nest, and, << 16, the index of that nest in the task.
    doacross: AtomicU64,
    ordered_loop: OrderedLoop,
    /// State that instrumented code has announced: see the module `instrumented`.
    pub(crate) instrumented: Instrumented,
    /// The task's record. In the thread's own record it is also the initial task, outside of all regions.
    pub(crate) task: Task,
}

system::zeroed!(ImplicitTask {
    counts,
    single,
    ordered,
    last_barrier,
    code,
    token,
    work,
    work_kind,
    work_count,
    current_loop,
    sections_code,
    inlined_code,
    doacross,
    ordered_loop,
    instrumented,
    task
});

/// Progress of a thread in an ordered loop. Iterations are counted from the loop's start, as unsigned distances.
#[derive(Default)]
pub struct OrderedLoop {
    /// The loop's number in the implicit task.
    number: AtomicU64,
    /// Index of the adapter's entry for the loop's turn, plus 1; 0: none.
    place: AtomicU64,
    start: AtomicU64,
    down: AtomicU64,
    chunk: [AtomicU64; 2],
}

system::zeroed!(OrderedLoop { number, place, start, down, chunk });

impl ImplicitTask {
    /// Reinitialises the record for a new task.
    #[inline]
    pub(crate) fn reset(&self) {
        self.counts.store(0, Relaxed);
        self.single.store(0, Relaxed);
        self.ordered.store(0, Relaxed);
        self.work.store(0, Relaxed);
        self.work_kind.store(0, Relaxed);
        self.current_loop.forget();
        self.sections_code.store(0, Relaxed);
        self.inlined_code.store(0, Relaxed);
        self.doacross.store(0, Relaxed);
        self.ordered_loop.place.store(0, Relaxed);
        self.instrumented.reset();
    }

    /// Reinitialises the record as another thread's own one, for its initial task.
    pub(crate) fn renew_initial(&self) {
        self.reset();
        self.last_barrier.store(0, Relaxed);
        self.token.store(0, Relaxed);
        self.task.renew(0);
        self.task.renew_reported(flag::INITIAL, None);
    }

    /// The sessions that were notified of the task itself.
    #[inline(always)]
    pub(crate) fn token(&self) -> Token {
        Token::from_bits(self.token.load(Relaxed))
    }

    #[inline(always)]
    pub(crate) fn set_token(&self, token: Token) {
        self.token.store(token.bits(), Relaxed);
    }

    /// The task ends: returns its token.
    #[inline(always)]
    pub(crate) fn take_token(&self) -> Token {
        Token::from_bits(self.token.swap(0, Relaxed))
    }

    /// The return address with which the last barrier is reported.
    #[inline(always)]
    pub(crate) fn code(&self) -> usize {
        self.code.load(Relaxed)
    }

    #[inline(always)]
    pub(crate) fn set_code(&self, return_address: usize) {
        self.code.store(return_address, Relaxed);
    }

    /// An address in the code of the sections construct.
    #[inline(always)]
    pub(crate) fn sections_code(&self) -> usize {
        self.sections_code.load(Relaxed)
    }

    #[inline(always)]
    pub(crate) fn set_sections_code(&self, address: usize) {
        self.sections_code.store(address, Relaxed);
    }

    /// The sessions that were notified of the region's last barrier.
    #[inline(always)]
    pub(crate) fn last_barrier(&self) -> Token {
        Token::from_bits(self.last_barrier.load(Relaxed))
    }

    #[inline(always)]
    pub(crate) fn set_last_barrier(&self, token: Token) {
        self.last_barrier.store(token.bits(), Relaxed);
    }

    /// Starts the count of barriers at a number that depends on that of a target region. So no wait id equals that of a
    /// barrier of the enclosing team, and it hardly ever equals one of another thread's target region.
    pub(crate) fn count_barriers_from(&self, target: u64) {
        self.counts.store(1 << 31 | (target & 0x7fff) << 16, Relaxed);
    }

    /// Increments a field of the counts, and returns its new value.
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
    /// Records that the thread has got the iterations from `begin` up to, but not including, `end`.
    pub fn set_chunk(&self, begin: u64, end: u64) {
        for (place, value) in self.chunk.iter().zip([begin, end]) {
            let start = self.start.load(Relaxed);
            let down = self.down.load(Relaxed) != 0;
            place.store(if down { start.wrapping_sub(value) } else { value.wrapping_sub(start) }, Relaxed);
        }
    }

    /// Records that the thread has run out of iterations.
    pub fn finish(&self) {
        self.place.store(0, Relaxed);
    }

    /// Index of the loop's entry, and the distances of the chunk's start and end; `None` if the loop is not known.
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

/// The part of an implicit task's record that instrumented code writes.
#[derive(Default)]
pub(crate) struct Instrumented {
    /// The token of a masked region that has not ended.
    masked: AtomicU64,
    /// The announced wait, as words. The first word is 0 if none is announced, and [`LAST`] at the region's last
    /// barrier.
    wait: [AtomicU64; 6],
    /// True while the task is in an atomic update that was reported.
    atomic: AtomicBool,
}

system::zeroed!(Instrumented { masked, wait, atomic });

/// Replaces a wait's first word: the task is at its region's last barrier.
const LAST: u64 = u64::MAX;

impl Instrumented {
    #[inline]
    pub(crate) fn reset(&self) {
        self.forget_wait();
        self.masked.store(0, Relaxed);
        self.atomic.store(false, Relaxed);
    }

    /// The sessions that were notified of the masked region that has not ended.
    #[inline(always)]
    pub(crate) fn masked(&self) -> Token {
        Token::from_bits(self.masked.load(Relaxed))
    }

    #[inline(always)]
    pub(crate) fn set_masked(&self, token: Token) {
        self.masked.store(token.bits(), Relaxed);
    }

    /// True if a wait or the last barrier is announced.
    #[inline(always)]
    pub(crate) fn is_announced(&self) -> bool {
        let [first, ..] = &self.wait;
        first.load(Relaxed) != 0
    }

    /// The announced wait as words.
    #[inline(always)]
    pub(crate) fn wait(&self) -> [u64; 6] {
        self.wait.each_ref().map(|word| word.load(Relaxed))
    }

    #[inline(always)]
    pub(crate) fn set_wait(&self, words: [u64; 6]) {
        for (place, word) in self.wait.iter().zip(words) {
            place.store(word, Relaxed);
        }
    }

    /// The announced wait is over.
    #[inline(always)]
    pub(crate) fn forget_wait(&self) {
        let [first, ..] = &self.wait;
        first.store(0, Relaxed);
    }

    /// The task arrives at its region's last barrier.
    #[inline(always)]
    pub(crate) fn announce_last_barrier(&self) {
        let [first, ..] = &self.wait;
        first.store(LAST, Relaxed);
    }

    #[inline(always)]
    pub(crate) fn is_in_atomic(&self) -> bool {
        self.atomic.load(Relaxed)
    }

    #[inline(always)]
    pub(crate) fn enter_atomic(&self) {
        self.atomic.store(true, Relaxed);
    }

    /// The atomic update ends. False if there was none.
    #[inline(always)]
    pub(crate) fn leave_atomic(&self) -> bool {
        self.atomic.swap(false, Relaxed)
    }

    /// True once the task has arrived at its region's last barrier.
    #[inline(always)]
    pub(crate) fn stands_at_last_barrier(&self) -> bool {
        let [first, ..] = &self.wait;
        first.load(Relaxed) == LAST
    }
}

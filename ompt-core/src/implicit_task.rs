//! What a thread keeps for the implicit task that it executes: counts of constructs met, and constructs still open.
//!
//! Every thread of a team meets barriers and work-sharing constructs in the same order, so equal counts on two threads of
//! a region mean the same construct.

mod constructs;

use crate::iterations::CurrentLoop;
use crate::task::Task;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::*};

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

system::zeroed!(ImplicitTask {
    counts,
    single,
    ordered,
    last_barrier,
    code,
    told,
    work,
    work_kind,
    work_count,
    current_loop,
    sections_code,
    doacross,
    ordered_loop,
    instrumented,
    task
});

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

system::zeroed!(OrderedLoop { number, place, start, down, chunk });

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

/// The part of an implicit task's record that instrumented code writes.
#[derive(Default)]
pub(crate) struct Instrumented {
    /// The token of a masked region that has not ended.
    pub(crate) masked: AtomicU64,
    /// The wait that is announced, as words: the first one is 0 where none is, and [`LAST`] at the region's last barrier.
    pub(crate) wait: [AtomicU64; 6],
    /// True while the task is in an atomic update that was reported.
    pub(crate) atomic: AtomicBool,
}

system::zeroed!(Instrumented { masked, wait, atomic });

/// In place of a wait's first word: the task stands at its region's last barrier.
pub(crate) const LAST: u64 = u64::MAX;

impl Instrumented {
    #[inline]
    pub(crate) fn reset(&self) {
        let [first, ..] = &self.wait;
        first.store(0, Relaxed);
        self.masked.store(0, Relaxed);
        self.atomic.store(false, Relaxed);
    }

    /// True once the task has arrived at its region's last barrier.
    #[inline(always)]
    pub(crate) fn stands_at_last_barrier(&self) -> bool {
        let [first, ..] = &self.wait;
        first.load(Relaxed) == LAST
    }
}

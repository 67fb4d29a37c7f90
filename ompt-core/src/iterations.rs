//! Iteration space of a loop: from the bounds that a runtime's calls pass to logical iterations (OpenMP 5.0, 2.9.1).
//!
//! Bounds are values of the loop variable, which has any step and may count down. Tools get logical iterations: 0, 1,
//! 2, ... Distances are computed modulo 2^64 in the direction of the loop, which is correct for every range of a 64-bit
//! variable.

use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering::*};

/// Iteration space of one loop or of a doacross loop nest.
///
/// ```
/// use ompt_core::iterations::Iterations;
///
/// // for (i = 10; i > 1; i -= 4): the values 10, 6, 2.
/// let space = Iterations::signed(10, 1, -4);
/// assert_eq!(space.count(), 3);
/// // The chunk from 6 to before 1 begins with logical iteration 1, and has 2 iterations.
/// assert_eq!(space.chunk(6, 1), (1, 2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Iterations {
    /// The variable's first value.
    first: u64,
    /// Distance between two values.
    step: NonZeroU64,
    down: bool,
    /// Iterations of the inner loops for each one of the loop that is divided into chunks. 1 except in a doacross nest.
    inner: u64,
    count: u64,
}

impl Iterations {
    /// A loop with a signed variable: first value, bound, step.
    pub fn signed(first: i64, end: i64, step: i64) -> Self {
        let some = if step < 0 { first > end } else { first < end };
        let ends = [first, end].map(i64::cast_unsigned);
        Self::of(ends, step.unsigned_abs(), step < 0, some)
    }

    /// A loop with an unsigned variable. The step of one that counts down is negative, in two's complement.
    pub fn unsigned(up: bool, first: u64, end: u64, step: u64) -> Self {
        let some = if up { first < end } else { first > end };
        Self::of([first, end], if up { step } else { step.wrapping_neg() }, !up, some)
    }

    fn of([first, end]: [u64; 2], step: u64, down: bool, some: bool) -> Self {
        let step = NonZeroU64::new(step).unwrap_or(NonZeroU64::MIN);
        let space = Self { first, step, down, inner: 1, count: 0 };
        let count = if some { space.steps(first, end) } else { 0 };
        Self { count, ..space }
    }

    /// A doacross loop nest: the iterations of the loop that is divided, then those of each loop inside it. All loops
    /// of the nest are associated with the construct (OpenMP 5.0, 2.9.2): a chunk has all iterations of the inner
    /// loops.
    pub fn nest(counts: impl IntoIterator<Item = u64>) -> Self {
        let mut counts = counts.into_iter();
        let outer = counts.next().unwrap_or(0);
        let inner = counts.fold(1, u64::wrapping_mul);
        Self { first: 0, step: NonZeroU64::MIN, down: false, inner, count: outer.wrapping_mul(inner) }
    }

    /// The number of iterations.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// First logical iteration and number of iterations of the chunk from one value of the variable up to, but not
    /// including, another.
    pub fn chunk(&self, begin: u64, end: u64) -> (u64, u64) {
        let [first, iterations] = [(self.first, begin), (begin, end)].map(|(from, to)| self.steps(from, to));
        (first.wrapping_mul(self.inner), iterations.wrapping_mul(self.inner))
    }

    /// The number of steps that reach or pass `to`.
    fn steps(&self, from: u64, to: u64) -> u64 {
        let distance = if self.down { from.wrapping_sub(to) } else { to.wrapping_sub(from) };
        // The divisor is not 0, so this can't panic.
        distance / self.step + u64::from(distance % self.step != 0)
    }
}

/// The iteration space of the loop that an implicit task is in, if it is known. Owning thread only.
#[derive(Debug, Default)]
pub(crate) struct CurrentLoop {
    first: AtomicU64,
    /// Distance between two values of the variable; 0: the loop is not known.
    step: AtomicU64,
    down: AtomicU64,
    inner: AtomicU64,
    count: AtomicU64,
}

system::zeroed!(CurrentLoop { first, step, down, inner, count });

impl CurrentLoop {
    /// Forgets the loop.
    #[inline(always)]
    pub(crate) fn forget(&self) {
        self.step.store(0, Relaxed);
    }

    pub(crate) fn set(&self, space: Iterations) {
        self.first.store(space.first, Relaxed);
        self.down.store(u64::from(space.down), Relaxed);
        self.inner.store(space.inner, Relaxed);
        self.count.store(space.count, Relaxed);
        self.step.store(space.step.get(), Relaxed);
    }

    pub(crate) fn get(&self) -> Option<Iterations> {
        NonZeroU64::new(self.step.load(Relaxed)).map(|step| Iterations {
            first: self.first.load(Relaxed),
            step,
            down: self.down.load(Relaxed) != 0,
            inner: self.inner.load(Relaxed),
            count: self.count.load(Relaxed),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that chunks of `size` iterations each add up to the loop, and that each starts where the last one ended.
    fn divides(space: Iterations, value: impl Fn(u64) -> u64, size: u64) {
        let outer = space.count / space.inner;
        let mut next = 0;
        for begin in (0..outer).step_by(usize::try_from(size).unwrap()) {
            let end = (begin + size).min(outer);
            let chunk = space.chunk(value(begin), value(end));
            assert_eq!(chunk, (begin * space.inner, (end - begin) * space.inner), "{space:?}");
            next = chunk.0 + chunk.1;
        }
        assert_eq!(next, space.count, "{space:?}");
    }

    #[test]
    fn chunks_of_loops_of_every_step_add_up() {
        for step in [1_i64, 2, 3, 7, 1000, -1, -2, -3, -7, -1000] {
            for distance in [0, 1, 2, 5, 6, 7, 999, 1000, 1001] {
                let end = 5 + distance * step.signum();
                let space = Iterations::signed(5, end, step);
                assert_eq!(space.count(), distance.unsigned_abs().div_ceil(step.unsigned_abs()));
                let value = |i: u64| (5 + i.cast_signed() * step).cast_unsigned();
                divides(space, value, 4);
                let up = step > 0;
                let (first, end) = (10_000, 10_000 + distance.unsigned_abs());
                let (first, end) = if up { (first, end) } else { (end, first) };
                let space = Iterations::unsigned(up, first, end, step.cast_unsigned());
                let value = |i: u64| first.wrapping_add(i.wrapping_mul(step.cast_unsigned()));
                divides(space, value, 3);
            }
        }
    }

    #[test]
    fn a_last_chunk_that_ends_at_the_loops_bound_is_whole() {
        let space = Iterations::signed(0, 10, 3);
        assert_eq!((space.count(), space.chunk(6, 10)), (4, (2, 2)));
        let space = Iterations::signed(10, 1, -4);
        assert_eq!((space.count(), space.chunk(2, 1)), (3, (2, 1)));
    }

    #[test]
    fn loops_over_the_whole_range_of_a_variable_have_their_iterations() {
        let space = Iterations::signed(i64::MIN, i64::MAX, 1);
        assert_eq!(space.count(), u64::MAX);
        assert_eq!(space.chunk(0, i64::MAX.cast_unsigned()), (1 << 63, (1 << 63) - 1));
        assert_eq!(Iterations::signed(i64::MAX, i64::MIN, i64::MIN).count(), 2);
        assert_eq!(Iterations::unsigned(true, 0, u64::MAX, u64::MAX).count(), 1);
        assert_eq!(Iterations::unsigned(false, u64::MAX, 0, 1_u64.wrapping_neg()).count(), u64::MAX);
    }

    #[test]
    fn a_loop_whose_condition_is_false_at_once_has_none() {
        assert_eq!(Iterations::signed(1, 0, 1).count(), 0);
        assert_eq!(Iterations::signed(0, 1, -1).count(), 0);
        assert_eq!(Iterations::unsigned(true, 1, 0, 1).count(), 0);
        assert_eq!(Iterations::unsigned(false, 0, 1, 1_u64.wrapping_neg()).count(), 0);
    }

    #[test]
    fn chunks_of_a_doacross_nest_have_the_inner_loops_iterations() {
        let space = Iterations::nest([3, 4, 5]);
        assert_eq!((space.count(), space.chunk(0, 2), space.chunk(2, 3)), (60, (0, 40), (40, 20)));
        divides(space, |i| i, 2);
    }

    #[test]
    fn what_is_known_of_a_loop_is_forgotten_with_it() {
        let current = CurrentLoop::default();
        assert_eq!(current.get(), None);
        let space = Iterations::signed(9, -9, -2);
        current.set(space);
        assert_eq!(current.get(), Some(space));
        current.forget();
        assert_eq!(current.get(), None);
    }
}

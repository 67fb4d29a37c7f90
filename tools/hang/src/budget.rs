//! Bounds for all looks at a process together: a process can have any number of threads, frames and branches.

use std::time::{Duration, Instant};

/// Maximum number of instructions that are followed in all.
const STEPS: usize = 16 << 20;
/// Number of threads among which the instructions of a look are divided: one that needs less leaves more to the
/// others.
const SHARES: usize = 64;
/// Maximum total wait for threads that are stopped for a moment.
const WAITS: Duration = Duration::from_secs(30);
/// Maximum number of frames of a look.
const FRAMES: usize = 1 << 17;

/// Steps, time and frames that are left.
#[derive(Debug)]
pub(crate) struct Budget {
    steps: usize,
    waits: Duration,
    of_look: Share,
}

/// Steps, time and frames that are left for one look.
#[derive(Debug, Default)]
struct Share {
    threads: usize,
    steps: usize,
    waits: Duration,
    frames: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { steps: STEPS, waits: WAITS, of_look: Share::default() }
    }
}

impl Budget {
    /// Starts a look at `threads` threads. It gets a part of what is left, so that there is something for each
    /// further one.
    pub(crate) fn begin(&mut self, threads: usize) {
        self.of_look = Share { threads, steps: self.steps / 4, waits: self.waits / 2, frames: FRAMES };
    }

    /// Number of instructions that may be followed for the next thread.
    pub(crate) fn steps(&mut self) -> usize {
        let share = self.of_look.steps / self.of_look.threads.clamp(1, SHARES);
        self.of_look.threads = self.of_look.threads.saturating_sub(1);
        share
    }

    /// Counts instructions that were followed.
    pub(crate) fn followed(&mut self, steps: usize) {
        self.steps = self.steps.saturating_sub(steps);
        self.of_look.steps = self.of_look.steps.saturating_sub(steps);
    }

    /// Number of the frames of a stack that are kept.
    pub(crate) fn frames(&mut self, wanted: usize) -> usize {
        let kept = wanted.min(self.of_look.frames);
        self.of_look.frames -= kept;
        kept
    }

    /// Time for which threads may still be waited for.
    pub(crate) fn wait(&self) -> Duration {
        self.of_look.waits
    }

    /// Counts the time since a wait has started.
    pub(crate) fn waited(&mut self, begun: Instant) {
        self.waits = self.waits.saturating_sub(begun.elapsed());
        self.of_look.waits = self.of_look.waits.saturating_sub(begun.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_at_any_number_of_threads_follow_a_bounded_number_of_instructions() {
        let (mut budget, mut all) = (Budget::default(), 0);
        for _ in 0..41 {
            budget.begin(10_000);
            for _ in 0..10_000 {
                let steps = budget.steps();
                budget.followed(steps);
                all += steps;
            }
        }
        assert!(all > STEPS / 2 && all <= STEPS, "{all}");
    }

    #[test]
    fn threads_of_an_ordinary_process_have_enough_instructions_at_each_look() {
        let mut budget = Budget::default();
        for _ in 0..41 {
            budget.begin(64);
            for _ in 0..64 {
                assert!(budget.steps() >= 5_000);
                budget.followed(5_000);
            }
        }
    }

    #[test]
    fn waits_and_frames_have_an_end() {
        let mut budget = Budget::default();
        budget.begin(1);
        assert_eq!((budget.wait(), budget.frames(2000)), (WAITS / 2, 2000));
        budget.waited(Instant::now().checked_sub(WAITS).unwrap());
        assert_eq!((budget.wait(), budget.frames(FRAMES)), (Duration::ZERO, FRAMES - 2000));
        budget.begin(1);
        assert_eq!((budget.wait(), budget.frames(FRAMES)), (Duration::ZERO, FRAMES));
    }
}

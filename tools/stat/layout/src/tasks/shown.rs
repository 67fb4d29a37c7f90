//! The share of watching's cost that shows in the times of a place's undeferred tasks.
//!
//! A processor executes subsequent instructions while a body waits for its own operands. So the time between a task's events may be
//! shorter than its body and the overhead together, even shorter than the body. A stamp waits until the body has ended. So tasks with
//! stamps show how long bodies are, tasks without them what remains of that between their events, and the difference is what has to be
//! subtracted.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::median::Median;

/// Tasks of one place on one thread that have created no tasks. All zero if there are none.
#[repr(C)]
#[derive(Debug)]
pub struct Shown {
    /// The typical body, by stamps.
    body: Median,
    /// The typical time between events, without the creation.
    whole: Median,
    bodies: AtomicU32,
    wholes: AtomicU32,
}

/// Below this many measurements the median adapts quickly.
const QUICK_SAMPLES: u32 = 64;
/// Minimum number of measurements from which conclusions are drawn.
const MIN_SAMPLES: u32 = 16;

impl Shown {
    /// Records the duration of a body, by its stamps.
    #[inline]
    pub fn put_body(&self, took: u64) {
        put(&self.body, &self.bodies, took);
    }

    /// Records the time between the events of a task.
    #[inline]
    pub fn put_whole(&self, took: u64) {
        put(&self.whole, &self.wholes, took);
    }

    /// Time from the callback at a creation's start, without the creation, to the point where the time of the body begins, if it lasts
    /// until `leave` before the callback at its end. Negative if the body hides more than that. `enter`, `leave`: times that watching adds
    /// before and after the body.
    #[inline(always)]
    pub fn enter(&self, enter: u64, leave: u64) -> i64 {
        let most = (enter + leave).cast_signed();
        let added = if self.bodies.load(Relaxed).min(self.wholes.load(Relaxed)) < MIN_SAMPLES {
            most
        } else {
            (self.whole.get().cast_signed() - self.body.get().cast_signed()).clamp(-most, most)
        };
        added - leave.cast_signed()
    }
}

#[cold]
#[inline(never)]
fn put(median: &Median, count: &AtomicU32, took: u64) {
    let so_far = count.load(Relaxed);
    count.store(so_far.saturating_add(1), Relaxed);
    // 0 would mean no value.
    median.put(took.max(1), so_far < QUICK_SAMPLES);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::area::SharedArea;
    use crate::tasks::layout::TasksArea;

    #[test]
    fn what_shows_is_taken_off_and_no_more_than_there_can_be() {
        for (whole, enter) in [(155, 40), (140, 25), (100, -15), (80, -35), (1, -55 - 15), (1000, 40)] {
            let shared = SharedArea::<TasksArea>::create(0).unwrap();
            let shown = &shared.area().claim_cell().unwrap().shown;
            (0..MIN_SAMPLES).for_each(|_| shown.put_body(100));
            (1..MIN_SAMPLES).for_each(|_| shown.put_whole(whole));
            assert_eq!(shown.enter(40, 15), 40, "few");
            shown.put_whole(whole);
            assert_eq!(shown.enter(40, 15), enter, "{whole}");
        }
    }
}

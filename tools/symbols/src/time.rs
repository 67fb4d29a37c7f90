//! Processor time of all look-ups of names together.
//!
//! Each file of code takes a bounded time, and a process can map any number of files. Past the bound the remaining names are
//! addresses. Unsafe: a system call.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Time for a command's look-ups. The largest programs take several seconds each.
const MAX: Duration = Duration::from_secs(60);

/// True once a time was used up.
static IS_USED_UP: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Processor time of this thread at which the current look-up has to end, if there is a limit.
    static END: Cell<Option<Duration>> = const { Cell::new(None) };
}

/// True if names are missing because looking them up takes too long.
pub fn are_names_missing() -> bool {
    IS_USED_UP.load(Relaxed)
}

/// True if the current look-up has to end.
pub(super) fn is_over() -> bool {
    END.get().is_some_and(|end| spent() >= end)
}

/// Processor time of this thread so far. Time for which others have the processor doesn't count.
fn spent() -> Duration {
    // Through the C library: rustix looks for the vDSO itself, which does not exist under valgrind, and crashes.
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is writable (clock_gettime(2)).
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// Time that is left for look-ups.
#[derive(Debug)]
pub(crate) struct TimeLeft(Cell<Duration>);

impl Default for TimeLeft {
    fn default() -> Self {
        Self(Cell::new(MAX))
    }
}

impl TimeLeft {
    pub(crate) fn of(left: Duration) -> Self {
        Self(Cell::new(left))
    }

    /// Runs a look-up, which may be cut short. `None` if no time is left.
    pub(crate) fn spend<T>(&self, look_up: impl FnOnce() -> T) -> Option<T> {
        let left = self.0.get();
        if left.is_zero() {
            return None;
        }
        let begun = spent();
        let before = END.replace(Some(begun + left));
        let found = look_up();
        END.set(before);
        self.0.set(left.saturating_sub(spent().saturating_sub(begun)));
        if self.0.get().is_zero() {
            IS_USED_UP.store(true, Relaxed);
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_that_is_used_up_ends_the_look_up_and_the_next_ones() {
        let time = TimeLeft::of(Duration::from_millis(1));
        assert_eq!(time.spend(|| while !is_over() {}), Some(()));
        assert_eq!(time.spend(|| ()), None);
        assert!(are_names_missing() && !is_over());
        assert!(TimeLeft::default().spend(is_over).is_some_and(|is_over| !is_over));
    }
}

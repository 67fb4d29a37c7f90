//! Clock of the events.
#![allow(unsafe_code)] // system calls

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use system::arch::{COUNTER_SOURCE, counter, is_counter_steady};
use trace_format::{Clock, Pair};

static USES_COUNTER: AtomicBool = AtomicBool::new(false);

/// Chooses the processor's counter if the system uses it for its own clock: only then are the counters of several
/// processors the same.
pub(crate) fn choose() {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    let system = read("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    USES_COUNTER.store(system.trim() == COUNTER_SOURCE && is_counter_steady(&read("/proc/cpuinfo")), Relaxed);
}

/// The clock that was chosen.
pub(crate) fn chosen() -> Clock {
    if USES_COUNTER.load(Relaxed) { Clock::Counter } else { Clock::Monotonic }
}

/// The current time, in ticks.
#[inline(always)]
pub(crate) fn now() -> u64 {
    if USES_COUNTER.load(Relaxed) { counter() } else { monotonic_ns() }
}

/// Longest time, in ticks, that reading both clocks may take: a thread that loses its processor in between takes longer.
const TOGETHER: u64 = 2000;
/// Number of attempts.
const TRIES: u32 = 4;

/// The current time by both clocks.
pub(crate) fn pair() -> Pair {
    if chosen() == Clock::Monotonic {
        let ns = monotonic_ns();
        return Pair { tick: ns, ns };
    }
    let read = || {
        let before = now();
        let ns = monotonic_ns();
        let took = now().saturating_sub(before);
        (took, Pair { tick: before + took / 2, ns })
    };
    let mut best = read();
    for _ in 1..TRIES {
        if best.0 < TOGETHER {
            break;
        }
        best = read();
    }
    best.1
}

/// CLOCK_MONOTONIC, in nanoseconds.
#[cold]
#[inline(never)]
pub(crate) fn monotonic_ns() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// CLOCK_REALTIME, in nanoseconds.
pub(crate) fn real_ns() -> u64 {
    read(libc::CLOCK_REALTIME)
}

fn read(which: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is writable; both clocks always exist (clock_gettime(2)).
    unsafe { libc::clock_gettime(which, &raw mut time) };
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

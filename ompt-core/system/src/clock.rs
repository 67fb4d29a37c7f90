//! The system's clock.
#![allow(unsafe_code)] // a call into the C library

/// CLOCK_MONOTONIC in nanoseconds. Async-signal-safe (POSIX.1).
pub fn monotonic_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` may be written; this clock always exists (clock_gettime(2)).
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    // The clock counts from the start of the machine: neither part is negative.
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

//! The clock that all times here come from. Unsafe: a call into the C library.
#![allow(unsafe_code)]

/// CLOCK_MONOTONIC in nanoseconds: the same for all processes.
#[inline]
pub fn monotonic_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is writable; this clock always exists.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    // The clock counts from the start of the machine: neither part is negative.
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

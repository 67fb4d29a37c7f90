//! A thread's time by the kernel: its CPU clock, the time for which it was ready without a processor, and the
//! processors that it may use. Unsafe: system calls.
//!
//! Allocates nothing, is not a cancellation point, and leaves `errno` unchanged.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int, c_long};

use stat_layout::stat::surroundings::WORDS;

/// The calling thread's CPU time, in nanoseconds.
pub(crate) fn cpu_ns() -> u64 {
    clock(libc::CLOCK_THREAD_CPUTIME_ID).unwrap_or_default()
}

/// The CPU time of a thread of this process; `None`: it has ended.
pub(crate) fn cpu_ns_of(tid: u32) -> Option<u64> {
    // As in pthread_getcpuclockid: the complement of the number, "of a thread" and "precise".
    clock(!tid.cast_signed() << 3 | 6)
}

/// The CPU time of all threads of this process, also of those that have ended.
pub(crate) fn cpu_ns_of_process() -> u64 {
    clock(libc::CLOCK_PROCESS_CPUTIME_ID).unwrap_or_default()
}

fn clock(which: libc::clockid_t) -> Option<u64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is writable.
    let answer = keeping_errno(|| unsafe { libc::clock_gettime(which, &raw mut time) });
    (answer == 0).then(|| time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs())
}

/// Number of times that the kernel has moved a thread of this process to another processor; `None`: it doesn't say. An entry
/// of `/proc` is kept as by [`delay`].
pub(crate) fn moves(tid: u32) -> Option<u32> {
    // The count is among the first of two dozen lines.
    let mut text = [0; 512];
    parse_moves(of_thread(tid, b"/sched", &mut text)?)
}

/// Time for which a thread of this process was ready without a processor, in nanoseconds, and number of its turns on
/// one (`schedstat`). The kernel keeps an entry of `/proc` for each thread asked about, which makes that thread's end
/// slower by some 100 microseconds.
pub(crate) fn delay(tid: u32) -> Option<(u64, u64)> {
    let mut text = [0; 96];
    parse(of_thread(tid, b"/schedstat", &mut text)?)
}

/// The first bytes of a thread's file in `/proc`.
fn of_thread<'t>(tid: u32, file: &[u8], text: &'t mut [u8]) -> Option<&'t [u8]> {
    let mut path = [0; 48];
    let mut at = 0;
    let mut put = |bytes: &[u8]| {
        if let Some(to) = path.get_mut(at..at + bytes.len()) {
            to.copy_from_slice(bytes);
            at += bytes.len();
        }
    };
    if tid == std::process::id() {
        put(b"/proc/self");
    } else {
        let mut digits = [0; 10];
        put(b"/proc/self/task/");
        put(decimal(tid, &mut digits));
    }
    put(file);
    let got = read(CStr::from_bytes_until_nul(&path).ok()?, text);
    text.get(..got)
}

fn decimal(mut number: u32, digits: &mut [u8; 10]) -> &[u8] {
    let mut from = digits.len();
    for (place, digit) in digits.iter_mut().enumerate().rev() {
        *digit = b'0' + u8::try_from(number % 10).unwrap_or_default();
        number /= 10;
        from = place;
        if number == 0 {
            break;
        }
    }
    digits.get(from..).unwrap_or_default()
}

fn parse(schedstat: &[u8]) -> Option<(u64, u64)> {
    let mut numbers = str::from_utf8(schedstat).ok()?.split_ascii_whitespace().map(|word| word.parse().ok());
    let (_ran_ns, delay_ns, runs) = (numbers.next()?, numbers.next()??, numbers.next()??);
    Some((delay_ns, runs))
}

fn parse_moves(sched: &[u8]) -> Option<u32> {
    let mut lines = sched.split(|byte| *byte == b'\n');
    let line = lines.find_map(|line| str::from_utf8(line).ok()?.strip_prefix("se.nr_migrations"))?;
    line.trim_start_matches([' ', ':']).parse().ok()
}

fn read(path: &CStr, into: &mut [u8]) -> usize {
    keeping_errno(|| {
        // SAFETY: `path` is a C string, which the call only reads (openat(2)).
        let fd = unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), READ_ONLY, 0) };
        if fd < 0 {
            return 0;
        }
        // SAFETY: the kernel writes at most `into.len()` bytes, to `into` (read(2)).
        let got = unsafe { libc::syscall(libc::SYS_read, fd, into.as_mut_ptr(), into.len()) };
        // SAFETY: `openat` returned this descriptor, and nobody else has it.
        unsafe { libc::syscall(libc::SYS_close, fd) };
        usize::try_from(got).unwrap_or(0)
    })
}

const READ_ONLY: c_int = libc::O_RDONLY | libc::O_CLOEXEC;

/// Voluntary and involuntary context switches of the calling thread.
pub(crate) fn switches() -> [u64; 2] {
    // SAFETY: all zero is a valid `rusage`.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is writable.
    keeping_errno(|| unsafe { libc::syscall(libc::SYS_getrusage, libc::RUSAGE_THREAD, &raw mut usage) });
    [usage.ru_nvcsw, usage.ru_nivcsw].map(c_long::unsigned_abs)
}

/// The processors that the calling thread may run on, one bit each.
pub(crate) fn allowed() -> Option<[u64; WORDS]> {
    let mut mask = [0_u64; WORDS];
    // SAFETY: the kernel writes at most the size that is given, to `mask` (sched_getaffinity(2)).
    let got = keeping_errno(|| unsafe {
        libc::syscall(libc::SYS_sched_getaffinity, 0, size_of_val(&mask), mask.as_mut_ptr())
    });
    (got > 0).then_some(mask)
}

fn keeping_errno<T>(call: impl FnOnce() -> T) -> T {
    // SAFETY: takes nothing; errno's place exists as long as the calling thread (errno(3)).
    let place = unsafe { libc::__errno_location() };
    // SAFETY: errno's place may be read by its thread, which is this one (errno(3)).
    let before = unsafe { *place };
    let answer = call();
    // SAFETY: errno's place may be written by its thread, which is this one (errno(3)).
    unsafe { *place = before };
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedstat_has_the_delay_and_the_turns_behind_the_time() {
        assert_eq!(parse(b"282920309 187399 11\n"), Some((187_399, 11)));
        assert_eq!(parse(b"7 8"), None);
        assert_eq!(parse(b"0 x 1"), None);
    }

    #[test]
    fn sched_has_the_moves() {
        let text = b"cat (1, #threads: 1)\n-----\nse.sum_exec_runtime : 0.1\nse.nr_migrations         :          42\nnr_switches : 1";
        assert_eq!(parse_moves(text), Some(42));
        assert_eq!(parse_moves(b"cat (1, #threads: 1)\nnr_switches : 1"), None);
    }

    #[test]
    fn numbers_are_written_in_full() {
        for number in [0, 7, 10, 4_194_304, u32::MAX] {
            assert_eq!(decimal(number, &mut [0; 10]), number.to_string().as_bytes());
        }
    }

    #[test]
    fn a_threads_clock_is_had_by_its_number_and_errno_stays() {
        let tid = system::threads::id();
        let before = cpu_ns();
        assert!(cpu_ns_of(tid).unwrap() >= before);
        assert!(cpu_ns_of_process() >= before);
        let errno = || std::io::Error::last_os_error().raw_os_error();
        let kept = errno();
        // Not a thread of this process.
        assert_eq!(cpu_ns_of(1), None);
        assert_eq!(delay(u32::MAX), None);
        assert_eq!(errno(), kept);
        assert!(allowed().unwrap().iter().any(|word| *word != 0));
    }
}

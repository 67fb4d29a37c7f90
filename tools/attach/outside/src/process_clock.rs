//! Clocks of another process: it may be in another time namespace (time_namespaces(7)), where CLOCK_MONOTONIC shows other
//! times. Unsafe: a system call.
#![allow(unsafe_code)]

use std::fs;
use std::path::Path;

use system::clock::monotonic_ns;
use untrusted::proc_text;

/// A tick of the times in `/proc`, in nanoseconds: `USER_HZ` is 100 on x86-64 and aarch64.
pub(crate) const TICK_NS: u64 = 10_000_000;

/// Difference of the process's CLOCK_MONOTONIC to ours, in nanoseconds. `None` if it can't be determined; the process may have
/// ended.
pub fn ahead_ns(pid: u32) -> Option<i64> {
    let link = |process: &str, name: &str| fs::read_link(format!("/proc/{process}/ns/{name}")).ok();
    let Some(own) = link("self", "time") else {
        // The kernel does not support such namespaces.
        return Some(0);
    };
    let process = pid.to_string();
    let theirs = link(&process, "time")?;
    if theirs == own {
        return Some(0);
    }
    // The offsets are those of the namespace for future children.
    let offset = |process: &str| offset_ns(&read(&format!("/proc/{process}/timens_offsets"))?);
    let known = link(&process, "time_for_children")? == theirs && link("self", "time_for_children")? == own;
    if known { offset(&process)?.checked_sub(offset("self")?) } else { None }
}

/// Converts a moment of our CLOCK_MONOTONIC to the process's clock.
pub fn as_theirs(own_ns: u64, ahead_ns: i64) -> u64 {
    own_ns.saturating_add_signed(ahead_ns)
}

/// Start of a process by our CLOCK_MONOTONIC, or an earlier moment if the system has slept since.
pub fn started_ns(pid: u32) -> Option<u64> {
    let ticks = start_ticks(&read(&format!("/proc/{pid}/stat"))?)?;
    let boot_ns = ticks.checked_mul(TICK_NS)?;
    let now_boot_ns = read("/proc/uptime").and_then(|text| seconds_ns(text.split_whitespace().next()?))?;
    let slept_ns = now_boot_ns.saturating_sub(monotonic_ns());
    Some(boot_ns.saturating_sub(slept_ns))
}

/// CPU time of a process: its clock's number is computed as by clock_getcpuclockid(3).
pub fn cpu_ns(pid: u32) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is writable.
    let answer = unsafe { libc::clock_gettime(!pid.cast_signed() << 3 | 2, &raw mut time) };
    if answer == 0 { time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs() } else { 0 }
}

fn read(path: &str) -> Option<String> {
    proc_text::text(Path::new(path)).ok()
}

/// The offset of CLOCK_MONOTONIC, in nanoseconds.
fn offset_ns(text: &str) -> Option<i64> {
    let line = text.lines().find_map(|line| line.strip_prefix("monotonic"))?;
    let mut words = line.split_whitespace().map(|word| word.parse::<i64>().ok());
    words.next()??.checked_mul(1_000_000_000)?.checked_add(words.next()??)
}

/// Field 22 of a process's `stat`. The name before it is in parentheses and may contain any character.
fn start_ticks(stat: &str) -> Option<u64> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

/// Seconds with two decimals, in nanoseconds.
fn seconds_ns(text: &str) -> Option<u64> {
    let (whole, hundredths) = text.split_once('.')?;
    whole.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_add(hundredths.parse::<u64>().ok()? * 10_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_and_start_times_are_read() {
        let text = "monotonic  100000000         5\nboottime           0         0\n";
        assert_eq!(offset_ns(text), Some(100_000_000_000_000_005));
        assert_eq!(offset_ns("monotonic         -10         0"), Some(-10_000_000_000));
        assert_eq!(offset_ns(""), None);
        let stat = format!("7 (a) b) S {} 1234 5", vec!["0"; 18].join(" "));
        assert_eq!(start_ticks(&stat), Some(1234));
        assert_eq!(seconds_ns("12.34"), Some(12_340_000_000));
    }

    #[test]
    fn this_process_has_its_own_clock_and_has_started() {
        assert_eq!(ahead_ns(std::process::id()), Some(0));
        let started = started_ns(std::process::id()).unwrap();
        assert!(started <= monotonic_ns() + 1_000_000_000 && started > 0);
        assert_eq!((ahead_ns(u32::MAX >> 1), started_ns(u32::MAX >> 1)), (None, None));
    }
}

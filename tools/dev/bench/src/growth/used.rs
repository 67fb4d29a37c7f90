//! CPU time and memory of a command and its children. Unsafe: wait4(2), the only call that returns both, and the clock of another process.
#![allow(unsafe_code)]

use std::io;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// Resources that a command has used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Used {
    pub(super) cpu_seconds: f64,
    /// Memory of its largest process.
    pub(super) mebibytes: f64,
}

impl Used {
    pub(super) const NOTHING: Self = Self { cpu_seconds: 0.0, mebibytes: 0.0 };
}

/// Maximum time of one run.
const LIMIT: Duration = Duration::from_secs(150);
/// Runs of less CPU time, in seconds, are repeated: other programs disturb them by as much as they take.
const SHORT_SECONDS: f64 = 0.5;
/// Number of runs of which the least CPU time counts.
const RUNS: u32 = 3;

/// Runs a command `rounds` times; 0: several times if it is short. Fails after the time limit, and with an exit code that is not listed.
pub(super) fn of(rounds: u32, codes: &[i32], mut command: impl FnMut() -> Result<Command>) -> Result<Used> {
    let mut least = once(codes, &mut command()?)?;
    for _ in 1..if rounds == 0 { RUNS } else { rounds } {
        if rounds == 0 && least.cpu_seconds > SHORT_SECONDS {
            break;
        }
        let next = once(codes, &mut command()?)?;
        if next.cpu_seconds < least.cpu_seconds {
            least = next;
        }
    }
    Ok(least)
}

fn once(codes: &[i32], command: &mut Command) -> Result<Used> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let begun = Instant::now();
    loop {
        if let Some((status, used)) = wait(&child)? {
            if !libc::WIFEXITED(status) {
                bail!("signal {} has ended it", libc::WTERMSIG(status));
            }
            if !codes.contains(&libc::WEXITSTATUS(status)) {
                bail!("it failed with exit code {}", libc::WEXITSTATUS(status));
            }
            return Ok(used);
        }
        if begun.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            bail!("it took more than {} s", LIMIT.as_secs());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Status and resource usage of a child, if it has ended.
fn wait(child: &Child) -> Result<Option<(i32, Used)>> {
    let mut status = 0;
    // SAFETY: all zero is a valid `rusage`.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `status` and `usage` are valid for writes; the child is ours, and nobody else waits for it (wait4(2)).
    let found = unsafe { libc::wait4(child.id().cast_signed(), &raw mut status, libc::WNOHANG, &raw mut usage) };
    match found {
        0 => Ok(None),
        1.. => {
            let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
            let cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
            Ok(Some((status, Used { cpu_seconds, mebibytes: usage.ru_maxrss as f64 / 1024.0 })))
        }
        _ => Err(io::Error::last_os_error().into()),
    }
}

/// CPU time of another process so far, in seconds; 0 if it is unknown.
pub(super) fn cpu_seconds_of(process: u32) -> f64 {
    let mut clock = 0;
    // SAFETY: `clock` is valid for writes (clock_getcpuclockid(3)).
    let error = unsafe { libc::clock_getcpuclockid(process.cast_signed(), &raw mut clock) };
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writes; a clock of a process that has ended is an error (clock_gettime(2)).
    if error != 0 || unsafe { libc::clock_gettime(clock, &raw mut time) } != 0 {
        return 0.0;
    }
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

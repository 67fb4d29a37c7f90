//! CPU time and memory of a command and its children. Unsafe: wait4(2), the only call that returns both.
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

/// Runs a command to its end, or until the limit; then the result is `None`.
pub(super) fn of(command: &mut Command, limit: Duration) -> Result<Option<Used>> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let begun = Instant::now();
    loop {
        if let Some((status, used)) = wait(&child)? {
            if status != 0 {
                bail!("it failed ({})", if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { status });
            }
            return Ok(Some(used));
        }
        if begun.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
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

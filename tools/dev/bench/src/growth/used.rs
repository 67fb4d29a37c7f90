//! CPU time and memory of a command and its children. Unsafe: wait4(2), which alone has both.
#![allow(unsafe_code)]

use std::io;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// What a command has used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Used {
    pub(super) cpu_seconds: f64,
    /// The largest of its processes.
    pub(super) mebibytes: f64,
}

/// Runs a command to its end, or for so long.
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

/// The status and the use of a child, if it has ended.
fn wait(child: &Child) -> Result<Option<(i32, Used)>> {
    let mut status = 0;
    // SAFETY: all zero is a valid `rusage`.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `status` and `usage` are there to be written; the child is ours and not waited for by anyone else (wait4(2)).
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

//! Time and memory of a command.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// Time between two readings of the command's memory.
const LOOK: Duration = Duration::from_millis(20);

/// Runs a command to its end. Returns its wall-clock time and CPU time in seconds, and its peak memory in MiB.
pub(crate) fn of(command: &mut Command) -> Result<(f64, f64, f64)> {
    let begun = Instant::now();
    let mut child = command.spawn()?;
    let [status_file, times_file] = ["status", "stat"].map(|name| format!("/proc/{}/{name}", child.id()));
    let (mut most_kib, mut cpu_seconds) = (0_u64, 0.0_f64);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        let text = fs::read_to_string(&status_file).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        most_kib = most_kib.max(kib.unwrap_or_default());
        cpu_seconds = cpu_seconds.max(cpu(&fs::read_to_string(&times_file).unwrap_or_default()));
        std::thread::sleep(LOOK);
    };
    if !status.success() {
        bail!("it failed: {status}");
    }
    Ok((begun.elapsed().as_secs_f64(), cpu_seconds, most_kib as f64 / 1024.0))
}

/// CPU time in `/proc/PID/stat`: fields 14 and 15, in hundredths of a second (proc_pid_stat(5)).
fn cpu(stat: &str) -> f64 {
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

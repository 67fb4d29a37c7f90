//! Facts about a thread that the scheduler has: what it has run, and for how long it has been asleep.

use std::path::Path;
use std::time::Duration;

use attach_outside::process::Process;
use untrusted::proc_text;

use crate::model::Ran;

/// A thread's time on a processor so far.
pub(crate) fn ran(process: Process, tid: u32) -> Option<Ran> {
    process.scheduled(tid).map(of)
}

/// A thread's time on a processor, of what the scheduler has counted.
pub(crate) fn of([cpu_ns, _, times]: [u64; 3]) -> Ran {
    Ran { cpu_ns, times }
}

/// Time for which a sleeping thread has been asleep: its last moment on a processor is known where the kernel has `/proc/PID/sched`.
pub(crate) fn asleep_for(process: Process, tid: u32, now: Option<f64>) -> Option<Duration> {
    let last = last_run(&proc_text::text(&process.file(&format!("task/{tid}/sched"))).ok()?)?;
    let milliseconds = (now? - last).max(0.0);
    Some(Duration::from_secs_f64(milliseconds / 1e3))
}

/// The scheduler's time now: that at which this thread runs.
pub(crate) fn own_time() -> Option<f64> {
    std::thread::yield_now();
    last_run(&proc_text::text(Path::new("/proc/thread-self/sched")).ok()?)
}

/// Last time on a processor, in milliseconds of the scheduler's clock.
fn last_run(text: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.starts_with("se.exec_start"))?;
    // A thread that was moved to another processor, and has not run since, has 0.
    line.rsplit(':').next()?.trim().parse().ok().filter(|last| *last > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_time_on_a_processor_is_read() {
        let text = "a (1, #threads: 1)\n---\nse.exec_start       :      2404786.367830\nse.vruntime : 1\n";
        assert_eq!(last_run(text), Some(2_404_786.367_830));
        assert_eq!(last_run(""), None);
    }
}

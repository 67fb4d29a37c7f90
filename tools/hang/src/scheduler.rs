//! Facts about a thread from the scheduler: how much it has run, and for how long it has been asleep.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use attach_outside::process::Process;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use untrusted::proc_text;

use crate::model::Ran;

/// A thread's time on a processor so far.
pub(crate) fn ran(process: Process, tid: u32) -> Option<Ran> {
    process.scheduled(tid).map(of)
}

/// A thread's time on a processor, from the scheduler's counts.
pub(crate) fn of([cpu_ns, _, times]: [u64; 3]) -> Ran {
    Ran { cpu_ns, times }
}

/// The scheduler's current times. Each processor has a clock of its own, which omits the time taken by interrupts and
/// a hypervisor.
#[derive(Debug, Default)]
pub(crate) struct Clocks(HashMap<usize, Option<f64>>);

impl Clocks {
    /// Time for which a sleeping thread has been asleep: its last moment on a processor is known if the kernel has
    /// `/proc/PID/sched`.
    pub(crate) fn asleep_for(&mut self, process: Process, tid: u32) -> Option<Duration> {
        let last = last_run(&proc_text::text(&process.file(&format!("task/{tid}/sched"))).ok()?)?;
        let now = *self.0.entry(process.processor(tid)?).or_insert_with_key(|processor| time_on(*processor));
        let asleep = Duration::from_secs_f64((now? - last).max(0.0) / 1e3);
        // No thread has been asleep for longer than it has existed.
        Some(process.age(tid).map_or(asleep, |age| asleep.min(age)))
    }
}

/// The time on a processor: that at which this thread runs there.
fn time_on(processor: usize) -> Option<f64> {
    let before = sched_getaffinity(None).ok()?;
    let mut only = CpuSet::new();
    if processor >= CpuSet::MAX_CPU {
        return None;
    }
    only.set(processor);
    sched_setaffinity(None, &only).ok()?;
    std::thread::yield_now();
    let text = proc_text::text(Path::new("/proc/thread-self/sched"));
    // If that fails, the thread stays there: it does nothing that depends on its processor.
    _ = sched_setaffinity(None, &before);
    last_run(&text.ok()?)
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
    fn a_thread_has_not_been_asleep_for_longer_than_it_lives() {
        let mut child = std::process::Command::new("sleep").arg("30").spawn().unwrap();
        std::thread::sleep(Duration::from_millis(50));
        let process = Process { pid: child.id() };
        let asleep = Clocks::default().asleep_for(process, process.pid);
        // Some kernels don't report it.
        assert!(asleep.is_none_or(|asleep| asleep <= process.age(process.pid).unwrap()), "{asleep:?}");
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn the_last_time_on_a_processor_is_read() {
        let text = "a (1, #threads: 1)\n---\nse.exec_start       :      2404786.367830\nse.vruntime : 1\n";
        assert_eq!(last_run(text), Some(2_404_786.367_830));
        assert_eq!(last_run(""), None);
    }
}

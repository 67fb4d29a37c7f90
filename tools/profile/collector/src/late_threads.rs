//! Threads that existed before the session, or whose start isn't seen: a library that is attached is not notified of
//! them.
//!
//! Such a thread gets a timer that expires once, when the thread has run for a period. The signal's handler gives the thread a
//! record and a clock of its own ([`crate::handler`]). A thread that doesn't run is not interrupted.

use std::collections::BTreeSet;
use std::ffi::c_int;
use std::fs;

use crate::diagnostics::{Diagnostic, report};
use crate::setting::Setting;
use crate::{system, threads, timer};

/// The timers that have not been answered.
#[derive(Debug, Default)]
pub(crate) struct LateThreads(Vec<LateThread>);

#[derive(Debug)]
struct LateThread {
    tid: u32,
    timer: c_int,
    /// CPU time of the thread when the timer was set.
    since_ns: u64,
}

/// Number of periods after which a thread that has run counts as not answering.
const MAX_UNANSWERED_PERIODS: u64 = 10;

impl LateThreads {
    /// Searches for threads without a record, and ends the records of those that are gone. To be called by a thread that blocks
    /// all signals.
    pub(crate) fn look(&mut self, setting: &Setting) {
        threads::end_gone();
        let own = system::thread();
        let mut new: BTreeSet<u32> = tasks().filter(|tid| *tid != own).collect();
        // Collected once: the process may have thousands of threads.
        let recorded = threads::recorded();
        self.0.retain(|thread| {
            let ran_ns = system::cpu_ns_of(thread.tid);
            // A thread that has run for less time than before is another one with the same number.
            let waits = !recorded.contains(&thread.tid)
                && ran_ns >= thread.since_ns
                && ran_ns - thread.since_ns < MAX_UNANSWERED_PERIODS * setting.period_ns().max(setting.tick_ns());
            if !waits {
                timer::stop(thread.timer);
            }
            waits
        });
        recorded.iter().chain(self.0.iter().map(|thread| &thread.tid)).for_each(|tid| {
            new.remove(tid);
        });
        for tid in new {
            self.add(setting, tid);
        }
        threads::stock(self.0.len());
    }

    fn add(&mut self, setting: &Setting, tid: u32) {
        // The signal would stay pending, and the program may fetch it.
        if blocks(tid, setting.signal) {
            return;
        }
        match timer::set_once(setting, tid) {
            Ok(timer) => self.0.push(LateThread { tid, timer, since_ns: system::cpu_ns_of(tid) }),
            // The thread has ended meanwhile.
            Err(libc::EINVAL) => {}
            Err(error) => report(Diagnostic::Timer, |text| {
                text.push(b"a thread got no timer and has no samples (error ").number(error.unsigned_abs().into());
                text.push(b")");
            }),
        }
    }

    /// Ends all timers.
    pub(crate) fn end(&mut self) {
        self.0.drain(..).for_each(|thread| timer::stop(thread.timer));
    }
}

/// True if a thread blocks a signal (proc_pid_status(5), "SigBlk"), or waits for some: these don't count as blocked meanwhile.
fn blocks(tid: u32, signal: c_int) -> bool {
    let about = |file| fs::read_to_string(format!("/proc/self/task/{tid}/{file}")).unwrap_or_default();
    says_blocked(&about("status"), signal) || about("syscall").starts_with(&format!("{} ", libc::SYS_rt_sigtimedwait))
}

fn says_blocked(status: &str, signal: c_int) -> bool {
    let set = status.lines().find_map(|line| line.strip_prefix("SigBlk:")).unwrap_or_default();
    u64::from_str_radix(set.trim_ascii(), 16).is_ok_and(|set| set >> (signal - 1) & 1 == 1)
}

/// Numbers of this process's threads.
fn tasks() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_has_the_blocked_signals() {
        let status = "Name:\tx\nSigPnd:\t0000000000000000\nSigBlk:\t0000000000400000\n";
        assert!(says_blocked(status, libc::SIGURG));
        assert!(!says_blocked(status, libc::SIGPROF) && !says_blocked("", libc::SIGURG));
    }
}

//! Threads that existed before the session, or whose start isn't seen: a library that is attached is not notified of
//! them.
//!
//! Such a thread gets a timer that expires once, when the thread has run for a period. The signal's handler gives the thread a
//! record and a clock of its own ([`crate::handler`]). A thread that doesn't run is not interrupted.

use std::ffi::c_int;
use std::fs;

use crate::diagnostics::{Diagnostic, report};
use crate::setting::Setting;
use crate::{system, threads, timer};

/// The timers that have not been answered.
#[derive(Debug, Default)]
pub(crate) struct Knocks(Vec<Knock>);

#[derive(Debug)]
struct Knock {
    tid: u32,
    timer: c_int,
    /// CPU time of the thread when the timer was set.
    since_ns: u64,
}

/// Number of periods after which a thread that has run counts as not answering.
const PATIENCE: u64 = 10;

impl Knocks {
    /// Searches for threads without a record, and ends the records of those that are gone. To be called by a thread that blocks
    /// all signals.
    pub(crate) fn look(&mut self, setting: &Setting) {
        threads::end_gone();
        let own = system::thread();
        let all: Vec<u32> = tasks().filter(|tid| *tid != own).collect();
        self.0.retain(|knock| {
            let ran_ns = system::cpu_ns_of(knock.tid);
            // A thread that has run for less time than before is another one with the same number.
            let waits = !threads::has_record(knock.tid)
                && ran_ns >= knock.since_ns
                && ran_ns - knock.since_ns < PATIENCE * setting.period_ns().max(setting.tick_ns());
            if !waits {
                timer::stop(knock.timer);
            }
            waits
        });
        for tid in all {
            if !threads::has_record(tid) && !self.0.iter().any(|knock| knock.tid == tid) {
                self.knock(setting, tid);
            }
        }
        threads::stock(self.0.len());
    }

    fn knock(&mut self, setting: &Setting, tid: u32) {
        match timer::knock(setting, tid) {
            Ok(timer) => self.0.push(Knock { tid, timer, since_ns: system::cpu_ns_of(tid) }),
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
        self.0.drain(..).for_each(|knock| timer::stop(knock.timer));
    }
}

/// Numbers of this process's threads.
fn tasks() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

//! Threads that were tried in vain. One that has slept since then is where it was, so it is not stopped again.

use std::collections::HashMap;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::process::{InKernel, Process};

/// Maximum wait for a thread that was stopped in its sleep to sleep again.
const MAX_WAIT: Duration = Duration::from_millis(3);

/// The scheduler's counts of each thread, as in [`Process::scheduled`], when it slept again after the try.
#[derive(Debug, Default)]
pub(crate) struct Tried(HashMap<u32, [u64; 3]>);

impl Tried {
    /// True if a thread was tried, and has not run since.
    pub(crate) fn sleeps_since(&self, process: Process, tid: u32) -> bool {
        self.0.get(&tid).is_some_and(|counts| process.scheduled(tid).as_ref() == Some(counts))
    }

    /// Notes that a thread was tried. `before`: its state at the start of the try, which it has again once it sleeps. It is tried again if
    /// that takes too long, or the kernel doesn't count.
    pub(crate) fn add(&mut self, process: Process, tid: u32, before: Option<InKernel>) {
        self.0.remove(&tid);
        let Some(before @ InKernel::Blocked { .. }) = before else { return };
        let begun = Instant::now();
        while begun.elapsed() < MAX_WAIT {
            // The counts first: if it runs after that, they differ at the next look.
            let counts = process.scheduled(tid);
            if process.in_kernel(tid).ok().flatten() == Some(before) {
                self.0.extend(counts.map(|counts| (tid, counts)));
                return;
            }
            sleep(Duration::from_micros(100));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;

    use super::*;

    #[test]
    fn a_thread_that_has_run_is_tried_again() {
        let own = Process { pid: std::process::id() };
        let (go, waits) = channel::<()>();
        let (tell, told) = channel();
        let other = thread::spawn(move || {
            tell.send(system::threads::id()).unwrap();
            while waits.recv().is_ok() {}
        });
        let tid = told.recv().unwrap();
        let asleep = || match own.in_kernel(tid) {
            Ok(Some(InKernel::Running)) => None,
            state => state.unwrap(),
        };
        let mut tried = Tried::default();
        assert!(!tried.sleeps_since(own, tid));
        tried.add(own, tid, Some(InKernel::Running));
        assert!(!tried.sleeps_since(own, tid), "it was awake");
        let begun = Instant::now();
        while !tried.sleeps_since(own, tid) {
            tried.add(own, tid, asleep());
            assert!(begun.elapsed() < Duration::from_secs(60) && own.scheduled(tid).is_some());
        }
        go.send(()).unwrap();
        while tried.sleeps_since(own, tid) {
            assert!(begun.elapsed() < Duration::from_secs(60));
        }
        drop(go);
        other.join().unwrap();
    }
}

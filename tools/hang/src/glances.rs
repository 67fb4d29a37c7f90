//! Registers of threads that were stopped for a moment. Those of a sleeping thread are kept: they are right until it runs again.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use remote::glance::{self, Glance};
use remote::process::{InKernel, Process};

use crate::model::Ran;
use crate::scheduler::ran;

/// Longest wait for a thread to be asleep again.
const PATIENCE: Duration = Duration::from_millis(200);

/// Registers by threads.
#[derive(Debug, Default)]
pub(crate) struct Glances {
    /// True if all registers are wanted.
    pub(crate) wanted: bool,
    kept: HashMap<u32, Taken>,
}

/// Registers of a sleeping thread.
#[derive(Debug)]
struct Taken {
    /// Its time on a processor when it was asleep again.
    ran: Ran,
    glance: Glance,
    /// Time for which it had been asleep before.
    slept: Option<Duration>,
}

impl Glances {
    /// Registers of a thread. `None`: it may not be stopped, or is gone.
    pub(crate) fn of(
        &mut self,
        process: Process,
        tid: u32,
        before: InKernel,
        slept: Option<Duration>,
    ) -> Option<Glance> {
        if let (Some(ran), Some(taken)) = (ran(process, tid), self.kept.get(&tid))
            && ran == taken.ran
        {
            return Some(taken.glance);
        }
        self.kept.remove(&tid);
        let glance = glance::glance(tid).ok()?;
        if matches!(before, InKernel::Blocked { .. }) && sleeps_again(process, tid, before) {
            // What it ran for the stop itself is over.
            self.kept.extend(ran(process, tid).map(|ran| (tid, Taken { ran, glance, slept })));
        }
        Some(glance)
    }

    /// Time for which a thread had been asleep before it was stopped, if it has not run since.
    pub(crate) fn slept_before(&self, tid: u32, ran: Option<Ran>) -> Duration {
        let taken = self.kept.get(&tid).filter(|taken| Some(taken.ran) == ran);
        taken.and_then(|taken| taken.slept).unwrap_or_default()
    }
}

/// Waits until a thread is where it was before it was stopped.
fn sleeps_again(process: Process, tid: u32, before: InKernel) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        match process.in_kernel(tid).ok().flatten() {
            Some(now) if now == before => return true,
            Some(InKernel::Running) => std::thread::sleep(Duration::from_micros(100)),
            _ => return false,
        }
    }
    false
}

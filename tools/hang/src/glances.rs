//! Registers of threads that were stopped for a moment. Those of a sleeping thread are kept: they are valid until it
//! runs again.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use attach_outside::glance::{self, Glance};
use attach_outside::process::{InKernel, Process};
use untrusted::descriptor::OtherProcess;

use crate::model::Ran;
use crate::scheduler::{of, ran};

/// Maximum wait for a thread to stop, and to be asleep again: until it has had a processor. The thread isn't held up
/// meanwhile.
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(5);
/// CPU time after which a thread no longer counts as going back to its sleep. That takes microseconds, but the tick counts them,
/// and in a virtual machine also time for which that has no processor: 12 ms were seen.
const COMPUTES_NS: u64 = 200_000_000;

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
    /// Registers of a thread. `None` if it may not be stopped, or is gone.
    pub(crate) fn of(
        &mut self,
        other: &OtherProcess,
        process: Process,
        tid: u32,
        before: InKernel,
        slept: Option<Duration>,
        max_wait: Duration,
    ) -> Option<Glance> {
        if let (Some(ran), Some(taken)) = (ran(process, tid), self.kept.get(&tid))
            && ran == taken.ran
        {
            return Some(taken.glance);
        }
        self.kept.remove(&tid);
        let begun = Instant::now();
        let max_wait = max_wait.min(MAX_WAIT);
        let glance = glance::glance(other, tid, max_wait).ok()?;
        let stopped = glance.scheduled.map(of).filter(|_| matches!(before, InKernel::Blocked { .. }));
        if stopped.is_some_and(|stopped| sleeps_again(process, tid, before, stopped, begun + max_wait)) {
            // The time that it ran for the stop itself is over.
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

/// Waits until a thread is where it was before it was stopped. `stopped`: its counts at that time.
fn sleeps_again(process: Process, tid: u32, before: InKernel, stopped: Ran, until: Instant) -> bool {
    while Instant::now() < until {
        let Some(now) = ran(process, tid) else { return false };
        let Some(state) = process.in_kernel(tid).ok().flatten() else { return false };
        match is_asleep_again(before, stopped, now, state) {
            Some(is_again) => return is_again,
            None => std::thread::sleep(Duration::from_micros(100)),
        }
    }
    false
}

/// True if a thread has gone back to its sleep, false if it does something else. `None` if it is not known yet. Until it gets a processor,
/// the kernel may still show the place of the stop, or that of the sleep before it.
fn is_asleep_again(before: InKernel, stopped: Ran, now: Ran, state: InKernel) -> Option<bool> {
    let has_gone_on = now.times > stopped.times;
    let computes = now.cpu_ns.saturating_sub(stopped.cpu_ns) > COMPUTES_NS;
    match state {
        _ if !has_gone_on => None,
        InKernel::Running => computes.then_some(false),
        InKernel::Blocked { .. } => Some(state == before),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: Ran = Ran { cpu_ns: 1_000, times: 3 };

    fn blocked(call: Option<u64>, instruction: u64) -> InKernel {
        InKernel::Blocked { call, arguments: [0; 6], stack: 16, instruction }
    }

    fn is_again(cpu_ns: u64, times: u64, state: InKernel) -> Option<bool> {
        let now = Ran { cpu_ns: BEFORE.cpu_ns + cpu_ns, times: BEFORE.times + times };
        is_asleep_again(blocked(Some(98), 104), BEFORE, now, state)
    }

    #[test]
    fn a_thread_is_asleep_again_once_it_has_run() {
        let asleep = blocked(Some(98), 104);
        assert_eq!(is_again(500, 1, asleep), Some(true));
        assert_eq!(is_again(500, 2, asleep), Some(true));
        assert_eq!(is_again(0, 0, asleep), None, "the sleep before the stop");
        // On aarch64 the registers are set back to the call before the stop.
        let in_stop = blocked(None, 100);
        assert_eq!(is_again(0, 0, in_stop), None, "the stop");
        assert_eq!(is_again(500, 1, in_stop), Some(false), "another wait");
    }

    #[test]
    fn a_thread_that_runs_is_waited_for_until_it_computes() {
        assert_eq!(is_again(0, 0, InKernel::Running), None);
        assert_eq!(is_again(12_000_000, 1, InKernel::Running), None);
        assert_eq!(is_again(COMPUTES_NS + 1, 1, InKernel::Running), Some(false));
    }
}

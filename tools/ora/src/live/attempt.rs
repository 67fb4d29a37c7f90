//! An attempt to attach to a process, or to look into it, and its end where the kernel or the process never lets it end.

use std::time::Duration;

use attach_outside::Refusal;
use attach_outside::deadline::{ATTACHING, Deadline, UNDOING};
use attach_outside::target::{Allowed, Target};
use attach_outside::watchdog::{Limits, Step, TRACING, Watchdog};

use super::failure::failure;
use crate::output::say;
use crate::{scratch, signals};

/// An attempt to attach. Once its time is over, `ora` ends.
#[derive(Debug)]
pub(crate) struct Attempt {
    pid: u32,
    deadline: Deadline,
    _watchdog: Watchdog,
}

impl Attempt {
    /// Begins one.
    pub(crate) fn begin(pid: u32) -> Self {
        let deadline = Deadline::after(ATTACHING);
        // Later: what ends in order needs some time for that.
        let limits = Limits { whole: Some(deadline.and(UNDOING)), tracing: TRACING };
        Self { pid, deadline, _watchdog: Watchdog::start(limits, move |step, time| give_up(pid, step, time)) }
    }

    /// Looks at the process.
    ///
    /// # Errors
    /// The reason for which it can't be attached to.
    pub(crate) fn examine(&self, allowed: Allowed) -> Result<Target, Refusal> {
        Target::examine(self.pid, allowed, self.deadline)
    }
}

/// Ends `ora` where the kernel doesn't let a thread of the process be traced. Other steps have bounds of their own.
pub(crate) fn watch_over_tracing(pid: u32) -> Watchdog {
    Watchdog::start(Limits { whole: None, tracing: TRACING }, move |step, time| give_up(pid, step, time))
}

/// Ends `ora` with the reason. The thread that waits can't: it may be in the kernel. A thread that it traces goes on as before.
fn give_up(pid: u32, step: Step, time: Duration) {
    let failure = failure(Refusal::Overdue { pid, seconds: time.as_secs(), step });
    // A full pipe may be what is waited for.
    if signals::error_output_has_room() {
        say(&failure);
    }
    scratch::leave();
    std::process::exit(failure.code.into());
}

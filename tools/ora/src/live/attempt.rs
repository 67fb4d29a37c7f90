//! Attempt to attach to a process, or to examine it, which is aborted if the kernel or the process never lets it finish.

use std::time::Duration;

use attach_outside::Refusal;
use attach_outside::deadline::{ATTACHING, Deadline, UNDOING};
use attach_outside::target::{Allowed, Target};
use attach_outside::watchdog::{Limits, Step, TRACING, Watchdog};

use super::failure::failure;
use crate::output::say;
use crate::{scratch, signals};

/// Attempt to attach. `ora` exits once its time is over.
#[derive(Debug)]
pub(crate) struct Attempt {
    pid: u32,
    deadline: Deadline,
    _watchdog: Watchdog,
}

impl Attempt {
    /// Starts an attempt.
    pub(crate) fn begin(pid: u32) -> Self {
        let deadline = Deadline::after(ATTACHING);
        // Later than the deadline, because an orderly end takes some time.
        let limits = Limits { whole: Some(deadline.and(UNDOING)), tracing: TRACING };
        Self { pid, deadline, _watchdog: Watchdog::start(limits, move |step, time| give_up(pid, step, time)) }
    }

    /// Examines the process.
    ///
    /// # Errors
    /// The reason why it can't be attached to.
    pub(crate) fn examine(&self, allowed: Allowed) -> Result<Target, Refusal> {
        Target::examine(self.pid, allowed, self.deadline)
    }
}

/// Ends `ora` if the kernel doesn't allow a thread of the process to be traced. Other steps have their own limits.
pub(crate) fn watch_over_tracing(pid: u32) -> Watchdog {
    Watchdog::start(Limits { whole: None, tracing: TRACING }, move |step, time| give_up(pid, step, time))
}

/// Ends `ora` with the reason. The waiting thread can't do that, as it may be in the kernel. A thread that it traces continues as before.
fn give_up(pid: u32, step: Step, time: Duration) {
    let failure = failure(Refusal::Overdue { pid, seconds: time.as_secs(), step });
    // The wait may be for a full pipe.
    if signals::error_output_has_room() {
        say(&failure);
    }
    scratch::leave();
    std::process::exit(failure.code.into());
}

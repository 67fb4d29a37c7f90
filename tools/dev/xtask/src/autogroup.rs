//! Linux's groups of a session's threads (`sched_autogroup_enabled`, sched(7)), which are off while CI runs the gate.
//!
//! On Linux 6.18, a group whose threads sleep and wake all the time, as the threads of short parallel regions do, can keep a processor from
//! all other groups. The scheduler's own figures (`/sys/kernel/debug/sched/debug`) then show that its virtual time doesn't advance. Four
//! such programs, without our library, next to eight busy sessions had 11 halts of 2 to 9 s in 90 s; without the groups they had none. In a
//! run of the gate, halts took up to 114 s. A thread with a real-time policy kept running.

use std::fs;

use crate::needs;

const SWITCH: &str = "/proc/sys/kernel/sched_autogroup_enabled";

/// While this value lives, the groups are off for new processes.
#[derive(Debug)]
pub(crate) struct Off(());

impl Off {
    /// Switches the groups off on the gate's own machine. Elsewhere the switch, which is global to the machine, is left alone; a line is
    /// printed if the groups are on.
    pub(crate) fn on_ci() -> Option<Self> {
        if fs::read_to_string(SWITCH).ok()?.trim() != "1" {
            return None;
        }
        if !requirements::is_ci() || !needs::is_root() {
            println!("{SWITCH} is 1: with Linux 6.18 the machine may halt for seconds; 0 prevents that");
            return None;
        }
        fs::write(SWITCH, "0").ok()?;
        println!("{SWITCH}: 0 until the gate ends");
        Some(Self(()))
    }
}

impl Drop for Off {
    fn drop(&mut self) {
        let _ = fs::write(SWITCH, "1");
    }
}

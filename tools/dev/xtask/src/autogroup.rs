//! Linux's groups of a session's threads (`sched_autogroup_enabled`, sched(7)): off while CI runs the gate.
//!
//! On Linux 6.18 a group whose threads sleep and wake all the time, as those of short parallel regions do, can keep a processor from
//! all other groups: in the scheduler's own figures (`/sys/kernel/debug/sched/debug`) its virtual time stands still. Four such programs,
//! with no library of ours, beside eight busy sessions: 11 halts of 2 to 9 s in 90 s, none without the groups. In a run of the gate
//! they took up to 114 s. A thread with a real-time policy went on.

use std::fs;

use crate::needs;

const SWITCH: &str = "/proc/sys/kernel/sched_autogroup_enabled";

/// The groups are off for processes that begin from now on, until this goes.
#[derive(Debug)]
pub(crate) struct Off(());

impl Off {
    /// Switches them off on a machine that is the gate's own. Elsewhere the switch, which is one for the whole machine, stays;
    /// a line says so where the groups are on.
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

//! Reasons why the kernel doesn't let one process inspect another one.
#![cfg_attr(not(test), expect(clippy::disallowed_methods, reason = "of the system, or of `ora` itself in `/proc`"))]

use std::fs;
use std::io;

use crate::process::{Process, Status};
use crate::refusal::Refusal;

/// Setting of Yama, a security module of Linux (Documentation/admin-guide/LSM/Yama).
const SCOPE: &str = "/proc/sys/kernel/yama/ptrace_scope";

/// The reason for a refusal by the kernel.
pub fn forbidden(process: Process, status: &Status, error: &io::Error) -> Refusal {
    let pid = process.pid;
    match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => {}
        Some(libc::ESRCH | libc::ENOENT) => return Refusal::Ended(pid),
        _ => return Refusal::System { pid, step: "the system refuses", message: error.to_string() },
    }
    let tracer = process.status().map_or(0, |status| status.tracer);
    let scope = fs::read_to_string(SCOPE).ok().and_then(|text| text.trim().parse().ok());
    reason(pid, Facts { tracer, own: own_user(), user: status.user, scope })
}

/// Facts that explain EPERM and EACCES.
#[derive(Clone, Copy, Debug)]
struct Facts {
    /// Process that already traces it; 0 if there is none.
    tracer: u32,
    /// This process's user.
    own: u32,
    /// The other process's user.
    user: u32,
    /// Setting of Yama; `None` if the kernel does not have it.
    scope: Option<u32>,
}

fn reason(pid: u32, facts: Facts) -> Refusal {
    match facts {
        Facts { tracer, .. } if tracer != 0 => Refusal::Traced { pid, tracer },
        Facts { own, user, .. } if own != 0 && own != user => Refusal::OtherUser(pid),
        Facts { scope: Some(scope @ 1..), .. } => Refusal::Yama { pid, scope },
        _ => Refusal::Forbidden(pid),
    }
}

/// The effective user of this process.
pub(crate) fn own_user() -> u32 {
    Process { pid: std::process::id() }.status().map_or(u32::MAX, |status| status.user)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: Facts = Facts { tracer: 0, own: 1000, user: 1000, scope: Some(0) };

    fn says(facts: Facts) -> String {
        reason(7, facts).to_string()
    }

    #[test]
    fn each_setting_of_yama_has_its_next_step() {
        for scope in [1, 2] {
            let said = says(Facts { scope: Some(scope), ..OPEN });
            assert!(said.contains(&format!("ptrace_scope is {scope}. Run ora as root")), "{said}");
        }
        let said = says(Facts { own: 0, user: 0, scope: Some(3), ..OPEN });
        assert!(said.contains("ptrace_scope is 3. Nothing but a restart"), "{said}");
    }

    #[test]
    fn a_tracer_and_another_user_come_before_yama() {
        let yama = Facts { scope: Some(1), ..OPEN };
        assert_eq!(reason(7, Facts { tracer: 9, ..yama }), Refusal::Traced { pid: 7, tracer: 9 });
        assert_eq!(reason(7, Facts { user: 0, ..yama }), Refusal::OtherUser(7));
    }

    #[test]
    fn without_yama_the_process_has_more_rights() {
        for scope in [None, Some(0)] {
            assert_eq!(reason(7, Facts { scope, ..OPEN }), Refusal::Forbidden(7));
        }
    }
}

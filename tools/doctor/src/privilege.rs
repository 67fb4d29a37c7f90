//! Programs that run with more rights than their user: the dynamic linker then ignores LD_PRELOAD. Unsafe: two system calls.
#![allow(unsafe_code)]

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::ptr;

use super::findings::{Effect, Findings};

const SET_UID: u32 = 0o4000;
const SET_GID: u32 = 0o2000;
const WHAT_TO_DO: &str = "run a copy without these rights (`cp` drops them), as a user who needs none: \
    `cp PROGRAM /tmp/ && ora stat -- /tmp/PROGRAM`";

/// Adds the reason, or the fact that the bits have no effect here.
pub(crate) fn look(path: &Path, findings: &mut Findings) {
    let Ok(about) = path.metadata() else { return };
    let (user, group) = own_ids();
    let bits = [("set-uid", SET_UID, about.uid() != user), ("set-gid", SET_GID, about.gid() != group)];
    for (name, bit, other) in bits {
        if about.mode() & bit == 0 {
            continue;
        }
        if other {
            findings.reason(
                "privileged",
                Effect::HidesAll,
                format!("the program is {name}: the dynamic linker ignores LD_PRELOAD in it (AT_SECURE)"),
                WHAT_TO_DO,
            );
        } else {
            findings.fact("rights", format!("{name}, but to your own user or group: LD_PRELOAD works for you"));
        }
    }
    if has_capabilities(path) {
        if user == 0 {
            findings.fact("rights", "has file capabilities: root's LD_PRELOAD works, another user's does not");
        } else {
            findings.reason(
                "privileged",
                Effect::HidesAll,
                "the program has file capabilities: the dynamic linker ignores LD_PRELOAD in it (AT_SECURE)",
                WHAT_TO_DO,
            );
        }
    }
}

fn own_ids() -> (u32, u32) {
    // SAFETY: a system call without arguments.
    let user = unsafe { libc::getuid() };
    // SAFETY: a system call without arguments.
    let group = unsafe { libc::getgid() };
    (user, group)
}

fn has_capabilities(path: &Path) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return false };
    // SAFETY: two C strings; without a buffer for the value, the call only returns its size.
    let size = unsafe { libc::getxattr(path.as_ptr(), c"security.capability".as_ptr(), ptr::null_mut(), 0) };
    size > 0
}

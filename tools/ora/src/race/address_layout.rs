//! Address space without randomisation, for ThreadSanitizers that support only fixed ranges of addresses. Unsafe: a step between fork and
//! exec.
#![cfg_attr(not(test), expect(clippy::disallowed_methods, reason = "of the system, or of `ora` itself in `/proc`"))]
#![allow(unsafe_code)]

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Maximum number of random address bits that ThreadSanitizer of gcc 12 and older supports.
const BITS: u32 = 28;
/// Flag of personality(2), from the kernel's `linux/personality.h`.
const ADDR_NO_RANDOMIZE: libc::c_ulong = 0x0004_0000;

/// True if the kernel may put libraries where older ThreadSanitizers don't expect them.
pub(super) fn is_too_random() -> bool {
    let bits = fs::read_to_string("/proc/sys/vm/mmap_rnd_bits").ok();
    bits.and_then(|bits| bits.trim().parse().ok()).is_some_and(|bits: u32| bits > BITS)
}

/// Gives the command's process, and those that it starts, the same addresses in each run. If the system forbids that, the command starts
/// anyway.
pub(super) fn fix(command: &mut Command) {
    let prepare = || {
        // SAFETY: a system call; with all bits set it only returns this process's flags.
        let now = unsafe { libc::personality(0xffff_ffff) };
        if let Ok(now) = libc::c_ulong::try_from(now) {
            // SAFETY: a system call that sets flags of this process.
            unsafe { libc::personality(now | ADDR_NO_RANDOMIZE) };
        }
        Ok(())
    };
    // SAFETY: makes two system calls, and takes no lock.
    unsafe { command.pre_exec(prepare) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_starts_without_random_addresses_where_that_is_allowed() {
        let allowed = Command::new("setarch").args(["-R", "true"]).status().is_ok_and(|status| status.success());
        let mut command = Command::new("cat");
        fix(command.arg("/proc/self/personality"));
        let output = command.output().unwrap();
        assert!(output.status.success());
        let flags = String::from_utf8(output.stdout).unwrap();
        let flags = libc::c_ulong::from_str_radix(flags.trim(), 16).unwrap();
        assert_eq!(flags & ADDR_NO_RANDOMIZE != 0, allowed);
    }
}

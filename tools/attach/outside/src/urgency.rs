//! Short turns on the processors while a thread is stopped, so that neither the tracer nor the thread waits long for one. Unsafe:
//! system calls.
//!
//! Since Linux 6.12 a thread may ask for the length of its turns; a short turn starts earlier (sched(7), sched_setattr(2)). That needs
//! no privilege, and the share of the processors stays the same. Older kernels ignore it. A higher priority would change that share, and
//! so what other programs do.
#![allow(unsafe_code)]

use std::io;

/// Length of a turn, the shortest that the kernel accepts.
const SHORT_NS: u64 = 100_000;

/// A thread whose turns are short, until this is dropped.
#[derive(Debug)]
pub(crate) struct ShortTurns {
    tid: u32,
    before: Option<Attributes>,
}

/// `struct sched_attr` in its first version.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Attributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    /// For ordinary threads: the length of a turn in nanoseconds; 0 asks for the usual one.
    runtime: u64,
    deadline: u64,
    period: u64,
}

impl ShortTurns {
    /// Shortens the turns of a thread, which may be one of another process.
    pub(crate) fn of(tid: u32) -> Self {
        let before = get(tid).ok().filter(|now| is_ordinary(now.policy));
        let before = before.filter(|before| set(tid, Attributes { runtime: SHORT_NS, ..*before }).is_ok());
        Self { tid, before }
    }
}

impl Drop for ShortTurns {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            let _ = set(self.tid, before);
        }
    }
}

/// True for threads that share the processors by turns.
fn is_ordinary(policy: u32) -> bool {
    [libc::SCHED_OTHER, libc::SCHED_BATCH].into_iter().any(|known| known.unsigned_abs() == policy)
}

fn get(tid: u32) -> io::Result<Attributes> {
    let mut attributes = Attributes::default();
    let size = size_of::<Attributes>();
    // SAFETY: the kernel writes at most `size` bytes, to `attributes` (sched_getattr(2)).
    let answer = unsafe { libc::syscall(libc::SYS_sched_getattr, tid, &raw mut attributes, size, 0) };
    if answer == 0 { Ok(attributes) } else { Err(io::Error::last_os_error()) }
}

fn set(tid: u32, attributes: Attributes) -> io::Result<()> {
    let wanted = Attributes { size: 48, ..attributes };
    // SAFETY: the kernel reads 48 bytes, the size of `wanted` (sched_setattr(2)).
    let answer = unsafe { libc::syscall(libc::SYS_sched_setattr, tid, &raw const wanted, 0) };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

const _: () = assert!(size_of::<Attributes>() == 48);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_short_for_a_while_and_then_as_before() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let before = get(child.id()).unwrap();
        let short = ShortTurns::of(child.id());
        let now = get(child.id()).unwrap();
        drop(short);
        let after = get(child.id()).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        // Kernels before 6.12 show 0.
        assert!(before.runtime == 0 || now.runtime == SHORT_NS, "{now:?}");
        assert_eq!((now.nice, now.policy), (before.nice, before.policy));
        assert_eq!(after, before);
    }
}

//! Order in which threads are tried: first those that are likely to be at a safe moment, and can be stopped briefly.

use crate::objects::Object;
use crate::process::{InKernel, Process, Status};
use crate::refusal::Refusal;

/// The process's threads that may be used now, the most likely first.
///
/// # Errors
/// If one of them is traced by another process. Then the kernel might never let another one be traced: see
/// [`crate::watchdog`].
pub(crate) fn of(process: Process, objects: &[Object]) -> Result<Vec<u32>, Refusal> {
    let runtimes: Vec<&Object> = objects.iter().filter(|object| object.is("libgomp")).collect();
    let mut ranked: Vec<(u32, u32)> = untraced(process)?
        .into_iter()
        .filter(|(_, status)| matches!(status.state, 'R' | 'S'))
        .filter_map(|(tid, _)| Some((rank(process.in_kernel(tid).ok()??, &runtimes)?, tid)))
        .collect();
    ranked.sort_unstable();
    Ok(ranked.into_iter().map(|(_, tid)| tid).collect())
}

/// The process's threads with their status.
///
/// # Errors
/// If one of them is traced by another process.
pub(crate) fn untraced(process: Process) -> Result<Vec<(u32, Status)>, Refusal> {
    let (pid, own) = (process.pid, std::process::id());
    let known = |thread: u32| Some((thread, process.thread_status(thread).ok()?));
    let threads: Vec<_> = process.threads().into_iter().filter_map(known).collect();
    match threads.iter().find(|(_, status)| ![0, own].contains(&status.tracer)) {
        Some(&(thread, Status { tracer, .. })) if thread == pid => Err(Refusal::Traced { pid, tracer }),
        Some(&(thread, Status { tracer, .. })) => Err(Refusal::ThreadTraced { pid, thread, tracer }),
        None => Ok(threads),
    }
}

/// Smaller is better; `None` if the thread must not be used.
fn rank(now: InKernel, runtimes: &[&Object]) -> Option<u32> {
    let InKernel::Blocked { call, instruction, .. } = now else { return Some(1) };
    let number = i64::try_from(call?).ok()?;
    if runtimes.iter().any(|runtime| runtime.holds(instruction)) {
        // It sleeps in the runtime's own futex: it holds nothing, and waits for long.
        Some(0)
    } else if restarts(number) {
        Some(2)
    } else {
        Some(3)
    }
}

/// True for system calls that the kernel repeats after a stop, with the time that is left.
fn restarts(number: i64) -> bool {
    [libc::SYS_futex, libc::SYS_nanosleep, libc::SYS_clock_nanosleep, libc::SYS_wait4].contains(&number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleepers_in_the_runtime_come_first() {
        let runtime = Object {
            path: "/l/libgomp.so.1".into(),
            deleted: false,
            device: (8, 1),
            inode: 1,
            start: 0x1000,
            end: 0x2000,
        };
        let blocked = |call: i64, instruction: u64| {
            let call = u64::try_from(call).ok();
            rank(InKernel::Blocked { call, arguments: [0; 6], stack: 0, instruction }, &[&runtime])
        };
        assert_eq!(rank(InKernel::Running, &[]), Some(1));
        assert_eq!(blocked(libc::SYS_futex, 0x1800), Some(0));
        assert_eq!(blocked(libc::SYS_futex, 0x2800), Some(2));
        assert_eq!(blocked(libc::SYS_epoll_pwait, 0x2800), Some(3));
        assert_eq!(blocked(-1, 0x1800), None);
    }
}

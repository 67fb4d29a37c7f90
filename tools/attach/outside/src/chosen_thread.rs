//! Choice of the thread of a process that is used for an injection.

use std::sync::Arc;
use std::time::Duration;

use crate::arch::Registers;
use crate::candidates;
use crate::deadline::Deadline;
use crate::permission::forbidden;
use crate::process::{InKernel, Process};
use crate::refusal::Refusal;
use crate::remote_call::Caller;
use crate::rseq;
use crate::safe_moment::{self, Moment};
use crate::stop_time::StopTime;
use crate::target::Target;
use crate::tracee::Tracee;
use crate::tried::Tried;
use crate::unwind::{self, Stack};

/// Number of rounds over all threads in search of a safe moment.
const ROUNDS: u32 = 25;
/// Number of rounds if any moment is suitable: several seconds, in which all threads may wait for the disk.
const ROUNDS_FOR_ANY: u32 = 150;
/// Time between two rounds: short at first.
const PAUSE: Duration = Duration::from_millis(4);
/// Maximum number of objects of one stack that are read between stops of its thread.
const UNREAD: u32 = 20;

/// A stopped thread at a safe moment.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) tracee: Tracee,
    pub(crate) registers: Registers,
    /// Number of threads that were tried.
    pub(crate) tries: u32,
    /// The longest stop of a thread that was let go.
    pub(crate) stopped: StopTime,
}

/// Stops a thread at any moment, for system calls that end by the deadline. Also returns the address for their text:
/// see [`Caller::prepare`].
pub(crate) fn any_thread(target: &Target, deadline: Deadline) -> Result<(Caller, u64), Refusal> {
    let (process, execution, mut tries) = (target.process, &target.execution, 0);
    let mut reason = "none that runs or sleeps";
    for round in 0..ROUNDS_FOR_ANY {
        let mappings = process.mappings().unwrap_or_default();
        for tid in candidates::of(process, &target.stacks.objects)? {
            tries += 1;
            let Some(tracee) = stop(target, tid)? else { continue };
            let Ok(registers) = tracee.registers() else { continue };
            if !registers.may_run() || rseq::is_within(execution, tid, registers.instruction()) {
                continue;
            }
            let caller = Caller::new(tracee, Arc::clone(execution), process, registers, target.instructions, deadline);
            let Ok(mut caller) = caller else { continue };
            match caller.prepare(&mappings) {
                Ok(Some(text)) => return Ok((caller, text)),
                Ok(None) => reason = "on another stack than its own, of a coroutine or a signal handler",
                Err(_) => {}
            }
        }
        if !pause(process, round, deadline)? {
            break;
        }
    }
    Err(Refusal::NoSafeMoment { pid: process.pid, tries, reason: reason.to_owned() })
}

/// Waits before the next round over all threads. Returns false if there is not enough time for one.
fn pause(process: Process, round: u32, deadline: Deadline) -> Result<bool, Refusal> {
    if process.status().is_err() {
        return Err(Refusal::Ended(process.pid));
    }
    std::thread::sleep(PAUSE * (round + 1).min(10));
    Ok(!deadline.is_over())
}

/// Stops a thread at a safe moment.
pub(crate) fn safe_thread(target: &mut Target) -> Result<Chosen, Refusal> {
    let process = target.process;
    let (mut tries, mut stopped, mut tried) = (0, StopTime::default(), Tried::default());
    let mut reason = "none that runs".to_owned();
    for round in 0..ROUNDS {
        for tid in candidates::of(process, &target.stacks.objects)? {
            if target.deadline.is_over() {
                break;
            }
            if tried.sleeps_since(process, tid) {
                continue;
            }
            tries += 1;
            let before = process.in_kernel(tid).ok().flatten();
            match attempt(target, tid, before, &mut stopped)? {
                Attempt::Gone => {}
                Attempt::Unsafe(obstacle) => {
                    reason = obstacle;
                    if reason != unwind::LATE {
                        tried.add(process, tid, before);
                    }
                }
                Attempt::Safe(safe) => {
                    let (tracee, registers) = *safe;
                    return Ok(Chosen { tracee, registers, tries, stopped });
                }
            }
        }
        if !pause(process, round, target.deadline)? {
            break;
        }
    }
    Err(Refusal::NoSafeMoment { pid: process.pid, tries, reason })
}

/// Outcome of an attempt to use a thread.
enum Attempt {
    /// It is gone, or can't be used at all.
    Gone,
    /// The moment isn't safe, for this reason.
    Unsafe(String),
    /// It is stopped at a safe moment.
    Safe(Box<(Tracee, Registers)>),
}

/// Stops a thread, and checks its stack. Files and tables that this needs are read while the thread runs; then it is
/// stopped again. `before`: its state in the kernel.
fn attempt(
    target: &mut Target,
    tid: u32,
    before: Option<InKernel>,
    longest: &mut StopTime,
) -> Result<Attempt, Refusal> {
    if let Some(bound) = learn_stack(target, before) {
        return Ok(Attempt::Unsafe(bound.to_owned()));
    }
    for _ in 0..UNREAD {
        let Some(tracee) = stop(target, tid)? else { return Ok(Attempt::Gone) };
        let Ok(registers) = tracee.registers() else { return Ok(Attempt::Gone) };
        if !registers.may_run() {
            return Ok(Attempt::Gone);
        }
        if rseq::is_within(&target.execution, tid, registers.instruction()) {
            return Ok(Attempt::Unsafe("in a restartable sequence".to_owned()));
        }
        let stack = target.stacks.unwind_by_read(registers.instruction(), registers.stack(), registers.kept());
        let in_system_call = registers.system_call().is_some_and(safe_moment::is_without_locks);
        let moment = |stack: &Stack| Moment { stack, objects: &target.stacks.objects, in_system_call }.obstacle();
        match stack.map(|stack| moment(&stack)) {
            Ok(None) => return Ok(Attempt::Safe(Box::new((tracee, registers)))),
            Ok(Some(obstacle)) => {
                *longest = longest.longer(tracee.time());
                return Ok(Attempt::Unsafe(obstacle));
            }
            Err(unread) => {
                *longest = longest.longer(tracee.time());
                drop(tracee);
                target.stacks.read(unread);
            }
        }
    }
    Ok(Attempt::Unsafe("in too many libraries".to_owned()))
}

/// Reads what is needed to unwind a blocked thread's stack before the thread is stopped, so that the stop is short. Returns the bound that
/// the stack exceeds: then the thread need not be stopped.
fn learn_stack(target: &mut Target, before: Option<InKernel>) -> Option<&'static str> {
    let Some(InKernel::Blocked { instruction, stack, .. }) = before else { return None };
    target.stacks.unwind_blocked(instruction, stack).exceeds
}

/// Stops a thread. `None` if it is gone, or doesn't stop.
fn stop(target: &Target, tid: u32) -> Result<Option<Tracee>, Refusal> {
    let process = target.process;
    match Tracee::stop(&target.execution, tid) {
        Ok(stopped) => Ok(stopped),
        Err(error) if error.raw_os_error() == Some(libc::ESRCH) || !may_be_stopped(process, tid) => Ok(None),
        Err(error) => {
            // The tracer may have come after the last check for one.
            candidates::untraced(process)?;
            Err(forbidden(process, &process.status().unwrap_or_default(), &error))
        }
    }
}

/// False for a thread for which alone the kernel refuses this (EPERM): it has ended, or is about to; or it is still traced from here,
/// since it has not stopped in time.
fn may_be_stopped(process: Process, tid: u32) -> bool {
    let own = std::process::id();
    process.thread_status(tid).is_ok_and(|status| !matches!(status.state, 'Z' | 'X') && status.tracer != own)
}

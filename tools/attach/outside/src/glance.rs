//! Registers of a thread that runs: it is stopped for as long as it takes to read them.

use std::io;
use std::time::{Duration, Instant};

use untrusted::descriptor::{OtherProcess, thread_stat};

use crate::arch::StackRegisters;
use crate::arch::kept::Kept;
use crate::process::Process;
use crate::tracee::Tracee;

/// Registers of a thread at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Glance {
    /// Instruction pointer.
    pub instruction: u64,
    /// The registers that unwinding needs.
    pub registers: StackRegisters,
    /// Other callee-saved registers.
    pub kept: Kept,
    /// The first argument of a function, unless the function has used its register for something else.
    pub argument: u64,
    /// Time for which the thread was stopped.
    pub stopped: Duration,
    /// The scheduler's counts for the thread when it was stopped, as in [`Process::scheduled`].
    pub scheduled: Option<[u64; 3]>,
}

/// Stops a thread of a process, reads its registers and lets it go. The kernel repeats its system call, except for a few that end with
/// EINTR (signal(7), "Interruption of system calls ... by stop signals"): so threads in those must not be stopped in this way.
///
/// # Errors
/// If it may not be traced, doesn't stop in time, or is gone.
pub fn glance(process: &OtherProcess, tid: u32, max_wait: Duration) -> io::Result<Glance> {
    let is_its_thread = |tid| process.open_thread_stat(tid).is_ok_and(|stat| thread_stat(&stat).is_ok());
    let tracee = Tracee::stop_within(tid, max_wait, is_its_thread)?.ok_or(io::ErrorKind::TimedOut)?;
    let since = Instant::now();
    let all = tracee.registers()?;
    let (registers, kept) = (all.stack(), all.kept());
    let (instruction, argument) = (all.instruction(), all.argument());
    let scheduled = Process { pid: tid }.scheduled(tid);
    drop(tracee);
    Ok(Glance { instruction, registers, kept, argument, stopped: since.elapsed(), scheduled })
}

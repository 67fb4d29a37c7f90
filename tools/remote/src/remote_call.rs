//! Calls on a stopped thread of another process: system calls, and one function of its C library. Afterwards the thread is as before.

use std::io;
use std::mem::offset_of;
use std::time::{Duration, Instant};

use ora_collectors::serve::Mailbox;

use crate::arch::Registers;
use crate::memory::Memory;
use crate::process::Process;
use crate::tracee::{Stop, Tracee};

/// Signals that stay deliverable during a call: those that an instruction causes. The kernel would reset the program's handlers of
/// blocked ones.
const FAULTS: [i32; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP];

/// Longest wait for a call's end.
const PATIENCE: Duration = Duration::from_secs(10);

/// Addresses in memory of the process that a call uses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// That of [`crate::arch::CALLER`].
    pub(crate) code: u64,
    /// Upper end of a stack.
    pub(crate) stack: u64,
    /// That of a [`Mailbox`].
    pub(crate) mailbox: u64,
}

/// A stopped thread on which calls can be made.
#[derive(Debug)]
pub(crate) struct Caller {
    tracee: Tracee,
    process: Process,
    before: Registers,
    blocked: u64,
    /// Address of an instruction that enters the kernel.
    instruction: u64,
    /// True once the thread has run anything for us.
    used: bool,
}

impl Caller {
    /// Of a thread that is stopped by an event. `instruction`: address of [`crate::arch::SYSTEM_CALL`] in the process.
    ///
    /// # Errors
    /// If it is gone.
    pub(crate) fn new(tracee: Tracee, process: Process, before: Registers, instruction: u64) -> io::Result<Self> {
        let blocked = tracee.blocked()?;
        let faults = FAULTS.iter().fold(0, |mask, signal| mask | 1 << (signal - 1));
        tracee.block(!faults)?;
        Ok(Self { tracee, process, before, blocked, instruction, used: false })
    }

    /// Makes a system call. The result is negative for an error: that of the call.
    ///
    /// # Errors
    /// If the thread is gone or does something else.
    pub(crate) fn system_call(&mut self, number: i64, arguments: [u64; 6]) -> io::Result<u64> {
        self.used = true;
        self.before.with_system_call(self.instruction, number, arguments).write_general(self.tracee.tid())?;
        for _ in ["begin", "end"] {
            self.reach_system_call()?;
        }
        let result = self.tracee.registers()?.result();
        match i32::try_from(result) {
            Ok(error @ -4095..=-1) => Err(io::Error::from_raw_os_error(-error)),
            _ => Ok(result.cast_unsigned()),
        }
    }

    /// Calls a function. Returns its result. The thread runs meanwhile, and stops for nothing.
    ///
    /// # Errors
    /// If the thread is gone or does something else.
    pub(crate) fn call(&mut self, at: Place, function: u64, arguments: [u64; 4]) -> io::Result<i32> {
        self.used = true;
        self.before.with_call(at.code, at.stack, function, at.mailbox, arguments).write(self.tracee.tid())?;
        self.tracee.run()?;
        let created = at.mailbox + offset_of!(Mailbox, created) as u64;
        let begun = Instant::now();
        loop {
            let mut result = [0; 4];
            self.memory().read(created, &mut result)?;
            match i32::from_ne_bytes(result) {
                0 => {}
                result => return Ok(result - 1),
            }
            match self.tracee.stopped()? {
                None => {}
                // The whole process has to stop: it will, when the thread has done its work.
                Some(Stop::Event | Stop::SystemCall) => self.tracee.run()?,
                Some(Stop::Signal(signal)) => return Err(io::Error::other(format!("signal {signal} in a call"))),
            }
            if begun.elapsed() > PATIENCE {
                return Err(io::ErrorKind::TimedOut.into());
            }
            std::thread::sleep(Duration::from_micros(30));
        }
    }

    fn reach_system_call(&mut self) -> io::Result<()> {
        loop {
            match self.tracee.reach_system_call()? {
                Stop::SystemCall => return Ok(()),
                // The whole process has to stop: it will, when the thread has done its work.
                Stop::Event => {}
                Stop::Signal(signal) => return Err(io::Error::other(format!("signal {signal} in a call"))),
            }
        }
    }

    /// Memory of the process, which may be written meanwhile.
    pub(crate) fn memory(&self) -> Memory {
        Memory(self.process)
    }

    /// Restores the thread and lets it go. Returns the time for which it was stopped.
    ///
    /// # Errors
    /// If it is gone.
    pub(crate) fn release(mut self) -> io::Result<std::time::Duration> {
        self.restore()?;
        Ok(self.tracee.stopped_for())
    }

    fn restore(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.used) {
            // An interrupted system call is made again when the thread goes on from a stop by an event, and at no other.
            self.tracee.reach_event()?;
        }
        let blocked = std::mem::replace(&mut self.blocked, u64::MAX);
        if blocked != u64::MAX {
            let interrupted = self.before.system_call().is_some_and(|number| number != libc::SYS_connect);
            let status = self.process.thread_status(self.tracee.tid())?;
            let for_nothing = interrupted && self.before.result() == -i64::from(libc::EINTR) && status.pending == 0;
            let back = if for_nothing { self.before.again() } else { self.before.clone() };
            back.write(self.tracee.tid())?;
            self.tracee.block(blocked)?;
        }
        Ok(())
    }
}

impl Drop for Caller {
    fn drop(&mut self) {
        // After an error: the thread is restored where it can be.
        let _ = self.restore();
    }
}

//! Calls on a stopped thread of another process: system calls, and one function of its C library. Afterwards the
//! thread is as before.

use std::fs::File;
use std::io;
use std::mem::offset_of;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use attach_inside::mailbox::Mailbox;

use crate::arch::{CALLER, Registers};
use crate::deadline::Deadline;
use crate::execution::Execution;
use crate::instructions::Instructions;
use crate::mapped::Mapped;
use crate::own_stack::OwnStack;
use crate::process::Process;
use crate::stop::Stop;
use crate::stop_time::StopTime;
use crate::thread_block::robust_list;
use crate::tracee::Tracee;

/// Signals that stay deliverable during a call: those that an instruction causes. If they were blocked, the kernel would reset the
/// program's handlers.
const FAULTS: [i32; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP];

/// Maximum size of a text for a system call in bytes, and the space for it below the frame.
const TEXT: usize = 200;
const TEXT_SPACE: usize = TEXT + 64;

/// Longest wait for a call's end.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Minimum and maximum time between two checks of a call.
const SHORTEST_LOOK: Duration = Duration::from_micros(30);
const LONGEST_LOOK: Duration = Duration::from_millis(1);

/// Addresses in memory of the process that a call uses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Address of [`crate::arch::CALLER`].
    pub(crate) code: u64,
    /// Upper end of a stack.
    pub(crate) stack: u64,
    /// Address of a [`Mailbox`].
    pub(crate) mailbox: u64,
    /// Space for a frame by which the thread restores itself, 32 KiB.
    pub(crate) frame: u64,
}

/// A stopped thread on which calls can be made.
///
/// The thread survives the death of this process at any moment. Before its registers are changed, its own are written into a signal
/// frame, and the code that it is made to run ends in the system call that restores them from there (rt_sigreturn(2)). Its own
/// registers are restored last of all.
#[derive(Debug)]
pub(crate) struct Caller {
    tracee: Tracee,
    execution: Arc<Execution>,
    /// The thread's file `stat`.
    stat: File,
    process: Process,
    before: Registers,
    /// Signals that the thread itself blocks.
    blocked: u64,
    instructions: Instructions,
    /// Address of the frame on the thread's own stack, once it is written.
    frame: Option<u64>,
    /// True once the thread has other registers than its own.
    used: bool,
    /// Addresses of the code of a call, if one was made.
    called: Option<Range<u64>>,
    /// True once the thread has been restored, or can't be.
    over: bool,
    /// Longest wait for the start or the end of a call.
    max_wait: Duration,
    /// No call is waited for after this.
    deadline: Deadline,
}

impl Caller {
    /// A caller on a thread that is stopped by an event.
    ///
    /// # Errors
    /// If it is gone.
    pub(crate) fn new(
        tracee: Tracee,
        execution: Arc<Execution>,
        process: Process,
        before: Registers,
        instructions: Instructions,
        deadline: Deadline,
    ) -> io::Result<Self> {
        let blocked = tracee.blocked()?;
        let stat = execution.process().open_thread_stat(tracee.tid())?;
        Ok(Self {
            tracee,
            execution,
            stat,
            process,
            before,
            blocked,
            instructions,
            frame: None,
            used: false,
            called: None,
            over: false,
            max_wait: MAX_WAIT,
            deadline,
        })
    }

    /// Writes the frame that system calls need, and a text of at most 200 bytes below it, to the thread's own stack. Returns the
    /// address of the text; `None` if the thread runs on another stack, or lacks space.
    ///
    /// # Errors
    /// If the memory can't be written.
    pub(crate) fn prepare(&mut self, mappings: &[Mapped]) -> io::Result<Option<u64>> {
        let list = robust_list(self.tracee.tid());
        let own = OwnStack::of(mappings, self.before.stack_pointer(), list);
        let bytes = self.before.frame(0, self.blocked).len();
        let Some(place) = own.and_then(|own| own.place(bytes)) else { return Ok(None) };
        let Some(text) = own.and_then(|own| own.place(bytes + TEXT_SPACE)) else { return Ok(None) };
        let (start, frame) = self.before.returning_frame(place, self.instructions.restore, self.blocked);
        self.memory().write(start, &frame)?;
        self.frame = Some(place);
        Ok(Some(text))
    }

    /// Writes a C string for a system call to the address that [`Self::prepare`] has found.
    ///
    /// # Errors
    /// If it is too long, or the memory can't be written.
    pub(crate) fn write_text(&self, place: u64, text: &[u8]) -> io::Result<()> {
        if text.len() >= TEXT {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        self.memory().write(place, &[text, &[0]].concat())
    }

    /// Makes a system call. An error of the call is returned as a negative result.
    ///
    /// # Errors
    /// If the thread is gone or does something else, or the frame is missing.
    pub(crate) fn system_call(&mut self, number: i64, arguments: [u64; 6]) -> io::Result<u64> {
        let Instructions { call, restore } = self.instructions;
        let frame = self.frame.ok_or(io::ErrorKind::InvalidInput)?;
        self.give(&self.before.with_system_call(call, restore, frame, number, arguments))?;
        self.reach_system_call()?;
        // The code that it runs belongs to the process: it may have called something else, such as execve(2). Then it
        // is left alone.
        if !self.tracee.general_registers()?.enters(call, number) {
            self.over = true;
            return Err(io::Error::other("the process has exchanged the C library's code"));
        }
        self.reach_system_call()?;
        let result = Registers::result_of(self.tracee.tid())?;
        match i32::try_from(result) {
            Ok(error @ -4095..=-1) => Err(io::Error::from_raw_os_error(-error)),
            _ => Ok(result.cast_unsigned()),
        }
    }

    /// Calls a function, and returns its result. The thread runs meanwhile, and is not stopped.
    ///
    /// # Errors
    /// If the thread is gone or does something else.
    pub(crate) fn call(&mut self, at: Place, function: u64, arguments: [u64; 4]) -> io::Result<i32> {
        self.memory().write(at.frame, &self.before.frame(at.frame, self.blocked))?;
        self.called = Some(at.code..at.code + CALLER.len() as u64);
        self.give(&self.before.with_call(at.code, at.stack, function, at.mailbox, at.frame, arguments))?;
        self.tracee.run()?;
        let created = at.mailbox + offset_of!(Mailbox, created) as u64;
        let begun = Instant::now();
        loop {
            let mut result = [0; 4];
            self.memory().read(created, &mut result)?;
            match i32::from_ne_bytes(result) {
                0 => {}
                result => return Ok(result.wrapping_sub(1)),
            }
            match self.tracee.stopped()? {
                None => {}
                // The whole process has to stop: it will, after the thread has done its work.
                Some(Stop::Event | Stop::SystemCall) => self.tracee.run()?,
                Some(Stop::Signal(libc::SIGSTOP)) => {
                    self.tracee.owe_stop();
                    self.tracee.run()?;
                }
                Some(stop) => return Err(unexpected(stop)),
            }
            if begun.elapsed() > self.max_wait || self.deadline.is_over() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            // The longer it takes, the less often: checking takes the processor that the thread may be waiting for.
            std::thread::sleep((begun.elapsed() / 8).clamp(SHORTEST_LOOK, LONGEST_LOOK));
        }
    }

    /// Gives the thread other registers, and lets no signal interrupt what it is going to run. In this order: the frame, to which these
    /// registers lead, has the thread's own mask of signals.
    fn give(&mut self, registers: &Registers) -> io::Result<()> {
        self.is_same_program()?;
        registers.write_general(self.tracee.tid())?;
        if !std::mem::replace(&mut self.used, true) {
            let faults = FAULTS.iter().fold(0, |mask, signal| mask | 1 << (signal - 1));
            self.tracee.block(!faults)?;
        }
        Ok(())
    }

    fn reach_system_call(&mut self) -> io::Result<()> {
        loop {
            match self.tracee.reach_system_call(self.max_wait.min(self.deadline.left()))? {
                Stop::SystemCall => return Ok(()),
                // The whole process has to stop: it will, after the thread has done its work.
                Stop::Event => {}
                Stop::Signal(libc::SIGSTOP) => self.tracee.owe_stop(),
                stop => return Err(unexpected(stop)),
            }
        }
    }

    /// Lets calls last until this deadline.
    pub(crate) fn allow(&mut self, deadline: Deadline) {
        self.deadline = deadline;
    }

    /// Memory of the process, which may be written meanwhile.
    pub(crate) fn memory(&self) -> &Execution {
        &self.execution
    }

    /// Restores the thread and lets it go. Returns the time for which it was stopped.
    ///
    /// # Errors
    /// If it is gone.
    pub(crate) fn release(mut self) -> io::Result<StopTime> {
        self.restore()?;
        Ok(self.tracee.time())
    }

    /// # Errors
    /// If the thread has executed another program, perhaps one with more rights. It is stopped, so it can't do that
    /// now.
    fn is_same_program(&self) -> io::Result<()> {
        let is_same = !self.tracee.has_executed() && self.execution.is_of(&self.stat);
        if is_same { Ok(()) } else { Err(io::Error::from_raw_os_error(libc::ESRCH)) }
    }

    fn restore(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.over, true) {
            return Ok(());
        }
        if self.used {
            // An interrupted system call is repeated only when the thread continues from a stop by an event.
            self.tracee.reach_event()?;
            self.is_same_program()?;
            if let Some(code) = &self.called
                && !code.contains(&self.tracee.general_registers()?.instruction())
            {
                // It has waited too long, and restored itself.
                return Ok(());
            }
            // Before its registers: the state from which it would otherwise continue restores the mask as well.
            self.tracee.block(self.blocked)?;
        }
        if !self.used {
            self.is_same_program()?;
        }
        let interrupted = self.before.system_call().is_some_and(|number| number != libc::SYS_connect);
        let for_nothing = interrupted
            && self.before.result() == -i64::from(libc::EINTR)
            && self.process.thread_status(self.tracee.tid())?.pending == 0;
        if for_nothing {
            self.before.again().write(self.tracee.tid())?;
        } else if self.used {
            self.before.later().write(self.tracee.tid())?;
        }
        Ok(())
    }
}

fn unexpected(stop: Stop) -> io::Error {
    match stop {
        Stop::Signal(signal) => io::Error::other(format!("signal {signal} in a call")),
        _ => io::Error::from_raw_os_error(libc::ESRCH),
    }
}

impl Drop for Caller {
    fn drop(&mut self) {
        // After an error, the thread is restored if possible.
        let _ = self.restore();
    }
}

#[cfg(test)]
mod tests;

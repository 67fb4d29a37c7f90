//! One thread of another process, traced and stopped (ptrace(2)). Unsafe: these calls.
//!
//! The thread continues when the value is dropped. Tracing by `PTRACE_SEIZE` and `PTRACE_INTERRUPT` sends no signal.
#![allow(unsafe_code)]

use std::io;
use std::ptr;
use std::time::{Duration, Instant};

use crate::arch::{HIDES_CALL, Registers};
use crate::execution::Execution;
use crate::letting_go;
use crate::process::{InKernel, Process};
use crate::stop::{LOOK, Stop, await_child, child_signal, look};
use crate::stop_time::{StopClock, StopTime};
use crate::urgency::ShortTurns;
use crate::watchdog::{self, Step};

/// A stopped thread.
pub(crate) struct Tracee {
    tid: u32,
    /// Time since it was asked to stop.
    clock: StopClock,
    /// Its turns are short meanwhile, if it is to be used.
    turns: Option<ShortTurns>,
    gone: bool,
    /// True from when it continues until the next stop is seen.
    runs: bool,
    /// Signals that this thread blocked before: it blocks SIGCHLD meanwhile, to wait for it.
    own_blocked: libc::sigset_t,
    /// State before it was asked to stop, if its registers will not show that.
    before: Option<InKernel>,
    /// True once it has executed another program.
    executed: bool,
    /// True if SIGSTOP, which can't be blocked, arrived while the thread worked for `ora`: it is sent again
    /// afterwards.
    owes_stop: bool,
}

/// Longest wait for a thread to stop.
const MAX_WAIT: Duration = Duration::from_millis(40);
/// Longest wait for such a thread, to let it go.
const LONGEST: Duration = Duration::from_secs(2);
/// Longest wait for a call in the process.
const MAX_CALL: Duration = Duration::from_secs(10);

impl std::fmt::Debug for Tracee {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Tracee").field("tid", &self.tid).finish_non_exhaustive()
    }
}

impl Tracee {
    /// Stops a thread that is to be used. `Ok(None)` if it doesn't stop in time.
    ///
    /// # Errors
    /// If it may not be traced, or is gone.
    pub(crate) fn stop(execution: &Execution, tid: u32) -> io::Result<Option<Self>> {
        Self::stop_with(tid, MAX_WAIT, |tid| execution.has_thread(tid), |tid| Some(ShortTurns::of(tid)))
    }

    /// Stops a thread that is only read, within this time, if `is_wanted`: its number may have been reused for
    /// another thread.
    ///
    /// # Errors
    /// Like [`Self::stop`].
    pub(crate) fn stop_within(
        tid: u32,
        max_wait: Duration,
        is_wanted: impl Fn(u32) -> bool,
    ) -> io::Result<Option<Self>> {
        Self::stop_with(tid, max_wait, is_wanted, |_| None)
    }

    fn stop_with(
        tid: u32,
        max_wait: Duration,
        is_wanted: impl Fn(u32) -> bool,
        turns: impl FnOnce(u32) -> Option<ShortTurns>,
    ) -> io::Result<Option<Self>> {
        // Checked again below; checked here so that another thread is hardly ever stopped, even for a moment.
        if !is_wanted(tid) {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
        if !letting_go::none_is_left() {
            return Ok(None);
        }
        let before = if HIDES_CALL { Process { pid: tid }.in_kernel(tid).ok().flatten() } else { None };
        let (signals, clock) = (child_signal(), StopClock::start(tid));
        // SAFETY: all zero is a valid, empty signal set.
        let mut own_blocked: libc::sigset_t = unsafe { std::mem::zeroed() };
        let options: usize = (libc::PTRACE_O_TRACESYSGOOD | libc::PTRACE_O_TRACEEXEC).unsigned_abs() as usize;
        let tracing = watchdog::begin(Step::Tracing(tid));
        // SAFETY: takes numbers (PTRACE_SEIZE).
        if unsafe { libc::ptrace(libc::PTRACE_SEIZE, tid, 0_usize, options) } != 0 {
            return Err(io::Error::last_os_error());
        }
        drop(tracing);
        // SAFETY: a whole signal set, and one to be written (pthread_sigmask(3)).
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const signals, &raw mut own_blocked) };
        let mut tracee = Self {
            tid,
            clock,
            turns: None,
            gone: false,
            runs: true,
            own_blocked,
            before,
            executed: false,
            owes_stop: false,
        };
        // From here on the number refers to this thread, until its end is seen here.
        let is_right = is_wanted(tid);
        if is_right {
            tracee.turns = turns(tid);
        }
        tracee.clock.restart();
        tracee.interrupt()?;
        if !is_right {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
        loop {
            match tracee.wait(max_wait)? {
                // Signals that came first are delivered; the stop follows.
                Some(Stop::Signal(signal)) => tracee.go_on(libc::PTRACE_CONT, signal)?,
                Some(Stop::Execution) => return Err(io::Error::from_raw_os_error(libc::ESRCH)),
                Some(_) => {
                    tracee.clock.reached();
                    return Ok(Some(tracee));
                }
                None => return Ok(None),
            }
        }
    }

    /// Time since it was asked to stop.
    pub(crate) fn time(&self) -> StopTime {
        self.clock.time()
    }

    /// Number of the thread.
    pub(crate) fn tid(&self) -> u32 {
        self.tid
    }

    /// Its registers.
    ///
    /// # Errors
    /// If it is gone.
    pub(crate) fn registers(&self) -> io::Result<Registers> {
        Registers::read(self.tid, self.before)
    }

    /// Its general registers, for inspection.
    ///
    /// # Errors
    /// If it is gone.
    pub(crate) fn general_registers(&self) -> io::Result<Registers> {
        Registers::read_general(self.tid, self.before)
    }

    /// Asks for another stop, which comes before it runs any code of the program.
    ///
    /// # Errors
    /// If it is gone.
    pub(crate) fn interrupt(&self) -> io::Result<()> {
        // SAFETY: takes no memory (PTRACE_INTERRUPT).
        let answer = unsafe { libc::ptrace(libc::PTRACE_INTERRUPT, self.tid, 0_usize, 0_usize) };
        if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Lets it run to the start or the end of the next system call, or to the next stop of another kind.
    ///
    /// # Errors
    /// If it is gone, or doesn't stop in time.
    pub(crate) fn reach_system_call(&mut self, max_wait: Duration) -> io::Result<Stop> {
        self.go_on(libc::PTRACE_SYSCALL, 0)?;
        self.wait(max_wait)?.ok_or_else(|| io::ErrorKind::TimedOut.into())
    }

    /// Lets the thread run.
    ///
    /// # Errors
    /// If it is gone.
    pub(crate) fn run(&mut self) -> io::Result<()> {
        self.go_on(libc::PTRACE_CONT, 0)
    }

    /// The stop that it is in; `None` if it runs.
    ///
    /// # Errors
    /// If it is gone.
    pub(crate) fn stopped(&mut self) -> io::Result<Option<Stop>> {
        self.wait(Duration::ZERO)
    }

    /// Stops it by an event, whether it runs or is stopped for another reason.
    ///
    /// # Errors
    /// If it is gone, or doesn't stop.
    pub(crate) fn reach_event(&mut self) -> io::Result<()> {
        self.interrupt()?;
        if !self.runs {
            self.run()?;
        }
        loop {
            match self.wait(MAX_CALL)?.ok_or(io::ErrorKind::TimedOut)? {
                Stop::Event => return Ok(()),
                Stop::Execution => return Err(io::Error::from_raw_os_error(libc::ESRCH)),
                Stop::Signal(libc::SIGSTOP) => self.owes_stop = true,
                Stop::SystemCall | Stop::Signal(_) => {}
            }
            // Any other stop cancels the request (Linux, `ptrace_stop`). At the end of a system call that was interrupted, the thread
            // would make the call again, and perhaps stay in it.
            self.interrupt()?;
            self.run()?;
        }
    }

    /// SIGSTOP arrived while the thread works for `ora`: it is sent again when the thread is let go.
    pub(crate) fn owe_stop(&mut self) {
        self.owes_stop = true;
    }

    /// True once it has executed another program: its registers and memory belong to that.
    pub(crate) fn has_executed(&self) -> bool {
        self.executed
    }

    /// Blocked signals.
    ///
    /// # Errors
    /// If it is gone.
    pub(crate) fn blocked(&self) -> io::Result<u64> {
        let mut mask = 0_u64;
        // SAFETY: the kernel writes eight bytes, to `mask` (PTRACE_GETSIGMASK).
        let answer = unsafe { libc::ptrace(GET_MASK, self.tid, size_of::<u64>(), &raw mut mask) };
        if answer == 0 { Ok(mask) } else { Err(io::Error::last_os_error()) }
    }

    /// Sets its blocked signals.
    ///
    /// # Errors
    /// If it is gone.
    pub(crate) fn block(&self, mask: u64) -> io::Result<()> {
        // SAFETY: the kernel reads eight bytes (PTRACE_SETSIGMASK).
        let answer = unsafe { libc::ptrace(SET_MASK, self.tid, size_of::<u64>(), &raw const mask) };
        if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    fn go_on(&mut self, how: libc::c_uint, signal: i32) -> io::Result<()> {
        // SAFETY: takes numbers (PTRACE_CONT, PTRACE_SYSCALL).
        let answer = unsafe { libc::ptrace(how, self.tid, 0_usize, signal.unsigned_abs() as usize) };
        if answer != 0 {
            return Err(io::Error::last_os_error());
        }
        self.runs = true;
        Ok(())
    }

    /// Waits for the next stop; `None` after `max_wait`.
    fn wait(&mut self, max_wait: Duration) -> io::Result<Option<Stop>> {
        let begun = Instant::now();
        loop {
            match look(self.tid) {
                Ok(None) => {}
                Ok(stop) => {
                    self.runs = false;
                    self.executed |= stop == Some(Stop::Execution);
                    return Ok(stop);
                }
                Err(error) => {
                    self.gone = true;
                    return Err(error);
                }
            }
            let waited = begun.elapsed();
            if waited >= max_wait {
                return Ok(None);
            }
            await_child((max_wait - waited).min(LOOK));
        }
    }
}

/// `PTRACE_GETSIGMASK` and `PTRACE_SETSIGMASK` (linux/ptrace.h).
const GET_MASK: libc::c_uint = 0x420a;
const SET_MASK: libc::c_uint = 0x420b;

impl Drop for Tracee {
    fn drop(&mut self) {
        // First: afterwards the number may be reused for another thread.
        self.turns = None;
        let max_wait = LONGEST.saturating_sub(self.clock.elapsed());
        if !self.gone && !letting_go::within(self.tid, self.runs, max_wait) {
            letting_go::later(self.tid);
        }
        if self.owes_stop && !self.gone {
            // SAFETY: takes numbers (tkill(2)).
            unsafe { libc::syscall(libc::SYS_tkill, self.tid, libc::SIGSTOP) };
        }
        // SAFETY: the set that `stop` has read (pthread_sigmask(3)).
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.own_blocked, ptr::null_mut()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::process::{Command, Stdio};

    /// Prints the number of a thread that sleeps, and executes `true` once it may.
    const EXECUTES: &str = "#define _GNU_SOURCE\n#include <pthread.h>\n#include <stdio.h>\n#include <unistd.h>\n\
        static void *sleeps(void *unused) { printf(\"%d\\n\", gettid()); fflush(stdout); for (;;) pause(); }\n\
        int main(void) {\n\
        pthread_t thread; char go; pthread_create(&thread, 0, sleeps, 0);\n\
        if (read(0, &go, 1) == 1) execlp(\"true\", \"true\", (char *)0);\n\
        return 3; }\n";

    #[test]
    fn a_thread_that_does_not_stop_in_time_is_let_go() {
        let mut child = Command::new("sh");
        let mut child = child.args(["-c", "echo; while :; do :; done"]).stdout(Stdio::piped()).spawn().unwrap();
        // A thread that still executes its program stops for that.
        child.stdout.take().unwrap().read_exact(&mut [0]).unwrap();
        let process = Process { pid: child.id() };
        for _ in 0..20 {
            // With a zero timeout most attempts fail.
            drop(Tracee::stop_within(child.id(), Duration::ZERO, |_| true).unwrap());
            assert_eq!(process.status().unwrap().tracer, 0);
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Its number belonged to a thread of the process that was examined, until just now.
    #[test]
    fn a_thread_that_is_not_of_the_process_is_let_go() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let (own, other) = (Process { pid: std::process::id() }, Process { pid: child.id() });
        let own = Execution::of(own).unwrap();
        let asked = std::cell::Cell::new(0);
        let was_its_own = |tid| asked.replace(asked.get() + 1) == 0 || own.has_thread(tid);
        let refused = Tracee::stop_within(child.id(), MAX_CALL, was_its_own).map(drop);
        let second = Tracee::stop(&own, child.id()).map(drop);
        let tracer = other.status().unwrap().tracer;
        child.kill().unwrap();
        child.wait().unwrap();
        let gone = Some(libc::ESRCH);
        assert_eq!((refused.unwrap_err().raw_os_error(), second.unwrap_err().raw_os_error()), (gone, gone));
        assert_eq!((asked.get(), tracer), (2, 0));
    }

    /// A program that is executed waits for the ends of all other threads, and for their tracer.
    #[test]
    fn a_stopped_thread_does_not_hold_up_a_program_that_is_executed() {
        let folder = tempfile::tempdir().unwrap();
        let (source, program) = (folder.path().join("program.c"), folder.path().join("program"));
        std::fs::write(&source, EXECUTES).unwrap();
        let built = Command::new("gcc").args(["-w", "-pthread", "-o"]).args([&program, &source]).status().unwrap();
        assert!(built.success());
        let mut child = Command::new(&program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut said = [0; 16];
        let length = child.stdout.as_mut().unwrap().read(&mut said).unwrap();
        let thread: u32 = std::str::from_utf8(&said[..length]).unwrap().trim().parse().unwrap();
        let tracee = Tracee::stop_within(thread, MAX_CALL, |_| true).unwrap().unwrap();
        child.stdin.take().unwrap().write_all(b"x").unwrap();
        let process = Process { pid: child.id() };
        while process.thread_status(thread).unwrap().state != 'Z' {
            std::thread::sleep(LOOK);
        }
        assert!(tracee.registers().is_err());
        drop(tracee);
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break Some(status);
            }
            if begun.elapsed() > Duration::from_secs(60) {
                break None;
            }
            std::thread::sleep(LOOK);
        };
        assert!(status.is_some_and(|status| status.success()), "{status:?}");
    }
}

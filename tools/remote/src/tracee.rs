//! One thread of another process, traced and stopped (ptrace(2)). Unsafe: these calls.
//!
//! The thread goes on when the value is dropped. Tracing by `PTRACE_SEIZE` and `PTRACE_INTERRUPT` sends no signal.
#![allow(unsafe_code)]

use std::io;
use std::ptr;
use std::time::{Duration, Instant};

use crate::arch::{HIDES_CALL, Registers};
use crate::process::{InKernel, Process};
use crate::stop_time::{StopClock, StopTime};
use crate::urgency::ShortTurns;

/// A stopped thread.
pub(crate) struct Tracee {
    tid: u32,
    /// Time since it was asked to stop.
    clock: StopClock,
    /// Its turns are short meanwhile, where it is to be used.
    turns: Option<ShortTurns>,
    gone: bool,
    /// True from the moment that it goes on until the next stop is seen.
    runs: bool,
    /// Signals that this thread blocked before: it blocks SIGCHLD meanwhile, to wait for it.
    own_blocked: libc::sigset_t,
    /// State before it was asked to stop, where its registers will not tell that.
    before: Option<InKernel>,
}

/// A stop of the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// At the begin or the end of a system call.
    SystemCall,
    /// By `PTRACE_INTERRUPT`, or a group-stop.
    Event,
    /// At the delivery of this signal.
    Signal(i32),
}

/// Behind the signal's number at a system call's stop, by `PTRACE_O_TRACESYSGOOD`.
const CALL_MARK: i32 = 0x80;
/// `PTRACE_EVENT_STOP`, where the status has the event.
const EVENT_STOP: i32 = 128;
/// Longest wait for a thread to stop.
const PATIENCE: Duration = Duration::from_millis(40);
/// Longest wait for such a thread, to let it go.
const LONGEST: Duration = Duration::from_secs(2);
/// Longest time between two looks: several stops may have sent one signal.
const LOOK: Duration = Duration::from_millis(2);
/// Longest wait for a call in the process.
const CALL_PATIENCE: Duration = Duration::from_secs(10);

impl std::fmt::Debug for Tracee {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Tracee").field("tid", &self.tid).finish_non_exhaustive()
    }
}

impl Tracee {
    /// Stops a thread that is to be used. `Ok(None)`: it doesn't stop in time.
    ///
    /// # Errors
    /// If it may not be traced, or is gone.
    pub(crate) fn stop(tid: u32) -> io::Result<Option<Self>> {
        let turns = ShortTurns::of(tid);
        let mut stopped = Self::stop_within(tid, PATIENCE)?;
        if let Some(tracee) = &mut stopped {
            tracee.turns = Some(turns);
        }
        Ok(stopped)
    }

    /// As [`Self::stop`], in this time.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn stop_within(tid: u32, patience: Duration) -> io::Result<Option<Self>> {
        let before = if HIDES_CALL { Process { pid: tid }.in_kernel(tid).ok().flatten() } else { None };
        let (signals, clock) = (child_signal(), StopClock::start(tid));
        // SAFETY: all zero is a valid, empty signal set.
        let mut own_blocked: libc::sigset_t = unsafe { std::mem::zeroed() };
        let options: usize = libc::PTRACE_O_TRACESYSGOOD.unsigned_abs() as usize;
        // SAFETY: takes numbers (PTRACE_SEIZE).
        if unsafe { libc::ptrace(libc::PTRACE_SEIZE, tid, 0_usize, options) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a whole signal set, and one to be written (pthread_sigmask(3)).
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const signals, &raw mut own_blocked) };
        let mut tracee = Self { tid, clock, turns: None, gone: false, runs: true, own_blocked, before };
        tracee.interrupt()?;
        loop {
            match tracee.wait(patience)? {
                // Signals that came first are delivered; the stop follows.
                Some(Stop::Signal(signal)) => tracee.go_on(libc::PTRACE_CONT, signal)?,
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

    /// Asks for one more stop, which comes before it runs any code of the program.
    ///
    /// # Errors
    /// If it is gone.
    pub(crate) fn interrupt(&self) -> io::Result<()> {
        // SAFETY: takes no memory (PTRACE_INTERRUPT).
        let answer = unsafe { libc::ptrace(libc::PTRACE_INTERRUPT, self.tid, 0_usize, 0_usize) };
        if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Lets it run to the begin or the end of the next system call, or to the next stop of another kind.
    ///
    /// # Errors
    /// If it is gone, or doesn't stop.
    pub(crate) fn reach_system_call(&mut self) -> io::Result<Stop> {
        self.go_on(libc::PTRACE_SYSCALL, 0)?;
        self.wait(CALL_PATIENCE)?.ok_or_else(|| io::ErrorKind::TimedOut.into())
    }

    /// Lets it run.
    ///
    /// # Errors
    /// If it is gone.
    pub(crate) fn run(&mut self) -> io::Result<()> {
        self.go_on(libc::PTRACE_CONT, 0)
    }

    /// The stop that it is in; `None`: it runs.
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
        while self.wait(CALL_PATIENCE)?.ok_or(io::ErrorKind::TimedOut)? != Stop::Event {
            self.run()?;
        }
        Ok(())
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

    /// Waits for the next stop; `None` after that time.
    fn wait(&mut self, patience: Duration) -> io::Result<Option<Stop>> {
        let begun = Instant::now();
        loop {
            let mut status = 0;
            // SAFETY: `status` is there to be written (waitpid(2)).
            let answer =
                unsafe { libc::waitpid(self.tid.cast_signed(), &raw mut status, libc::__WALL | libc::WNOHANG) };
            if answer < 0 {
                self.gone = true;
                return Err(io::Error::last_os_error());
            }
            if answer > 0 && !libc::WIFSTOPPED(status) {
                self.gone = true;
                return Err(io::Error::from_raw_os_error(libc::ESRCH));
            }
            if answer > 0 {
                self.runs = false;
                let signal = libc::WSTOPSIG(status);
                return Ok(Some(match (signal, status >> 16) {
                    (signal, 0) if signal & CALL_MARK != 0 => Stop::SystemCall,
                    (_, EVENT_STOP) => Stop::Event,
                    (signal, _) => Stop::Signal(signal),
                }));
            }
            let waited = begun.elapsed();
            if waited >= patience {
                return Ok(None);
            }
            await_child((patience - waited).min(LOOK));
        }
    }
}

/// Waits for the signal that a traced thread's stop sends, for at most so long. A wait that yields the processor takes a time slice on
/// a busy machine.
fn await_child(time: Duration) {
    let time = libc::timespec { tv_sec: 0, tv_nsec: time.subsec_nanos().into() };
    let signals = child_signal();
    // SAFETY: reads a signal set and a time (sigtimedwait(2)).
    unsafe { libc::sigtimedwait(&raw const signals, ptr::null_mut(), &raw const time) };
}

/// The set of SIGCHLD.
fn child_signal() -> libc::sigset_t {
    // SAFETY: all zero is a valid, empty signal set.
    let mut signals: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: a signal set, and a signal's number.
    unsafe { libc::sigaddset(&raw mut signals, libc::SIGCHLD) };
    signals
}

/// `PTRACE_GETSIGMASK` and `PTRACE_SETSIGMASK` (linux/ptrace.h).
const GET_MASK: libc::c_uint = 0x420a;
const SET_MASK: libc::c_uint = 0x420b;

impl Drop for Tracee {
    fn drop(&mut self) {
        // A thread can be let go while it is stopped only. One that didn't stop in time does so when it gets a processor.
        let mut signal = 0_usize;
        while !self.gone && self.runs && self.clock.elapsed() < LONGEST {
            if let Ok(Some(Stop::Signal(number))) = self.wait(LOOK) {
                signal = number.unsigned_abs() as usize;
            }
        }
        // SAFETY: the set that `stop` has read (pthread_sigmask(3)).
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.own_blocked, ptr::null_mut()) };
        if !self.gone {
            // Of a thread that runs still, the end of this process is the end.
            // SAFETY: takes no memory (PTRACE_DETACH).
            unsafe { libc::ptrace(libc::PTRACE_DETACH, self.tid, ptr::null_mut::<u8>(), signal) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_thread_that_does_not_stop_in_time_is_let_go() {
        let mut child = Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        let process = Process { pid: child.id() };
        for _ in 0..20 {
            // Without patience most attempts fail.
            drop(Tracee::stop_within(child.id(), Duration::ZERO).unwrap());
            assert_eq!(process.status().unwrap().tracer, 0);
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

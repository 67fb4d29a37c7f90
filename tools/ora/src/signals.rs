//! Signals between the terminal, `ora` and the program. Unsafe: these are system calls.
//!
//! While the program runs, a signal that is sent to `ora` is forwarded to the program. Signals from the terminal (Ctrl-C, Ctrl-\, hang-up)
//! reach the program anyway, so `ora` only survives them. A signal that a program sends to the whole process group looks like one sent to
//! `ora` alone, so the program gets it twice. A signal that `ora` was started to ignore is forwarded as well, because the program may handle
//! it, but never affects `ora`. If the program stops, so does `ora` (see [`stopping`]).
//!
//! Once the program has ended, such a signal ends `ora`, no matter what it waits for. One that arrives immediately after the program's end
//! was meant for both, as a batch system signals process by process: `ora` still writes its results. A command that watches another process
//! notes the first signal, and ends its session in an orderly way. In both cases, a second signal ends `ora`, and so does the end of
//! [`MAX_NOTED_S`].
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::io;
use std::mem::{MaybeUninit, zeroed};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::{closed_streams, stopping};

const PASSED_ON: [c_int; 6] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGUSR1, libc::SIGUSR2];
/// Further signals that `ora` treats in its own way.
const OTHERS: [c_int; 4] = [libc::SIGPIPE, libc::SIGCHLD, libc::SIGXFSZ, libc::SIGCONT];

/// Of the signals above, one bit for each that was ignored when `ora` started, before Rust's runtime ignores SIGPIPE.
static IGNORED_AT_START: AtomicU64 = AtomicU64::new(0);

/// Id of this process. A child that has not yet executed its program has the handlers as well.
static OWN: AtomicI32 = AtomicI32::new(0);
/// Id of the running program; 0 if none runs.
static PROGRAM: AtomicI32 = AtomicI32::new(0);
/// Locked while [`send_to_program`] sends a signal to the program, and while the program is waited for.
static REAPING: Mutex<()> = Mutex::new(());
static HANG_UP_ENDS: AtomicBool = AtomicBool::new(false);
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// True if a first signal is noted even long after the program's end, see [`take_note`].
static NOTES: AtomicBool = AtomicBool::new(false);
/// Signal that was noted while no program ran; 0 if none.
static NOTED: AtomicI32 = AtomicI32::new(0);
/// Time of the last program's end, in milliseconds of the monotonic clock; far in the past if none has run.
static ENDED_MS: AtomicI64 = AtomicI64::new(i64::MIN);

/// Function to call before a signal ends `ora`.
static LAST: OnceLock<fn()> = OnceLock::new();

/// Seconds within which `ora` must end after a signal that it has noted.
const MAX_NOTED_S: u32 = 10;
/// Maximum time after the program's end in which a signal counts as meant for the program as well.
const SAME_SIGNAL_MS: i64 = 500;
const TOO_LONG: &[u8] = b"ora: not finished 10 s after the signal: the remaining work is dropped\n";

#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = before_main;

extern "C" fn before_main() {
    OWN.store(own(), Relaxed);
    for signal in PASSED_ON.into_iter().chain(OTHERS).filter(|signal| ignored(*signal)) {
        IGNORED_AT_START.fetch_or(1 << signal, Relaxed);
    }
    // A file that may not grow is an error to report, and must not end the process.
    set(libc::SIGXFSZ, libc::SIG_IGN);
}

fn own() -> c_int {
    // SAFETY: a system call without arguments.
    unsafe { libc::getpid() }
}

fn ignored(signal: c_int) -> bool {
    // SAFETY: all zero is a valid `sigaction`.
    let mut now: libc::sigaction = unsafe { zeroed() };
    // SAFETY: only a query; `now` is valid for writes.
    let answer = unsafe { libc::sigaction(signal, ptr::null(), &raw mut now) };
    answer == 0 && now.sa_sigaction == libc::SIG_IGN
}

fn ignored_at_start(signal: c_int) -> bool {
    IGNORED_AT_START.load(Relaxed) & 1 << signal != 0
}

fn set(signal: c_int, what: libc::sighandler_t) {
    // SAFETY: `what` is a constant of the system or a handler of this file.
    unsafe { libc::signal(signal, what) };
}

/// Lets the program start with the signal mask and the ignored signals with which `ora` was started.
pub(crate) fn pass_on(command: &mut Command) {
    let mask = blocked();
    let prepare = move || {
        for signal in PASSED_ON.into_iter().chain(OTHERS) {
            set(signal, if ignored_at_start(signal) { libc::SIG_IGN } else { libc::SIG_DFL });
        }
        set_blocked(&mask);
        Ok(())
    };
    // SAFETY: the closure only makes async-signal-safe system calls.
    unsafe { command.pre_exec(prepare) };
}

fn blocked() -> libc::sigset_t {
    let mut mask = MaybeUninit::uninit();
    // SAFETY: without a new mask the call only fills in the old one, and can't fail.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, ptr::null(), mask.as_mut_ptr()) };
    // SAFETY: filled in by the call above.
    unsafe { mask.assume_init() }
}

fn set_blocked(mask: &libc::sigset_t) {
    // SAFETY: `mask` is a whole signal set.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, mask, ptr::null_mut()) };
}

/// Starts the program and waits for its end.
///
/// # Errors
/// If it can't be started.
pub(crate) fn run(command: &mut Command) -> io::Result<ExitStatus> {
    keep_exit_status();
    // Signals of the previous program no longer limit the time.
    if NOTED.swap(0, Relaxed) != 0 {
        be_patient(0);
    }
    let child = hold_back(|| {
        let child = closed_streams::left_closed(|| command.spawn())?;
        PROGRAM.store(child.id().cast_signed(), Relaxed);
        PASSED_ON.into_iter().chain([libc::SIGCONT]).for_each(install);
        io::Result::Ok(child)
    });
    let status = wait(child?);
    // Programs that `ora` starts later inherit that.
    for signal in PASSED_ON.into_iter().filter(|signal| ignored_at_start(*signal)) {
        set(signal, libc::SIG_IGN);
    }
    status
}

/// Makes the system keep the exit status of a child, which it discards if SIGCHLD is ignored.
pub(crate) fn keep_exit_status() {
    set(libc::SIGCHLD, libc::SIG_DFL);
}

/// From now on, keys that interrupt only affect the child on the terminal. Children that start later ignore them as well.
pub(crate) fn leave_keys_to_child() {
    set(libc::SIGINT, libc::SIG_IGN);
    set(libc::SIGQUIT, libc::SIG_IGN);
}

fn wait(mut child: Child) -> io::Result<ExitStatus> {
    // Leaves the process in place, so that its id isn't reused while a signal can be sent to it.
    let flags = libc::WEXITED | libc::WSTOPPED | libc::WNOWAIT;
    loop {
        // SAFETY: all zero is a valid `siginfo_t`.
        let mut about: libc::siginfo_t = unsafe { zeroed() };
        // SAFETY: `about` is valid for writes.
        let answer = unsafe { libc::waitid(libc::P_PID, child.id(), &raw mut about, flags) };
        if answer == 0 && about.si_code == libc::CLD_STOPPED {
            // The screen of `ora top` would stay on the terminal.
            stopping::follow(child.id().cast_signed(), !HANG_UP_ENDS.load(Relaxed));
        } else if answer == 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            break;
        }
    }
    ENDED_MS.store(now_ms(), Relaxed);
    let _nobody_sends = REAPING.lock().unwrap_or_else(PoisonError::into_inner);
    PROGRAM.store(0, Relaxed);
    child.wait()
}

/// Calls `act`. Signals that users send to `ora` and that reach this thread meanwhile are handled afterwards.
pub(crate) fn hold_back<T>(act: impl FnOnce() -> T) -> T {
    let usual = blocked();
    set_blocked(&with_passed_on(usual));
    let result = act();
    set_blocked(&usual);
    result
}

fn with_passed_on(mut mask: libc::sigset_t) -> libc::sigset_t {
    for signal in PASSED_ON {
        // SAFETY: `mask` is a whole signal set, and the number is that of a signal.
        unsafe { libc::sigaddset(&raw mut mask, signal) };
    }
    mask
}

fn install(signal: c_int) {
    // SAFETY: all zero is a valid `sigaction`.
    let mut action: libc::sigaction = unsafe { zeroed() };
    action.sa_sigaction = on_signal as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
    // SAFETY: the handler has the type that SA_SIGINFO requires (the system passes a valid pointer) and only makes async-signal-safe calls.
    unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) };
}

extern "C" fn on_signal(signal: c_int, info: Option<&libc::siginfo_t>, _: *mut c_void) {
    if own() != OWN.load(Relaxed) {
        if !ignored_at_start(signal) {
            die(signal);
        }
        return;
    }
    if signal == libc::SIGCONT {
        stopping::continue_program(PROGRAM.load(Relaxed));
        return;
    }
    let is_for_program = PROGRAM.load(Relaxed) != 0;
    send_on(signal, info);
    if matches!(signal, libc::SIGUSR1 | libc::SIGUSR2) || ignored_at_start(signal) {
        return;
    }
    INTERRUPTED.store(true, Relaxed);
    if signal == libc::SIGHUP && HANG_UP_ENDS.load(Relaxed) {
        end_by(signal);
    } else if !is_for_program {
        let is_noted = NOTES.load(Relaxed) || now_ms().saturating_sub(ENDED_MS.load(Relaxed)) < SAME_SIGNAL_MS;
        if is_noted && NOTED.swap(signal, Relaxed) == 0 {
            be_patient(MAX_NOTED_S);
        } else {
            end_by(signal);
        }
    }
}

/// Ends `ora` by the signal as soon as the handler returns.
fn end_by(signal: c_int) {
    if let Some(last) = LAST.get() {
        last();
    }
    die(signal);
}

fn die(signal: c_int) {
    set(signal, libc::SIG_DFL);
    // SAFETY: takes a number, and sends a signal to this thread, which is delivered when the handler returns (raise(3)).
    unsafe { libc::raise(signal) };
}

/// Makes `ora` end within this many seconds; 0 cancels that.
fn be_patient(seconds: u32) {
    if seconds > 0 {
        set(libc::SIGALRM, on_alarm as *const () as usize);
    }
    // SAFETY: takes a number (alarm(2)), and is async-signal-safe (signal-safety(7)).
    unsafe { libc::alarm(seconds) };
}

/// True if stderr can be written to without blocking. Async-signal-safe.
pub(crate) fn error_output_has_room() -> bool {
    let mut room = libc::pollfd { fd: libc::STDERR_FILENO, events: libc::POLLOUT, revents: 0 };
    // SAFETY: a single entry, valid for writes; poll(2) is async-signal-safe.
    let has_room = unsafe { libc::poll(&raw mut room, 1, 0) } == 1;
    has_room && room.revents & libc::POLLOUT != 0
}

extern "C" fn on_alarm(_: c_int) {
    // `ora` may be waiting for a full pipe.
    if error_output_has_room() {
        // SAFETY: the bytes of a constant; write(2) is async-signal-safe.
        unsafe { libc::write(libc::STDERR_FILENO, TOO_LONG.as_ptr().cast(), TOO_LONG.len()) };
    }
    end_by(NOTED.load(Relaxed));
}

/// Milliseconds of the monotonic clock. Async-signal-safe (signal-safety(7)).
fn now_ms() -> i64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is valid for writes.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec * 1000 + now.tv_nsec / 1_000_000
}

/// From now on a hang-up ends `ora`, since its terminal is gone. Reading keys from it would never end (crossterm reads an end of file again
/// and again).
pub(crate) fn end_at_hang_up() {
    HANG_UP_ENDS.store(true, Relaxed);
}

/// Forwards a signal to the program, unless it has already received it.
fn send_on(signal: c_int, info: Option<&libc::siginfo_t>) {
    let program = PROGRAM.load(Relaxed);
    let Some(info) = info else { return };
    // Above 0: sent by the kernel. Signals from the terminal reach the program as well.
    if info.si_code > 0 || program == 0 {
        return;
    }
    // SAFETY: a signal sent by a process contains the sender.
    let sender = unsafe { info.si_pid() };
    if sender != program {
        // SAFETY: a system call. The program has not been waited for, so the id is still its own.
        unsafe { libc::kill(program, signal) };
    }
}

/// Notes the first signal with which the user ends `ora`, instead of ending: see [`interrupted`]. Waits in system calls are interrupted.
pub(crate) fn take_note() {
    NOTES.store(true, Relaxed);
    handle_ending();
}

/// From now on the first signal of a user who ends `ora` is noted even if no program runs, because the terminal must be restored.
pub(crate) fn note_after_program() {
    NOTES.store(true, Relaxed);
}

/// Reports that the session has ended in an orderly way after a signal. The remaining work may take its time, until another signal ends it.
pub(crate) fn session_has_ended() {
    // An alarm with which `ora` was started is kept.
    if NOTED.load(Relaxed) != 0 {
        be_patient(0);
    }
}

/// Makes the handler call `last` before a signal ends `ora`. It must be async-signal-safe.
pub(crate) fn before_ending(last: fn()) {
    // All callers pass the same function.
    let _ = LAST.set(last);
    handle_ending();
}

/// Handles the signals with which users end `ora`.
fn handle_ending() {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT] {
        if ignored(signal) || ignored_at_start(signal) {
            continue;
        }
        // SAFETY: all zero is a valid `sigaction`.
        let mut action: libc::sigaction = unsafe { zeroed() };
        action.sa_sigaction = on_signal as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        // SAFETY: as in `install`.
        unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) };
    }
}

/// True if the user has interrupted the run: the program must not be started again.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Relaxed)
}

/// Id of the running program; `None` if none runs.
pub(crate) fn program() -> Option<c_int> {
    Some(PROGRAM.load(Relaxed)).filter(|program| *program > 0)
}

/// Sends a signal to the program; returns false if none runs. Its id is the one that the system returned when it was started, because the
/// program can write any number to shared memory.
pub(crate) fn send_to_program(signal: c_int) -> bool {
    let _program_stays = REAPING.lock().unwrap_or_else(PoisonError::into_inner);
    let program = PROGRAM.load(Relaxed);
    // SAFETY: a system call without pointers. The program has not been waited for, so the id is still its own.
    program > 0 && unsafe { libc::kill(program, signal) } == 0
}

/// Ends this process as the signal does, without a core file. Returns if the signal isn't fatal.
pub(crate) fn die_of(signal: c_int) {
    // SAFETY: a system call; the core dump belongs to the program.
    unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 0) };
    set(signal, libc::SIG_DFL);
    // SAFETY: all zero is a valid, empty signal set.
    set_blocked(&unsafe { zeroed() });
    // SAFETY: sends a signal to this thread.
    unsafe { libc::raise(signal) };
}

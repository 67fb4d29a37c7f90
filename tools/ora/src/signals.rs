//! Signals between the terminal, `ora` and the program. Unsafe: these are system calls.
//!
//! While the program runs, a signal that is sent to `ora` goes on to the program. What the terminal sends (Ctrl-C,
//! Ctrl-\, hang-up) reaches the program anyway, so `ora` only outlives it. A signal sent to the whole process group by a
//! program looks like one sent to `ora` alone; the program then gets it twice. Stopping (Ctrl-Z) is left to the system:
//! both stop, both go on.
//!
//! Once the program has ended, such a signal ends `ora`, whatever it waits for. One that comes immediately after the program's end
//! was meant for both (a batch system signals process by process): `ora` still writes what it has. A command that watches
//! another process takes note of the first signal, and ends its session in order. After both kinds, a second signal ends `ora`,
//! and so does the end of [`PATIENCE_S`].
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::io;
use std::mem::{MaybeUninit, zeroed};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};

const PASSED_ON: [c_int; 6] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGUSR1, libc::SIGUSR2];

/// True if SIGPIPE was ignored when `ora` started, before Rust's runtime ignores it; SIGCHLD likewise.
static SIGPIPE_IGNORED: AtomicBool = AtomicBool::new(false);
static SIGCHLD_IGNORED: AtomicBool = AtomicBool::new(false);
static SIGXFSZ_IGNORED: AtomicBool = AtomicBool::new(false);

/// This process. A child that has not yet executed its program has the handlers as well.
static OWN: AtomicI32 = AtomicI32::new(0);
/// The running program; 0 when there is none.
static PROGRAM: AtomicI32 = AtomicI32::new(0);
/// Taken while a signal is sent to the program by [`send_to_program`], and while the program is waited for.
static REAPING: Mutex<()> = Mutex::new(());
static HANG_UP_ENDS: AtomicBool = AtomicBool::new(false);
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// True if a first signal is noted also long after the program's end, see [`take_note`].
static NOTES: AtomicBool = AtomicBool::new(false);
/// The signal that was noted while no program ran; 0: none.
static NOTED: AtomicI32 = AtomicI32::new(0);
/// Time of the last program's end, in milliseconds of the monotonic clock; far in the past: none has run.
static ENDED_MS: AtomicI64 = AtomicI64::new(i64::MIN);

/// Last thing to do before a signal ends `ora`.
static LAST: OnceLock<fn()> = OnceLock::new();

/// Seconds in which `ora` must have ended after a signal that it has noted.
const PATIENCE_S: u32 = 10;
/// Longest time after the program's end in which a signal was meant for the program as well.
const SAME_SIGNAL_MS: i64 = 500;
const TOO_LONG: &[u8] = b"ora: no end within 10 s after the signal: what is left to do is given up\n";

#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = before_main;

extern "C" fn before_main() {
    OWN.store(own(), Relaxed);
    SIGPIPE_IGNORED.store(ignored(libc::SIGPIPE), Relaxed);
    SIGCHLD_IGNORED.store(ignored(libc::SIGCHLD), Relaxed);
    SIGXFSZ_IGNORED.store(ignored(libc::SIGXFSZ), Relaxed);
    // A file that may not grow is an error to report, not the end.
    set(libc::SIGXFSZ, libc::SIG_IGN);
}

fn own() -> c_int {
    // SAFETY: a system call without arguments.
    unsafe { libc::getpid() }
}

fn ignored(signal: c_int) -> bool {
    // SAFETY: all zero is a valid `sigaction`.
    let mut now: libc::sigaction = unsafe { zeroed() };
    // SAFETY: only asks; `now` is there to be written.
    let answer = unsafe { libc::sigaction(signal, ptr::null(), &raw mut now) };
    answer == 0 && now.sa_sigaction == libc::SIG_IGN
}

fn set(signal: c_int, what: libc::sighandler_t) {
    // SAFETY: `what` is a constant of the system or a handler of this file.
    unsafe { libc::signal(signal, what) };
}

/// Lets the program start with the signal mask and the ignored signals that `ora` was started with.
pub(crate) fn pass_on(command: &mut Command) {
    let mask = blocked();
    let prepare = move || {
        set(libc::SIGPIPE, if SIGPIPE_IGNORED.load(Relaxed) { libc::SIG_IGN } else { libc::SIG_DFL });
        set(libc::SIGCHLD, if SIGCHLD_IGNORED.load(Relaxed) { libc::SIG_IGN } else { libc::SIG_DFL });
        set(libc::SIGXFSZ, if SIGXFSZ_IGNORED.load(Relaxed) { libc::SIG_IGN } else { libc::SIG_DFL });
        set_blocked(&mask);
        Ok(())
    };
    // SAFETY: the closure makes async-signal-safe system calls only.
    unsafe { command.pre_exec(prepare) };
}

fn blocked() -> libc::sigset_t {
    let mut mask = MaybeUninit::uninit();
    // SAFETY: without a new mask the call only fills in the old one; it can't fail then.
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
    // A former program's signals are no longer waited for.
    if NOTED.swap(0, Relaxed) != 0 {
        be_patient(0);
    }
    let usual = blocked();
    // What comes before the program's number is known stays pending.
    set_blocked(&with_passed_on(usual));
    let child = command.spawn();
    if let Ok(child) = &child {
        PROGRAM.store(child.id().cast_signed(), Relaxed);
        PASSED_ON.into_iter().for_each(install);
    }
    set_blocked(&usual);
    wait(child?)
}

/// Lets the exit status of a child be kept: the system throws it away where SIGCHLD is ignored.
pub(crate) fn keep_exit_status() {
    set(libc::SIGCHLD, libc::SIG_DFL);
}

/// From now on keys that interrupt are for the child on the terminal alone. Children that start later ignore them, too.
pub(crate) fn leave_keys_to_child() {
    set(libc::SIGINT, libc::SIG_IGN);
    set(libc::SIGQUIT, libc::SIG_IGN);
}

fn wait(mut child: Child) -> io::Result<ExitStatus> {
    // Leaves the process in place, so that its number stays its own until no signal can be sent to it.
    loop {
        // SAFETY: all zero is a valid `siginfo_t`.
        let mut about: libc::siginfo_t = unsafe { zeroed() };
        // SAFETY: `about` is there to be written.
        let answer = unsafe { libc::waitid(libc::P_PID, child.id(), &raw mut about, libc::WEXITED | libc::WNOWAIT) };
        if answer == 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            break;
        }
    }
    ENDED_MS.store(now_ms(), Relaxed);
    let _nobody_sends = REAPING.lock().unwrap_or_else(PoisonError::into_inner);
    PROGRAM.store(0, Relaxed);
    child.wait()
}

fn with_passed_on(mut mask: libc::sigset_t) -> libc::sigset_t {
    for signal in PASSED_ON {
        // SAFETY: `mask` is a whole signal set, and the number is a signal's.
        unsafe { libc::sigaddset(&raw mut mask, signal) };
    }
    mask
}

/// Installs a handler. A signal that was ignored when `ora` started stays ignored, in the program too.
fn install(signal: c_int) {
    if ignored(signal) {
        return;
    }
    // SAFETY: all zero is a valid `sigaction`.
    let mut action: libc::sigaction = unsafe { zeroed() };
    action.sa_sigaction = on_signal as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
    // SAFETY: the handler has the type that SA_SIGINFO asks for (the system passes a valid pointer) and makes async-signal-safe calls only.
    unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) };
}

extern "C" fn on_signal(signal: c_int, info: Option<&libc::siginfo_t>, _: *mut c_void) {
    if own() != OWN.load(Relaxed) {
        die(signal);
        return;
    }
    let is_for_program = PROGRAM.load(Relaxed) != 0;
    send_on(signal, info);
    if matches!(signal, libc::SIGUSR1 | libc::SIGUSR2) {
        return;
    }
    INTERRUPTED.store(true, Relaxed);
    if signal == libc::SIGHUP && HANG_UP_ENDS.load(Relaxed) {
        end_by(signal);
    } else if !is_for_program {
        let is_noted = NOTES.load(Relaxed) || now_ms().saturating_sub(ENDED_MS.load(Relaxed)) < SAME_SIGNAL_MS;
        if is_noted && NOTED.swap(signal, Relaxed) == 0 {
            be_patient(PATIENCE_S);
        } else {
            end_by(signal);
        }
    }
}

/// Ends `ora` by the signal, as soon as its handler returns.
fn end_by(signal: c_int) {
    if let Some(last) = LAST.get() {
        last();
    }
    die(signal);
}

fn die(signal: c_int) {
    set(signal, libc::SIG_DFL);
    // SAFETY: takes a number, and sends a signal to this thread, which comes when the handler is done (raise(3)).
    unsafe { libc::raise(signal) };
}

/// Lets `ora` end in so many seconds; 0: it need not.
fn be_patient(seconds: u32) {
    if seconds > 0 {
        set(libc::SIGALRM, on_alarm as *const () as usize);
    }
    // SAFETY: takes a number (alarm(2)), and is async-signal-safe (signal-safety(7)).
    unsafe { libc::alarm(seconds) };
}

/// True if something can be written to stderr without a wait. Async-signal-safe.
pub(crate) fn error_output_has_room() -> bool {
    let mut room = libc::pollfd { fd: libc::STDERR_FILENO, events: libc::POLLOUT, revents: 0 };
    // SAFETY: one entry, there to be written; poll(2) is async-signal-safe.
    let has_room = unsafe { libc::poll(&raw mut room, 1, 0) } == 1;
    has_room && room.revents & libc::POLLOUT != 0
}

extern "C" fn on_alarm(_: c_int) {
    // A full pipe may be what `ora` waits for.
    if error_output_has_room() {
        // SAFETY: the constant's bytes; write(2) is async-signal-safe.
        unsafe { libc::write(libc::STDERR_FILENO, TOO_LONG.as_ptr().cast(), TOO_LONG.len()) };
    }
    end_by(NOTED.load(Relaxed));
}

/// Milliseconds of the monotonic clock. Async-signal-safe (signal-safety(7)).
fn now_ms() -> i64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is there to be written.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec * 1000 + now.tv_nsec / 1_000_000
}

/// From now on a hang-up ends `ora`: its terminal is gone. Reading keys from there would never end (crossterm reads an end of file
/// again and again).
pub(crate) fn end_at_hang_up() {
    HANG_UP_ENDS.store(true, Relaxed);
}

/// Sends a signal on to the program, unless it has got it already.
fn send_on(signal: c_int, info: Option<&libc::siginfo_t>) {
    let program = PROGRAM.load(Relaxed);
    let Some(info) = info else { return };
    // Above 0: from the kernel. The terminal's signals go to the program as well.
    if info.si_code > 0 || program == 0 {
        return;
    }
    // SAFETY: a signal that a process sent says which.
    let sender = unsafe { info.si_pid() };
    if sender != program {
        // SAFETY: a system call. The program has not been waited for, so the number is still its own.
        unsafe { libc::kill(program, signal) };
    }
}

/// Takes note of the first signal by which the user ends `ora`, in place of ending: see [`interrupted`]. Waits in system calls end.
pub(crate) fn take_note() {
    NOTES.store(true, Relaxed);
    handle_ending();
}

/// From now on the first signal of a user who ends `ora` is noted also where no program runs: the terminal must be restored.
pub(crate) fn note_after_program() {
    NOTES.store(true, Relaxed);
}

/// The session has ended in order after a signal. What is left takes its time, until another signal ends it.
pub(crate) fn session_has_ended() {
    // An alarm that `ora` was started with stays.
    if NOTED.load(Relaxed) != 0 {
        be_patient(0);
    }
}

/// Has `last` called before a signal ends `ora`. It must be async-signal-safe.
pub(crate) fn before_ending(last: fn()) {
    // There is one such function.
    let _ = LAST.set(last);
    handle_ending();
}

/// Handles the signals by which users end `ora`.
fn handle_ending() {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT] {
        if ignored(signal) {
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

/// True if the user has interrupted the run: the program isn't started once more then.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Relaxed)
}

/// Sends a signal to the program; false: none runs. Its number is the one that the system gave when it was started: what the program says
/// of itself in shared memory can be any number.
pub(crate) fn send_to_program(signal: c_int) -> bool {
    let _program_stays = REAPING.lock().unwrap_or_else(PoisonError::into_inner);
    let program = PROGRAM.load(Relaxed);
    // SAFETY: a system call without pointers. The program has not been waited for, so the number is still its own.
    program > 0 && unsafe { libc::kill(program, signal) } == 0
}

/// Ends this process as the signal ends one, without a core file. Comes back if the signal doesn't kill.
pub(crate) fn die_of(signal: c_int) {
    // SAFETY: a system call; the core dump is the program's.
    unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 0) };
    set(signal, libc::SIG_DFL);
    // SAFETY: all zero is a valid, empty signal set.
    set_blocked(&unsafe { zeroed() });
    // SAFETY: sends a signal to this thread.
    unsafe { libc::raise(signal) };
}

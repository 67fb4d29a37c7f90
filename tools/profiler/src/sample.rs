//! What a thread does when its signal comes. Unsafe: a signal handler.
//!
//! Async-signal-safe: see the crate's documentation.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::mem::zeroed;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use profile_data::{Moment, Record, Sample};

use crate::client::{self, Doing};
use crate::file::FILE;
use crate::registers::Registers;
use crate::threads::{self, Thread};
use crate::{forks, modules, session, setting, stacks, system, timer};

/// The handler that was there before: SIG_DFL or SIG_IGN, which a new program has.
static BEFORE: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);

/// Makes the signal ours.
pub(crate) fn install(signal: c_int) -> bool {
    // SAFETY: all zero is a valid, empty `sigaction`.
    let mut action: libc::sigaction = unsafe { zeroed() };
    action.sa_sigaction = on_signal as *const () as usize;
    action.sa_flags = libc::SA_RESTART | libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: as above.
    let mut before: libc::sigaction = unsafe { zeroed() };
    // SAFETY: the handler has the type that SA_SIGINFO asks for, and this library is never unloaded.
    let done = unsafe { libc::sigaction(signal, &raw const action, &raw mut before) } == 0;
    BEFORE.store(before.sa_sigaction, Relaxed);
    done
}

/// Whether the signal is ours still.
pub(crate) fn is_ours(signal: c_int) -> bool {
    // SAFETY: all zero is a valid `sigaction`.
    let mut now: libc::sigaction = unsafe { zeroed() };
    // SAFETY: only asks; `now` is there to be written.
    unsafe { libc::sigaction(signal, ptr::null(), &raw mut now) };
    now.sa_sigaction == on_signal as *const () as usize
}

/// Whether the calling thread blocks the signal.
pub(crate) fn is_blocked(signal: c_int) -> bool {
    // SAFETY: all zero is a valid, empty set.
    let mut now: libc::sigset_t = unsafe { zeroed() };
    // SAFETY: only asks; `now` is there to be written.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, ptr::null(), &raw mut now) };
    // SAFETY: a whole set.
    unsafe { libc::sigismember(&raw const now, signal) == 1 }
}

extern "C" fn on_signal(signal: c_int, info: Option<&libc::siginfo_t>, context: *mut c_void) {
    let error = system::errno();
    if info.is_some_and(timer::sent) {
        if let Some(thread) = threads::me() {
            // SAFETY: what the system gave this handler, which has SA_SIGINFO.
            tick(thread, unsafe { Registers::interrupted(context) });
        }
    } else {
        somebody_elses(signal);
    }
    system::set_errno(error);
}

/// A signal that somebody has sent does what it would without us.
#[cold]
fn somebody_elses(signal: c_int) {
    if BEFORE.load(Relaxed) == libc::SIG_IGN {
        return;
    }
    // SAFETY: the default action; the signal comes once more, when this handler is done.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
    // SAFETY: sends a signal to this thread.
    unsafe { libc::raise(signal) };
}

fn tick(thread: &'static Thread, registers: Registers) {
    thread.delivered.fetch_add(1, Relaxed);
    if !thread.live.load(Relaxed) || !session::begin_file() {
        return;
    }
    let now_ns = system::monotonic_ns();
    modules::refresh(now_ns, false);
    let cpu_ns = system::cpu_ns();
    let time = Time {
        now_ns,
        wall_ns: now_ns.saturating_sub(thread.charged_ns.load(Relaxed)),
        cpu_ns: cpu_ns.saturating_sub(thread.charged_cpu_ns.load(Relaxed)),
    };
    take(thread, Moment::Tick, Some(registers), client::doing(), time);
}

/// The time that a sample stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Time {
    pub(crate) now_ns: u64,
    pub(crate) wall_ns: u64,
    pub(crate) cpu_ns: u64,
}

/// Writes a sample of the calling thread, and charges its time.
pub(crate) fn take(thread: &Thread, moment: Moment, registers: Option<Registers>, doing: Doing, time: Time) {
    // The time of a sample that isn't taken is the next one's.
    let stack = thread.look(|scratch| {
        registers.map_or(0, |registers| {
            let (cut, frames) = scratch.walk(registers, thread.stack());
            stacks::of_sample(cut, frames)
        })
    });
    if let Some(stack) = stack {
        write(thread, moment, stack, doing, time);
    }
}

/// Writes a sample, and charges its time.
pub(crate) fn write(thread: &Thread, moment: Moment, stack: u32, doing: Doing, time: Time) {
    thread.write();
    if doing.region != 0 {
        forks::sampled(doing.region);
    }
    let written = FILE.write(Record::Sample(Sample {
        thread: thread.number(),
        moment,
        state: doing.state,
        stack,
        at_ns: time.now_ns,
        wall_ns: time.wall_ns,
        cpu_ns: time.cpu_ns,
        wait: doing.wait,
        region: doing.region,
    }));
    if written {
        thread.charged_ns.fetch_add(time.wall_ns, Relaxed);
        thread.charged_cpu_ns.fetch_add(time.cpu_ns, Relaxed);
    } else {
        thread.lost.fetch_add(1, Relaxed);
    }
}

/// What a thread may wait, asleep, before that is a sample of its own.
pub(crate) fn long_ns() -> u64 {
    setting::get().map_or(u64::MAX, |setting| setting.period_ns() / 4)
}

//! The signal handler: takes a sample of the calling thread. Unsafe: a signal handler.
//!
//! Async-signal-safe: see the crate's documentation.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering::Relaxed;

use ora_client::Doing;
use profile_format::{Moment, Record, Sample};

use crate::file::FILE;
use crate::registers::Registers;
use crate::stack_bounds::Stack;
use crate::threads::Thread;
use crate::{
    clock, current_thread, disposition, forks, handler, modules, serial_time, session, setting, stacks, system, waits,
};

/// Installs the handler for the signal.
pub(crate) fn install(signal: c_int) -> bool {
    disposition::install(signal, handler::entry as *const () as usize)
}

/// Takes a sample; called by [`handler::entry`].
pub(crate) extern "C" fn on_signal(signal: c_int, info: Option<&libc::siginfo_t>, context: *mut c_void) {
    let error = system::errno();
    let thread = current_thread::me();
    if let Some(thread) = thread {
        thread.enter_handler();
    }
    match info.filter(|info| clock::sent(info)) {
        Some(info) if !session::is_open() => clock::end_late(info),
        Some(_) => {
            if let Some(thread) = thread {
                // SAFETY: what the system gave this handler, which has SA_SIGINFO.
                let registers = unsafe { Registers::interrupted(context) };
                if thread.is_fresh() {
                    thread.begin(Stack::Interrupted(registers.sp()));
                }
                tick(thread, registers);
            }
        }
        None => foreign_signal(signal),
    }
    if let Some(thread) = thread {
        thread.leave_handler();
        if thread.is_fresh() {
            // No clock has sent the signal, so that the thread has not begun.
            current_thread::set(None);
            thread.give_back();
        }
    }
    system::set_errno(error);
}

/// Gives a signal that no clock has sent the effect that it would have without us.
#[cold]
fn foreign_signal(signal: c_int) {
    if !disposition::is_ignored() {
        disposition::repeat_by_default(signal);
    }
}

fn tick(thread: &'static Thread, registers: Registers) {
    let fast = setting::get().is_some_and(setting::Setting::is_fast);
    let begun_cpu_ns = if fast { system::cpu_ns() } else { 0 };
    if fast && thread.is_taken_up(begun_cpu_ns) {
        return;
    }
    thread.delivered.fetch_add(1, Relaxed);
    if !thread.live.load(Relaxed) || !session::begin_file() {
        return;
    }
    let now_ns = system::monotonic_ns();
    clock::go_on(thread, now_ns);
    modules::refresh(now_ns, false);
    let cpu_ns = system::cpu_ns();
    let doing = session::doing();
    // A sample that isn't taken leaves its time to the next one.
    if let Some(stack) = stack_of(thread, registers) {
        waits::write_short(thread, now_ns, cpu_ns);
        serial_time::write_sleep(thread, stack, doing, now_ns, cpu_ns);
        let (wall_ns, cpu_ns) = thread.account.open(now_ns, cpu_ns);
        write(thread, Moment::Tick, stack, doing, Time { now_ns, wall_ns, cpu_ns });
    }
    if fast {
        thread.was_taken_up(begun_cpu_ns, system::cpu_ns());
    }
}

/// The time that a sample represents, and when it was taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Time {
    pub(crate) now_ns: u64,
    pub(crate) wall_ns: u64,
    pub(crate) cpu_ns: u64,
}

/// Writes a sample of the calling thread, and charges its time.
pub(crate) fn take(thread: &Thread, moment: Moment, registers: Registers, doing: Doing, time: Time) {
    // A sample that isn't taken leaves its time to the next one.
    if let Some(stack) = stack_of(thread, registers) {
        write(thread, moment, stack, doing, time);
    }
}

/// Walks a thread's stack and returns its number. `None`: the thread is in a walk already.
pub(crate) fn stack_of(thread: &Thread, registers: Registers) -> Option<u32> {
    thread.look(|scratch| {
        let (cut, frames) = scratch.walk(registers, thread.stack());
        stacks::of_sample(cut, frames)
    })
}

/// Writes a sample, and charges its time.
pub(crate) fn write(thread: &Thread, moment: Moment, stack: u32, doing: Doing, time: Time) {
    thread.write();
    if doing.region != 0 && !forks::sampled(doing.region) {
        thread.unknown_region.store(doing.region, Relaxed);
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
        thread.account.charge(time.wall_ns, time.cpu_ns);
    } else {
        thread.lost.fetch_add(1, Relaxed);
    }
}

/// Shortest sleep, in nanoseconds, that becomes a sample of its own: a quarter of a period.
pub(crate) fn long_ns() -> u64 {
    setting::get().map_or(u64::MAX, |setting| setting.period_ns() / 4)
}

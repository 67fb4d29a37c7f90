//! The clock's signal: takes a sample of the calling thread. Unsafe: a signal handler.
//!
//! Async-signal-safe: see the crate's documentation.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering::Relaxed;

use profile_format::Moment;

use crate::registers::Registers;
use crate::sample::{self, Time};
use crate::stack_bounds::Stack;
use crate::thread_record::Thread;
use crate::{
    client, clock, current_thread, disposition, file_state, modules, sampling, serial_time, setting, system, threads,
    waits,
};

/// Takes a sample; called by [`crate::handler::entry`].
pub(crate) extern "C" fn on_signal(signal: c_int, info: Option<&libc::siginfo_t>, context: *mut c_void) {
    let error = system::errno();
    let thread = current_thread::me();
    if let Some(thread) = thread {
        thread.enter_handler();
    }
    match info.filter(|info| clock::sent(info)) {
        Some(info) if !sampling::is_open() => clock::end_late(info),
        Some(_) => {
            if let Some(thread) = thread {
                // SAFETY: what the system gave this handler, which has SA_SIGINFO.
                let registers = unsafe { Registers::interrupted(context) };
                if thread.is_fresh() {
                    threads::begin(thread, Stack::Interrupted(registers.sp()));
                }
                tick(thread, registers);
            }
        }
        None => foreign_signal(signal),
    }
    if let Some(thread) = thread {
        thread.leave_handler();
        if thread.is_fresh() {
            // No clock has sent the signal, so the thread has not started.
            current_thread::set(None);
            thread.give_back();
        }
    }
    system::set_errno(error);
}

/// Gives a signal that no clock has sent the effect that it would have without this library.
#[cold]
fn foreign_signal(signal: c_int) {
    if !disposition::is_ignored() {
        disposition::repeat_by_default(signal);
    }
}

fn tick(thread: &'static Thread, registers: Registers) {
    let Some(setting) = setting::get() else { return };
    let (fast, begun_cpu_ns) = (setting.is_fast(), system::cpu_ns());
    thread.late.came(begun_cpu_ns, [setting.period_ns(), setting.tick_ns()]);
    if fast && thread.is_taken_up(begun_cpu_ns) {
        return;
    }
    thread.delivered.fetch_add(1, Relaxed);
    if !thread.live.load(Relaxed) || !file_state::begin() {
        return;
    }
    let now_ns = system::monotonic_ns();
    thread.clock.go_on(&thread.account, thread.tid.load(Relaxed), now_ns);
    modules::refresh(now_ns, false);
    let cpu_ns = system::cpu_ns();
    let doing = client::doing();
    // A sample that isn't taken leaves its time to the next one.
    if let Some(stack) = sample::stack_of(thread, registers) {
        waits::write_short(thread, now_ns, cpu_ns);
        serial_time::write_sleep(thread, stack, doing, now_ns, cpu_ns);
        let (wall_ns, cpu_ns) = thread.account.open(now_ns, cpu_ns);
        sample::write(thread, Moment::Tick, stack, doing, Time { now_ns, wall_ns, cpu_ns });
    }
    if fast {
        thread.was_taken_up(begun_cpu_ns, system::cpu_ns());
    }
}

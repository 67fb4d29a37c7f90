//! Time outside OpenMP that no signal represents: asleep, and in the kernel.
//!
//! Signals come by CPU time, so a thread that has slept is sampled long afterwards, perhaps in a parallel region. At the next
//! signal outside regions, and at the next fork, the time that it slept becomes a sample of its own. At a fork, so does CPU time
//! that is overdue: it was spent in the kernel, where no event comes. A thread that was ready to run without a processor has not
//! slept: the kernel's count of that time is read where it could matter.
//!
//! Async-signal-safe: system calls.

use std::sync::atomic::Ordering::Relaxed;

use ora_client::Doing;
use profile_format::Moment;

use crate::sample::{Time, long_ns, write};
use crate::thread_record::Thread;
use crate::{file_state, setting, system};

const NONE: u32 = 0;
const SERIAL: u32 = 6;

/// Records that the thread has left a region that it had forked.
pub(crate) fn leave(thread: &Thread, region: u64, now_ns: u64) {
    let place = &thread.serial;
    if place.region.load(Relaxed) != region {
        return;
    }
    place.since_ns.store(now_ns, Relaxed);
    let period_ns = setting::get().map_or(u64::MAX, setting::Setting::period_ns);
    if now_ns.saturating_sub(place.read_ns.load(Relaxed)) > period_ns {
        place.waited(thread.tid.load(Relaxed), now_ns);
    }
}

/// Records that the thread forks its outermost region, and writes how long it slept before.
pub(crate) fn fork(thread: &Thread, region: u64, stack: impl FnOnce() -> Option<u32>) {
    thread.serial.region.store(region, Relaxed);
    let since_ns = thread.serial.since_ns.load(Relaxed);
    if since_ns == 0 {
        return;
    }
    let now_ns = system::monotonic_ns();
    if now_ns.saturating_sub(since_ns) >= long_ns() {
        let cpu_ns = system::cpu_ns();
        let (wall_ns, open_cpu_ns) = thread.account.open(now_ns, cpu_ns);
        let overdue = setting::get().is_some_and(|setting| open_cpu_ns > 2 * setting.period_ns());
        let slept = wall_ns.saturating_sub(open_cpu_ns) >= long_ns();
        if (overdue || slept)
            && file_state::begin()
            && let Some(stack) = stack()
        {
            asleep(thread, stack, SERIAL, now_ns, cpu_ns);
            let serial_ns = open_cpu_ns.min(now_ns.saturating_sub(since_ns));
            if overdue && serial_ns > 0 {
                let time = Time { now_ns, wall_ns: serial_ns, cpu_ns: serial_ns };
                write(thread, Moment::WaitEnd, stack, Doing { state: SERIAL, ..Doing::default() }, time);
            }
        }
    }
    thread.serial.enter();
}

/// Writes the sleep of a thread that is outside of OpenMP. `stack`: its stack now.
pub(crate) fn write_sleep(thread: &Thread, stack: u32, doing: Doing, now_ns: u64, cpu_ns: u64) {
    if doing.region == 0 && matches!(doing.state, NONE | SERIAL) {
        asleep(thread, stack, doing.state, now_ns, cpu_ns);
    }
}

fn asleep(thread: &Thread, stack: u32, state: u32, now_ns: u64, cpu_ns: u64) {
    let since_ns = thread.serial.since_ns.load(Relaxed);
    let (wall_ns, cpu_ns) = thread.account.open(now_ns, cpu_ns);
    let off_ns = wall_ns.saturating_sub(cpu_ns).min(now_ns.saturating_sub(since_ns));
    if since_ns == 0 || off_ns < long_ns() {
        return;
    }
    let slept_ns = off_ns.saturating_sub(thread.serial.waited(thread.tid.load(Relaxed), now_ns));
    if slept_ns >= long_ns() {
        let time = Time { now_ns, wall_ns: slept_ns, cpu_ns: 0 };
        write(thread, Moment::WaitEnd, stack, Doing { state, ..Doing::default() }, time);
    }
}

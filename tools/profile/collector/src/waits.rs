//! Waits in which a thread sleeps: its CPU clock is stopped, so no signal comes.
//!
//! When such a wait is over, the time slept since its start becomes a sample of its own, with the wait's state. Shorter
//! sleeps in barriers and in the pool are added up, and become one sample at the thread's next signal. The thread's time
//! before the wait stays with its clock, unless it slept ([`work_sleep`]): it belongs to the next signal's sample. CPU time
//! of a wait is also left to the signals, which sample it like any other.

use std::ffi::c_int;
use std::sync::atomic::Ordering::Relaxed;

use ora_client::Doing;
use profile_format::Moment;

use crate::registers::Registers;
use crate::sample::{Time, long_ns, take, write};
use crate::thread_record::Thread;
use crate::{client, file_state, forks, system, threads, work_sleep};

/// BEGIN and END of IDLE, IBAR, EBAR, LKWT, CTWT, ODWT and ATWT (white paper, "Events Subject to Notification").
pub(crate) const EVENTS: [i32; 14] = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 21, 22];

const BEGIN_IDLE: c_int = 3;
const END_IDLE: c_int = 4;
const BEGIN_IBAR: c_int = 5;
const END_IBAR: c_int = 6;
const BEGIN_EBAR: c_int = 7;
const END_EBAR: c_int = 8;
const IBAR: u32 = 3;
const IDLE: u32 = 5;
/// States of the waits, by their BEGIN events.
const STATES: [(c_int, u32); 7] = [(3, IDLE), (5, IBAR), (7, 4), (9, 8), (11, 9), (13, 10), (21, 11)];

pub(crate) extern "C" fn on_wait(event: c_int) {
    let Some(thread) = threads::present() else { return };
    // Events come in pairs; the number of a BEGIN is odd.
    if event % 2 == 1 { begin(thread, event) } else { end(thread, event) }
}

fn begin(thread: &Thread, event: c_int) {
    if matches!(event, BEGIN_IDLE | BEGIN_IBAR | BEGIN_EBAR) {
        thread.serial.enter();
    }
    if event == BEGIN_IBAR {
        // A deferred report of the barrier's end may come long after the region's end.
        thread.wait_region.store(client::region(), Relaxed);
    }
    thread.ended_ns.store(0, Relaxed);
    thread.wait_event.store(event.unsigned_abs(), Relaxed);
    let now_ns = system::monotonic_ns();
    if event != BEGIN_IDLE {
        work_sleep::check(thread, now_ns);
    }
    thread.wait_ns.store(now_ns, Relaxed);
}

fn end(thread: &Thread, event: c_int) {
    let begun_ns = thread.wait_ns.swap(0, Relaxed);
    if begun_ns == 0 {
        return;
    }
    let now_ns = system::monotonic_ns();
    if event == END_IBAR {
        thread.ended_ns.store(now_ns, Relaxed);
    }
    if now_ns.saturating_sub(begun_ns) < long_ns() {
        return add_short(thread, event, begun_ns, now_ns);
    }
    if !file_state::begin() {
        return;
    }
    let Some(slept) = Slept::of(thread, begun_ns, now_ns, system::cpu_ns()) else { return };
    let doing = if event == END_IDLE { idle() } else { client::doing() };
    let registers = Registers::here();
    if event == END_IBAR {
        let (barrier, idle_then) = slept.split(forks::joined_ns(doing.region));
        if barrier.wall_ns > 0 {
            take(thread, Moment::WaitEnd, registers, doing, barrier);
        }
        if idle_then.wall_ns > 0 {
            take(thread, Moment::WaitEnd, registers, idle(), idle_then);
        }
    } else {
        take(thread, Moment::WaitEnd, registers, doing, slept.time(slept.slept_ns));
    }
}

/// Adds a wait that was too short for a sample of its own.
fn add_short(thread: &Thread, event: c_int, begun_ns: u64, now_ns: u64) {
    let short = &thread.short;
    match event {
        END_IDLE => short.add_idle(now_ns - begun_ns),
        END_IBAR => {
            let region = thread.wait_region.load(Relaxed);
            let over_ns = forks::joined_ns(region).unwrap_or(now_ns).min(now_ns).max(begun_ns);
            short.add_barrier(region, over_ns - begun_ns);
            short.add_idle(now_ns - over_ns);
        }
        END_EBAR => short.add_barrier(client::region(), now_ns - begun_ns),
        _ => {}
    }
}

/// Writes, at a thread's signal, the time that it slept in short waits. Async-signal-safe.
pub(crate) fn write_short(thread: &Thread, now_ns: u64, cpu_now_ns: u64) {
    let short = &thread.short;
    let [barrier_ns, idle_ns] = short.take();
    let (wall_ns, cpu_ns) = thread.account.open(now_ns, cpu_now_ns);
    // Time that it waited on a processor is left to the signals' samples.
    let slept_ns = wall_ns.saturating_sub(cpu_ns);
    if slept_ns < long_ns() {
        return;
    }
    let barrier_ns = barrier_ns.min(slept_ns);
    let idle_ns = idle_ns.min(slept_ns - barrier_ns);
    let region = short.region();
    for (doing, wall_ns) in [(Doing { state: IBAR, region, wait: 0 }, barrier_ns), (idle(), idle_ns)] {
        if wall_ns > 0 {
            write(thread, Moment::WaitEnd, 0, doing, Time { now_ns, wall_ns, cpu_ns: 0 });
        }
    }
}

fn idle() -> Doing {
    Doing { state: IDLE, ..Doing::default() }
}

/// A wait that was long enough for a sample of its own.
struct Slept {
    begun_ns: u64,
    now_ns: u64,
    slept_ns: u64,
}

impl Slept {
    /// The sleep in a wait: at most the wait's length, and at most the uncharged time that is not CPU time.
    fn of(thread: &Thread, begun_ns: u64, now_ns: u64, cpu_now_ns: u64) -> Option<Self> {
        let (wall_ns, cpu_ns) = thread.account.open(now_ns, cpu_now_ns);
        let slept_ns = wall_ns.saturating_sub(cpu_ns).min(now_ns.saturating_sub(begun_ns));
        (slept_ns >= long_ns()).then_some(Self { begun_ns, now_ns, slept_ns })
    }

    fn time(&self, wall_ns: u64) -> Time {
        Time { now_ns: self.now_ns, wall_ns, cpu_ns: 0 }
    }

    /// Splits a barrier from the idle time after it. A barrier whose end is reported only when its thread is needed
    /// again was over at the region's end: the rest was idle.
    fn split(&self, joined_ns: Option<u64>) -> (Time, Time) {
        // Not `clamp`, which can panic.
        let over_ns = joined_ns.unwrap_or(self.now_ns).min(self.now_ns).max(self.begun_ns);
        let barrier_ns = (over_ns - self.begun_ns).min(self.slept_ns);
        let mut barrier = self.time(barrier_ns);
        barrier.now_ns = over_ns;
        (barrier, self.time(self.slept_ns - barrier_ns))
    }
}

/// Writes, at the process's end, the wait that another thread is in.
pub(crate) fn write_open(thread: &Thread, now_ns: u64, cpu_ns: u64) {
    let begun_ns = thread.wait_ns.swap(0, Relaxed);
    if begun_ns == 0 {
        return;
    }
    let Some(slept) = Slept::of(thread, begun_ns, now_ns, cpu_ns) else { return };
    let event = thread.wait_event.load(Relaxed).cast_signed();
    let Some((_, state)) = STATES.into_iter().find(|(begin, _)| *begin == event) else { return };
    let region = thread.wait_region.load(Relaxed);
    if event == BEGIN_IBAR {
        let (barrier, idle_then) = slept.split(forks::joined_ns(region));
        if barrier.wall_ns > 0 {
            write(thread, Moment::WaitEnd, 0, Doing { state, region, wait: 0 }, barrier);
        }
        if idle_then.wall_ns > 0 {
            write(thread, Moment::WaitEnd, 0, idle(), idle_then);
        }
    } else {
        let wait = if event == BEGIN_IDLE { idle() } else { Doing { state, ..Doing::default() } };
        write(thread, Moment::WaitEnd, 0, wait, slept.time(slept.slept_ns));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_barrier_ends_with_its_region() {
        let slept = Slept { begun_ns: 1000, now_ns: 9000, slept_ns: 8000 };
        let parts = |joined| {
            let (barrier, idle) = slept.split(joined);
            (barrier.wall_ns, barrier.now_ns, idle.wall_ns, idle.now_ns)
        };
        assert_eq!(parts(Some(3000)), (2000, 3000, 6000, 9000));
        assert_eq!(parts(Some(500)), (0, 1000, 8000, 9000));
        assert_eq!(parts(Some(10_000)), (8000, 9000, 0, 9000));
        assert_eq!(parts(None), (8000, 9000, 0, 9000));
    }
}

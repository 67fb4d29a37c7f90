//! Sleep in a region's work: in the program's system calls, such as reads.
//!
//! Signals come by CPU time, so the thread is sampled long afterwards, perhaps in another region. When a wait starts, the time
//! that the thread has slept since its last sample becomes a sample of its own. Time for which it was ready without a processor
//! stays with the next signal.

use std::sync::atomic::Ordering::Relaxed;

use ora_client::Doing;
use profile_format::Moment;

use crate::registers::Registers;
use crate::sample::{Time, long_ns, take};
use crate::thread_record::Thread;
use crate::{client, file_state, setting, system};

const WORK: u32 = 2;

/// Checks for sleep at a wait's start. Fast, unless the thread has had no sample for longer than a thread that runs
/// all the time ever does.
#[inline]
pub(crate) fn check(thread: &Thread, now_ns: u64) {
    let since_ns = thread.account.charged_until_ns().max(thread.looked_ns.load(Relaxed));
    let quiet_ns = setting::get().map_or(u64::MAX, |setting| setting.period_ns().saturating_mul(2));
    if now_ns.saturating_sub(since_ns) > quiet_ns {
        look(thread, now_ns);
    }
}

#[cold]
fn look(thread: &Thread, now_ns: u64) {
    // The check costs a system call, so it is made once in such an interval.
    thread.looked_ns.store(now_ns, Relaxed);
    let region = client::region();
    let (wall_ns, cpu_ns) = thread.account.open(now_ns, system::cpu_ns());
    let off_ns = wall_ns.saturating_sub(cpu_ns).saturating_sub(thread.short.sum_ns());
    if region == 0 || off_ns < long_ns() {
        return;
    }
    let slept_ns = off_ns.saturating_sub(thread.serial.waited(thread.tid.load(Relaxed), now_ns));
    if slept_ns >= long_ns() && file_state::begin() {
        let doing = Doing { state: WORK, region, wait: 0 };
        take(thread, Moment::WaitEnd, Registers::here(), doing, Time { now_ns, wall_ns: slept_ns, cpu_ns: 0 });
    }
}

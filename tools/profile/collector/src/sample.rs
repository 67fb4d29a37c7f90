//! Samples of the calling thread. Async-signal-safe: see the crate's documentation.

use std::sync::atomic::Ordering::Relaxed;

use ora_client::Doing;
use profile_format::{Moment, Record, Sample};

use crate::file::FILE;
use crate::registers::Registers;
use crate::thread_record::Thread;
use crate::{forks, setting, stacks};

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

/// Walks a thread's stack and returns its number. `None` if the thread is already in a walk.
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

/// Minimum length of a sleep, in nanoseconds, that becomes a sample of its own: a quarter of a period.
pub(crate) fn long_ns() -> u64 {
    setting::get().map_or(u64::MAX, |setting| setting.period_ns() / 4)
}

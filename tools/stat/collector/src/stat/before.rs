//! A thread's past before its time counts.

use crate::processor;

/// Threads that live shorter are not asked about in `/proc`, which would make their end dearer.
pub(super) const LONG_NS: u64 = 100_000_000;

/// The kernel's counts of a thread at the moment from which on its time counts here.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Before {
    pub(super) cpu_ns: u64,
    pub(super) delay_ns: u64,
    pub(super) moves: u32,
}

impl Before {
    /// Of the thread that a program begins with. Processes without events by the thousand are asked nothing in `/proc`.
    pub(super) fn a_program(of_interest: bool) -> Self {
        Self::of(std::process::id(), of_interest)
    }

    /// Of a thread at its first event. One that is new has not waited for long, and `/proc` is not asked.
    pub(super) fn a_late_thread() -> Self {
        Self::of(system::threads::id(), false)
    }

    /// The first milliseconds have few moves: only a thread that has run for long is asked for them.
    fn of(tid: u32, of_interest: bool) -> Self {
        let cpu_ns = processor::cpu_ns();
        let has_run = cpu_ns >= LONG_NS / 10;
        let delay = (of_interest || has_run).then(|| processor::delay(tid)).flatten();
        let moves = has_run.then(|| processor::moves(tid)).flatten();
        Self { cpu_ns, delay_ns: delay.unwrap_or_default().0, moves: moves.unwrap_or_default() }
    }

    /// Of a forked child.
    pub(super) fn a_child() -> Self {
        Self { cpu_ns: processor::cpu_ns(), ..Self::default() }
    }
}

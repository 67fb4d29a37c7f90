//! A thread's clocks before its time counts.

use crate::processor;

/// For threads that live shorter than this, `/proc` is read only if they are preempted in their work: it makes their end slower.
pub(super) const LONG_NS: u64 = 100_000_000;

/// The kernel's counts of a thread at the moment from which on its time counts here.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Before {
    pub(super) cpu_ns: u64,
    pub(super) delay_ns: u64,
    pub(super) moves: u32,
}

impl Before {
    /// Baseline of the initial thread. Skips `/proc` for the many short-lived processes without OpenMP events.
    pub(super) fn a_program(of_interest: bool) -> Self {
        Self::of(std::process::id(), of_interest)
    }

    /// Baseline of a thread at its first event. A new thread has not waited for long, so `/proc` is not read.
    pub(super) fn a_late_thread(tid: u32) -> Self {
        Self::of(tid, false)
    }

    /// There are few moves in the first milliseconds: they are read only for a thread that has run for long.
    fn of(tid: u32, of_interest: bool) -> Self {
        let cpu_ns = processor::cpu_ns();
        let has_run = cpu_ns >= LONG_NS / 10;
        let delay = (of_interest || has_run).then(|| processor::delay(tid)).flatten();
        let moves = has_run.then(|| processor::moves(tid)).flatten();
        Self { cpu_ns, delay_ns: delay.unwrap_or_default().0, moves: moves.unwrap_or_default() }
    }

    /// Baseline of a forked child.
    pub(super) fn a_child() -> Self {
        Self { cpu_ns: processor::cpu_ns(), ..Self::default() }
    }
}

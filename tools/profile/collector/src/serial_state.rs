//! A thread's state outside of OpenMP.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::system;

/// A thread's state outside of OpenMP. All zeros are valid: in OpenMP.
#[derive(Debug)]
pub(crate) struct SerialState {
    /// Time since which the thread has been outside of OpenMP; 0: it is in OpenMP.
    pub(crate) since_ns: AtomicU64,
    /// The outermost region that the thread has forked last.
    pub(crate) region: AtomicU64,
    /// The kernel's count of the thread's time without a processor, and the time of that reading.
    ready_ns: AtomicU64,
    /// That count before the session began.
    before_ns: AtomicU64,
    pub(crate) read_ns: AtomicU64,
}

impl SerialState {
    /// Starts the state of a new thread, or of a forked child's.
    pub(crate) fn begin(&self, now_ns: u64) {
        self.since_ns.store(now_ns, Relaxed);
        self.region.store(0, Relaxed);
        self.ready_ns.store(0, Relaxed);
        self.before_ns.store(0, Relaxed);
        self.read_ns.store(now_ns, Relaxed);
    }

    /// Records that the thread takes part in OpenMP.
    pub(crate) fn enter(&self) {
        self.since_ns.store(0, Relaxed);
    }

    /// Leaves out what the thread of this number has waited for a processor before now.
    pub(crate) fn forget_waits(&self, tid: u32, now_ns: u64) {
        self.before_ns.store(self.waited(tid, now_ns), Relaxed);
    }

    /// Time that the thread of this number was ready without a processor in the session. `None`: the kernel doesn't count it.
    pub(crate) fn ready_ns(&self, tid: u32) -> Option<u64> {
        Some(system::ready_ns_of(tid)?.saturating_sub(self.before_ns.load(Relaxed)))
    }

    /// Time for which the thread with this number, whose state it is, was ready without a processor since the last call, in
    /// nanoseconds. Async-signal-safe: system calls.
    pub(crate) fn waited(&self, tid: u32, now_ns: u64) -> u64 {
        let Some(ready_ns) = system::ready_ns_of(tid) else { return 0 };
        self.read_ns.store(now_ns, Relaxed);
        ready_ns.saturating_sub(self.ready_ns.swap(ready_ns, Relaxed))
    }
}

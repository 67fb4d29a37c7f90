//! Time for which a thread's signals were late, and why: it was in the kernel, or ran code of the program that blocks them.
//!
//! A signal that is due while the thread is in the kernel comes when it leaves the kernel, and events of the kernel do not even count
//! that time. One that is due in the program's code comes then, unless it is blocked.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use profile_format::Record;

use crate::file::FILE;
use crate::system;

/// Clocks at a thread's last signal, and sums. All zeros are valid.
#[derive(Debug)]
pub(crate) struct LateSignals {
    cpu_ns: AtomicU64,
    system_ns: AtomicU64,
    in_kernel_ns: AtomicU64,
    blocked_ns: AtomicU64,
}

impl LateSignals {
    /// Begins anew for the calling thread.
    pub(crate) fn begin(&self, cpu_ns: u64) {
        self.cpu_ns.store(cpu_ns, Relaxed);
        self.system_ns.store(system::system_ns(), Relaxed);
        self.in_kernel_ns.store(0, Relaxed);
        self.blocked_ns.store(0, Relaxed);
    }

    /// Notes a signal of the calling thread, which `period_ns` of CPU time should have brought, or the kernel's next tick.
    /// Async-signal-safe: a system call.
    pub(crate) fn came(&self, cpu_ns: u64, [period_ns, tick_ns]: [u64; 2]) {
        let system_ns = system::system_ns();
        let ran_ns = cpu_ns.saturating_sub(self.cpu_ns.swap(cpu_ns, Relaxed));
        let kernel_ns = system_ns.saturating_sub(self.system_ns.swap(system_ns, Relaxed));
        let late_ns = ran_ns.saturating_sub(period_ns);
        let in_kernel_ns = late_ns.min(kernel_ns);
        self.in_kernel_ns.fetch_add(in_kernel_ns, Relaxed);
        if late_ns - in_kernel_ns >= 2 * period_ns.max(tick_ns) {
            self.blocked_ns.fetch_add(late_ns - in_kernel_ns, Relaxed);
        }
    }

    /// Writes the sums of a thread.
    pub(crate) fn write(&self, thread: u32) {
        let [in_kernel_ns, blocked_ns] = [&self.in_kernel_ns, &self.blocked_ns].map(|sum| sum.load(Relaxed));
        if in_kernel_ns + blocked_ns > 0 {
            FILE.write_surely(Record::ThreadLate { thread, in_kernel_ns, blocked_ns });
        }
    }
}

//! Events of threads, as reported to the core.

use ompt_core::thread::{Thread, here, here_as_worker};
use ompt_core::tls;
use std::ffi::c_int;
use system::arch::stack_pointer;

/// `ompt_thread_worker`
const WORKER: c_int = 2;

/// Begins the calling thread, which its runtime has seen first.
pub(super) fn begin(kind: c_int) {
    let Some(thread) = (if kind == WORKER { here_as_worker() } else { here() }) else { return };
    if kind == WORKER {
        wait_here(thread);
    }
}

/// Records the frame in which a worker waits for regions: that of the function that calls us.
pub(super) fn wait_here(thread: &Thread) {
    if thread.adapter.idle_frame() == 0 {
        thread.adapter.set_idle_frame(stack_pointer());
    }
}

/// Ends the calling thread.
pub(super) fn end() {
    match tls::get() {
        Some(thread) if thread.identity.is_worker() => thread.retire_worker(),
        thread => thread.into_iter().for_each(Thread::retire),
    }
}

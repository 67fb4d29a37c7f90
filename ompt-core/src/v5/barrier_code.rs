//! The return address that a region's last barrier is reported with. As on LLVM's runtime, a tool gets that of the region's call on
//! the primary thread, and none on the others, which made no call. The commands' own recorder gets it on all threads: where it
//! attaches within a region, nothing else says which one a thread waits in.

use crate::thread::Thread;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use system::objects::any_object;

/// True if the tool gets the address on all threads.
static ON_ALL: AtomicBool = AtomicBool::new(false);

/// Finds out if the tool with this `initialize` is the recorder. To be called when a tool starts. Takes no lock that is held while
/// constructors run.
pub(super) fn look(initialize: usize) {
    let is_recorders =
        any_object(&mut |object| object.contains(initialize) && object.function(c"ora_tracer_serve_2", None).is_some());
    ON_ALL.store(is_recorders, Relaxed);
}

/// True if the thread's last barrier is reported with an address.
#[inline(always)]
pub(super) fn is_known(thread: &'static Thread) -> bool {
    thread.task().task.thread_number() == 0 || ON_ALL.load(Relaxed)
}

//! The first use of a runtime that has no tool interface: the moment when its tools are looked for.

use crate::tls::thread_pointer;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::*};

/// What is to be done then.
static ACT: OnceLock<fn()> = OnceLock::new();
/// Nobody, the thread that is at it, or [`DONE`].
static USER: AtomicUsize = AtomicUsize::new(NOBODY);

const NOBODY: usize = 0;
/// No thread pointer: those are aligned.
const DONE: usize = 1;

/// Says what is to be done, on the program's own thread. To be called while the library is being loaded.
pub fn prepare(act: fn()) {
    let _ = ACT.set(act);
}

/// Whether hosts have to tell when their runtime is used: that has not been dealt with, and somebody wants to know.
pub fn is_awaited() -> bool {
    USER.load(Acquire) != DONE && ACT.get().is_some()
}

/// The calling thread uses a runtime. Threads that come while another one is at it wait, as they would for a runtime that
/// initialises itself; but not for ever, since that one may want a lock of theirs (the dynamic linker's, while they run a
/// constructor). What a tool itself does meanwhile goes on.
pub fn happens() {
    let Some(act) = ACT.get() else { return };
    let me = thread_pointer();
    match USER.compare_exchange(NOBODY, me, AcqRel, Acquire) {
        Ok(_) => {
            act();
            USER.store(DONE, Release);
        }
        Err(user) if user != DONE && user != me => wait(),
        Err(_) => {}
    }
}

#[cold]
#[allow(unsafe_code)]
fn wait() {
    static MOMENT: libc::timespec = libc::timespec { tv_sec: 0, tv_nsec: 100_000 };
    /// Ten seconds.
    const PATIENCE: u32 = 100_000;
    for _ in 0..PATIENCE {
        if USER.load(Acquire) == DONE {
            break;
        }
        // SAFETY: a duration of ours, and nothing to write to.
        unsafe { libc::nanosleep(&raw const MOMENT, std::ptr::null_mut()) };
    }
}

/// The first use, if it is still to come, is nothing that hosts could see.
pub fn forgo() {
    USER.store(DONE, Release);
}

/// A forked child uses its runtime anew.
pub fn forget() {
    USER.store(NOBODY, Release);
}

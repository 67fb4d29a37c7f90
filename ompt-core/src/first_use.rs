//! The first use of a runtime that has no tool interface: the moment when its tools are looked for.

use crate::beginning::User;
use std::sync::OnceLock;
use system::arch::thread_pointer;
use system::threads::pause;

/// What is to be done then.
static ACT: OnceLock<fn()> = OnceLock::new();
static USER: User = User::nobody();

/// Says what is to be done, on the program's own thread. To be called while the library is being loaded.
pub fn prepare(act: fn()) {
    let _ = ACT.set(act);
}

/// Whether hosts have to tell when their runtime is used: that has not been dealt with, and somebody wants to know.
pub fn is_awaited() -> bool {
    !USER.is_over() && ACT.get().is_some()
}

/// The calling thread uses a runtime. Threads that come while another one is at it wait, as they would for a runtime that
/// initialises itself; but not for ever, since that one may want a lock of theirs (the dynamic linker's, while they run a
/// constructor). What a tool itself does meanwhile goes on.
pub fn happens() {
    let Some(act) = ACT.get() else { return };
    let me = thread_pointer();
    if USER.begin(me) {
        act();
        USER.end();
    } else if USER.is_another(me) {
        wait();
    }
}

#[cold]
fn wait() {
    const MOMENT_NS: u32 = 100_000;
    /// Ten seconds.
    const PATIENCE: u32 = 100_000;
    for _ in 0..PATIENCE {
        if USER.is_over() {
            break;
        }
        pause(MOMENT_NS);
    }
}

/// The first use, if it is still to come, is nothing that hosts could see.
pub fn forgo() {
    USER.end();
}

/// A forked child uses its runtime anew.
pub fn forget() {
    USER.forget();
}

//! First use of a runtime without a tool interface: the moment at which tools are searched for.

use crate::attach_handshake::FirstUse;
use std::sync::OnceLock;
use system::arch::thread_pointer;
use system::threads::pause;

/// The function to be called at the first use.
static HANDLER: OnceLock<fn()> = OnceLock::new();
static FIRST_USE: FirstUse = FirstUse::pending();

/// Sets the function that is called at the first use, on the program's own thread. Called while the library is being
/// loaded.
pub fn prepare(handler: fn()) {
    let _ = HANDLER.set(handler);
}

/// True if runtime adapters have to report the first use: a function is [set](prepare), and has not been called yet.
pub fn is_awaited() -> bool {
    !FIRST_USE.is_over() && HANDLER.get().is_some()
}

/// Handles the use of a runtime by the calling thread. Threads that arrive while another thread handles the first use
/// wait, as they would for a runtime that initialises itself. They don't wait for ever, since that thread may need a
/// lock that they hold (the dynamic linker's, while they run a constructor). If the tool itself uses the runtime
/// meanwhile, it doesn't wait.
pub fn handle() {
    let Some(handler) = HANDLER.get() else { return };
    let me = thread_pointer();
    if FIRST_USE.begin(me) {
        handler();
        FIRST_USE.end();
    } else if FIRST_USE.is_elsewhere(me) {
        wait();
    }
}

#[cold]
fn wait() {
    const MOMENT_NS: u32 = 100_000;
    /// Ten seconds.
    const MAX_CHECKS: u32 = 100_000;
    for _ in 0..MAX_CHECKS {
        if FIRST_USE.is_over() {
            break;
        }
        pause(MOMENT_NS);
    }
}

/// Marks the first use as handled: a runtime adapter could not see it.
pub fn skip() {
    FIRST_USE.end();
}

/// Returns to the state before the first use, in a forked child.
pub fn reset() {
    FIRST_USE.reset();
}

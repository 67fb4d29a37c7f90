//! The thread that calls one of the interface's functions, and the frame that stands for its call of the runtime.

use super::tracking;
use ompt_core::thread::{Thread, here};
use ompt_core::tls::{self, Call};
use ompt_core::{first_use, host};
use system::arch::stack_pointer;

/// The first use of a runtime is when tools of OMPT are looked for.
#[inline(always)]
pub(super) fn use_runtime() {
    if first_use::is_awaited() {
        first_use::happens();
    }
}

/// The calling thread, once a tool has attached.
#[inline(always)]
pub(super) fn watched() -> Option<&'static Thread> {
    use_runtime();
    if tracking() { seen() } else { None }
}

/// As above: the calls of the runtime's functions are not known. The frame of ours stands for theirs.
#[inline(always)]
fn seen() -> Option<&'static Thread> {
    if host::tells_calls() {
        tls::set_call(call());
    }
    here()
}

/// Stands for a call of the runtime: its return address is not known.
#[inline(always)]
pub(super) fn call() -> Call {
    Call { return_address: 0, frame: stack_pointer() }
}

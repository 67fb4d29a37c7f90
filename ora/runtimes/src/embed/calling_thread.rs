//! Calling thread of an embedding function, and the stack frame that represents its call of the runtime.

use super::tracking;
use ompt_core::thread::{Thread, here};
use ompt_core::tls::{self, CallSite};
use ompt_core::{adapter, first_use};
use system::arch::stack_pointer;

/// Records a use of the runtime. OMPT tools are looked for at the first use.
#[inline(always)]
pub(super) fn use_runtime() {
    if first_use::is_awaited() {
        first_use::handle();
    }
}

/// The calling thread, if a tool has attached.
#[inline(always)]
pub(super) fn watched() -> Option<&'static Thread> {
    use_runtime();
    if tracking() { seen() } else { None }
}

/// The calling thread, with a call site recorded for OMPT tools. The address in the program is not known, so this library's own frame
/// represents the call.
#[inline(always)]
fn seen() -> Option<&'static Thread> {
    if adapter::reports_calls() {
        tls::set_call(call());
    }
    here()
}

/// Call site of a call of the runtime whose return address is not known.
#[inline(always)]
pub(super) fn call() -> CallSite {
    CallSite { return_address: 0, frame: stack_pointer() }
}

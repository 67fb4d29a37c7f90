//! Cancellation: requests, and their discovery at cancellation points. For tools of OMPT.
#![allow(unsafe_code)] // calls libgomp

use super::instance::{Call, go_on};
use ompt_core::detail::{CancelAct, Cancelled, Detail};
use ompt_core::dispatch::armed;
use ompt_core::event::{Event, EventSet};
use ompt_core::thread::here;

/// `GOMP_cancel`: requests cancellation if `do_cancel`, and returns true if the construct is cancelled.
///
/// # Safety
/// As the function asks for.
#[inline(always)]
pub(super) unsafe fn cancel<C: Call<Arguments = (i32, bool), Result = bool>>(
    call: C,
    (which, do_cancel): (i32, bool),
) -> bool {
    // SAFETY: by this function's `# Safety` the program calls the entry; its function gets the same arguments.
    let cancelled = unsafe { go_on(call, (which, do_cancel)) };
    if cancelled {
        report(which, if do_cancel { CancelAct::Activated } else { CancelAct::Detected });
    }
    cancelled
}

/// `GOMP_cancellation_point`.
///
/// # Safety
/// As the function asks for.
#[inline(always)]
pub(super) unsafe fn point<C: Call<Arguments = (i32,), Result = bool>>(call: C, (which,): (i32,)) -> bool {
    // SAFETY: by this function's `# Safety` the program calls the entry; its function gets the same arguments.
    let cancelled = unsafe { go_on(call, (which,)) };
    if cancelled {
        report(which, CancelAct::Detected);
    }
    cancelled
}

/// Reports a cancel event. `which` is gcc's number of the construct (`gomp-constants.h`, `GOMP_CANCEL_*`).
fn report(which: i32, act: CancelAct) {
    let construct = match which {
        1 => Cancelled::Parallel,
        2 => Cancelled::Loop,
        4 => Cancelled::Sections,
        _ => Cancelled::Taskgroup,
    };
    if armed(EventSet::of(&[Event::Cancel]))
        && let Some(thread) = here()
    {
        thread.raise_with(Event::Cancel, &Detail::Cancel { construct, act });
    }
}

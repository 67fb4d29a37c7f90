//! Cancellation: requests, and their discovery at cancellation points. For OMPT tools.

use super::instance::{PendingCall, Target};
use ompt_core::detail::{CancelAct, Cancelled};
use ompt_core::dispatch::armed;
use ompt_core::event::{Event, EventSet};
use ompt_core::thread::here;

/// `GOMP_cancel`: requests cancellation if `do_cancel`, and returns true if the construct is cancelled.
#[inline(always)]
pub(super) fn cancel<T: Target<Arguments = (i32, bool), Result = bool>>(call: PendingCall<'_, T>) -> bool {
    let (which, do_cancel) = call.arguments();
    let cancelled = call.go_on();
    if cancelled {
        report(which, if do_cancel { CancelAct::Activated } else { CancelAct::Detected });
    }
    cancelled
}

/// `GOMP_cancellation_point`.
#[inline(always)]
pub(super) fn point<T: Target<Arguments = (i32,), Result = bool>>(call: PendingCall<'_, T>) -> bool {
    let (which,) = call.arguments();
    let cancelled = call.go_on();
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
    if armed(EventSet::of(&[Event::Cancel, Event::TaskSwitch]))
        && let Some(thread) = here()
    {
        thread.tasks().cancel(construct, act);
    }
}

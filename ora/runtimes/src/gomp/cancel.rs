//! Cancellation: what a task asks for, and what it finds out. For tools that want to know of calls.
#![allow(unsafe_code)] // calls libgomp

use super::bank::real;
use ompt_core::detail::{CancelAct, Cancelled, Detail};
use ompt_core::dispatch::armed;
use ompt_core::event::{Event, EventSet};
use ompt_core::thread::here;

/// `GOMP_cancel`: asks for it if `do_cancel`, and tells whether the construct is cancelled.
///
/// # Safety
/// As the function asks for.
pub(super) unsafe extern "C-unwind" fn cancel<const B: usize, const E: usize>(which: i32, do_cancel: bool) -> bool {
    // SAFETY: the entry is `bool GOMP_cancel (int, bool)` (libgomp_g.h), and bound, since its wrapper runs.
    let cancel: unsafe extern "C-unwind" fn(i32, bool) -> bool = unsafe { real::<B, E, _>() };
    // SAFETY: by this function's `# Safety` the program calls the entry; its function gets the same arguments.
    let cancelled = unsafe { cancel(which, do_cancel) };
    if cancelled {
        tell(which, if do_cancel { CancelAct::Activated } else { CancelAct::Detected });
    }
    cancelled
}

/// `GOMP_cancellation_point`.
///
/// # Safety
/// As the function asks for.
pub(super) unsafe extern "C-unwind" fn point<const B: usize, const E: usize>(which: i32) -> bool {
    // SAFETY: the entry is `bool GOMP_cancellation_point (int)` (libgomp_g.h), and bound, since its wrapper runs.
    let point: unsafe extern "C-unwind" fn(i32) -> bool = unsafe { real::<B, E, _>() };
    // SAFETY: by this function's `# Safety` the program calls the entry; its function gets the same arguments.
    let cancelled = unsafe { point(which) };
    if cancelled {
        tell(which, CancelAct::Detected);
    }
    cancelled
}

/// `which` is gcc's number of the construct (`gomp-constants.h`, `GOMP_CANCEL_*`).
fn tell(which: i32, act: CancelAct) {
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

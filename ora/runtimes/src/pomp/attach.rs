//! Sets the mode of instrumented code's calls when the library is loaded, and when a tool attaches.

use super::mode::{ADDS, ALONE, AWAITED, CALLS, FORWARDED, MODE, PLACE, WATCHED, place};
use super::{forward, imports, locks, pending_tasks, routines, task_records};
use ompt_core::{adapter, first_use};
use std::sync::atomic::Ordering::*;

/// Determines the first mode. Called once while the library is being loaded.
pub(super) fn load() {
    look();
    if imports::now().is_instrumented() {
        routines::look();
        locks::look();
        if forward::look() {
            MODE.fetch_or(FORWARDED, Relaxed);
        }
    }
    if place() == ALONE {
        // Another adapter may have found the runtime in the program, but can't observe its use.
        first_use::reset();
        MODE.fetch_or(AWAITED, Relaxed);
    }
}

/// Makes the next call a first use of the runtime again: a forked child looks for its own tools.
pub(super) fn await_use() {
    if place() == ALONE {
        pending_tasks::forget();
        MODE.fetch_or(AWAITED, Relaxed);
    }
}

/// Makes calls report. Called when a tool attaches.
pub(super) fn track() {
    look();
    let calls = if adapter::reports_calls() { CALLS } else { 0 };
    if place() == ALONE {
        task_records::set_up();
        routines::look();
        locks::report();
    }
    // Release: no load pairs with it, as all loads of `MODE` are Relaxed. What calls find is published separately: records by `Pool`, lock
    // routines by the stores in `locks::report`; a routine that is not seen yet counts as unknown.
    MODE.fetch_or(WATCHED | calls | place(), Release);
}

/// Determines which runtime adapter works alongside the instrumented code, from the code's imports. The result is kept once anything has
/// been reported.
pub(super) fn look() {
    let imports = imports::now();
    let place = match imports {
        _ if !imports.is_instrumented() => 0,
        _ if !imports.has_runtime() => ALONE,
        _ if imports.is_of_gcc() => ADDS,
        _ => 0,
    };
    let known = MODE.load(Relaxed) & (ALONE | ADDS);
    PLACE.store(if known == 0 { place } else { known }, Relaxed);
}

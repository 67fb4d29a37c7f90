//! Session of the attached tool: from its `initialize` to its `finalize` (OpenMP 5.0, 4.2.3 to 4.2.5). A process has at
//! most one session; forked children continue it.
#![allow(unsafe_code)] // calls the tool

use super::types::{ompt_function_lookup_t, ompt_start_tool_result_t};
use super::{barrier_code, callbacks, deliver, own_code, places};
use crate::adapter;
use crate::detail::Detail;
use crate::dispatch::{self, Interface};
use crate::event::Event;
use crate::quiescence::wait_for_last_callbacks;
use crate::tls;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, Ordering::*};

/// No tool has started yet.
const NONE: u8 = 0;
/// A tool's `initialize` runs.
const STARTING: u8 = 1;
/// A tool is attached.
const OPEN: u8 = 2;
/// The tool was detached, or has declined.
const OVER: u8 = 3;

static STAGE: AtomicU8 = AtomicU8::new(NONE);
/// True if a tool has started, and has not declined.
static TAKEN: AtomicBool = AtomicBool::new(false);
/// The result of the tool's `ompt_start_tool`.
static TOOL: AtomicPtr<ompt_start_tool_result_t> = AtomicPtr::new(null_mut());

/// True if no tool has started yet.
pub(super) fn is_free() -> bool {
    // Acquire: pairs with the compare-exchanges in `attach` and the stores in `give_up` and `forget`; only the stage is
    // read.
    STAGE.load(Acquire) == NONE
}

/// True if a tool is starting, is attached, or was.
pub(super) fn was_taken() -> bool {
    // Acquire: pairs with the stores of `TAKEN` in `attach`; a caller uses only the flag.
    TAKEN.load(Acquire)
}

/// True if a tool is attached.
pub(super) fn is_attached() -> bool {
    // Acquire: pairs with the second compare-exchange in `attach`; publishes `TOOL` and what `initialize` wrote.
    STAGE.load(Acquire) == OPEN
}

/// True if a tool is attached or about to be: callbacks can be registered.
pub(super) fn is_open() -> bool {
    // Acquire: pairs with the compare-exchanges in `attach`.
    matches!(STAGE.load(Acquire), STARTING | OPEN)
}

/// Attaches the tool that `ompt_start_tool` has returned, unless there was one before. False if it declines.
/// `initialize` gets `lookup`; callbacks are called after it has returned.
///
/// # Safety
/// `tool` points to what `ompt_start_tool` has to return, valid until `finalize` has been called.
pub(super) unsafe fn attach(tool: *mut ompt_start_tool_result_t, lookup: ompt_function_lookup_t) -> bool {
    // Acquire: pairs with the store in `forget` (tests). Release: pairs with the load in `is_open`.
    if STAGE.compare_exchange(NONE, STARTING, AcqRel, Relaxed).is_err() {
        return false;
    }
    // Release: pairs with the load in `was_taken`.
    TAKEN.store(true, Release);
    TOOL.store(tool, Relaxed);
    dispatch::install(Interface::V5, &deliver::CALLBACKS);
    dispatch::subscription(Interface::V5).open();
    own_code::find();
    places::read();
    // SAFETY: what `ompt_start_tool` has returned is valid until `finalize`, by this function's `# Safety`.
    let initialize = unsafe { (*tool).initialize };
    // SAFETY: `tool_data` lies in the structure at `tool`, which is valid by this function's `# Safety`.
    let data = unsafe { &raw mut (*tool).tool_data };
    let Some(initialize) = initialize else {
        // Release: pairs with the load in `was_taken`.
        TAKEN.store(false, Release);
        give_up();
        return false;
    };
    barrier_code::look(initialize as *const () as usize);
    // SAFETY: the tool's `ompt_initialize_t`, with the arguments that OpenMP 5.0, 4.5.1.1 gives it.
    let stays = unsafe { initialize(lookup, super::INITIAL_DEVICE, data) } != 0;
    // Release: pairs with the load in `was_taken`; publishes what `initialize` wrote.
    TAKEN.store(stays, Release);
    if !stays {
        give_up();
        return false;
    }
    // Release: pairs with the swap in `end` and the loads of `STAGE`; publishes `TOOL` and what `initialize` wrote.
    if STAGE.compare_exchange(STARTING, OPEN, AcqRel, Relaxed).is_err() {
        // Meanwhile the tool has requested its end, on any thread.
        callbacks::clear();
        wait_for_last_callbacks(Interface::V5);
        finalize();
        return false;
    }
    callbacks::raise();
    true
}

fn give_up() {
    TOOL.store(null_mut(), Relaxed);
    // Release: pairs with the swap in `end`, which finds no tool then.
    STAGE.store(OVER, Release);
    callbacks::clear();
}

/// Detaches the tool at its own request. Deferred events are reported first, on this thread and on the workers that can
/// be reached from here. Then no callback is invoked on any thread, and the tool's finalizer is called.
pub(super) fn close() {
    if let Some(thread) = tls::get().filter(|_| is_attached()) {
        adapter::on_workers(|worker| {
            worker.team().leave_last_barrier();
            worker.raise_for(Interface::V5, Event::ThreadEnd, &Detail::None);
        });
        deliver::deliver_end_of(thread);
    }
    end();
}

/// Detaches the tool: no callback is invoked any more, and its finalizer is called, once. If the process ends while the
/// tool requests its end, the first of the two callers calls it.
pub(super) fn end() {
    // Acquire: pairs with the second compare-exchange in `attach`: `TOOL` and what `initialize` wrote are seen.
    // Release: pairs with the loads of `STAGE`.
    let before = STAGE.swap(OVER, AcqRel);
    // Acquire of `TOOL`: pairs with the swap in `finalize`.
    if before == NONE || before == OVER && TOOL.load(Acquire).is_null() {
        return;
    }
    callbacks::clear();
    wait_for_last_callbacks(Interface::V5);
    // Otherwise `attach` continues, once it has the tool's answer.
    if before != STARTING {
        finalize();
    }
}

/// Calls the tool's finalizer, unless that has been called.
fn finalize() {
    // Only one caller gets the tool from the swap. Acquire: pairs with an earlier swap here, not with the store in
    // `attach`, which is Relaxed: from `OPEN` on, `STAGE` publishes the structure. Release: pairs with the load in
    // `end`.
    let tool = TOOL.swap(null_mut(), AcqRel);
    if tool.is_null() {
        return;
    }
    // SAFETY: valid until `finalize` has been called, by the `# Safety` of `attach`; the swap lets only one caller get
    // here.
    let finalize = unsafe { (*tool).finalize };
    // SAFETY: `tool_data` lies in the same structure, which is valid until `finalize` has been called.
    let data = unsafe { &raw mut (*tool).tool_data };
    if let Some(finalize) = finalize {
        // SAFETY: the tool's `ompt_finalize_t`, with the argument that OpenMP 5.0, 4.5.1.2 gives it.
        unsafe { finalize(data) };
    }
}

/// Returns to the state without a tool.
#[cfg(test)]
pub(super) fn forget() {
    give_up();
    TAKEN.store(false, Release); // pairs with the load in `was_taken`
    STAGE.store(NONE, Release); // pairs with the first compare-exchange in `attach`
}

//! The program's tools of OpenMP 5, which we serve: the callbacks that each has registered, and the owner of the
//! runtime's words.
#![allow(unsafe_code)] // callbacks are kept as addresses

use super::TOOLS;
use super::runtime::{Function, Registration};
use ompt_core::first_use;
use ompt_core::v5;
use ompt_core::v5::types::{ompt_data_t, ompt_function_lookup_t, ompt_start_tool_result_t};
use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU64, AtomicUsize, Ordering::*};

/// Upper limit of the event numbers.
pub(super) const EVENTS: usize = 64;

/// A tool.
pub(super) struct Tool {
    /// Result of its `ompt_start_tool`; null: the tool does not exist, or has finished.
    pub(super) result: AtomicPtr<ompt_start_tool_result_t>,
    /// Address of its `ompt_start_tool`.
    function: AtomicUsize,
    callbacks: [AtomicUsize; EVENTS],
}

/// The result of an `ompt_start_tool` for runtimes: a struct with a word that they may write to.
pub(super) struct Answer(ompt_start_tool_result_t);

// SAFETY: nothing here writes to it after its initialisation, and the functions passed to `new` can't access its word: a runtime passes
// them its address (OpenMP 5.0, 4.5.1.1 and 4.5.1.2), through which safe functions don't read.
unsafe impl Sync for Answer {}

type Initialize = extern "C-unwind" fn(ompt_function_lookup_t, c_int, *mut ompt_data_t) -> c_int;

impl Answer {
    pub(super) const fn new(initialize: Initialize, finalize: extern "C-unwind" fn(*mut ompt_data_t)) -> Self {
        Self(ompt_start_tool_result_t {
            initialize: Some(initialize),
            finalize: Some(finalize),
            tool_data: ompt_data_t::NONE,
        })
    }

    /// The address of the struct.
    pub(super) fn address(&'static self) -> *const ompt_start_tool_result_t {
        &raw const self.0
    }
}

static ALL: [Tool; TOOLS] = [const { Tool::none() }; TOOLS];
/// Number of tools.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// True if the runtimes' callbacks and words are ours.
static OWNED: AtomicBool = AtomicBool::new(false);
/// Reports to the core: [`NOTHING`], [`REPORTS`], or [`AWAITED`]: reports from the first use of a runtime on.
static REPORTS_TO_CORE: AtomicU8 = AtomicU8::new(NOTHING);
const NOTHING: u8 = 0;
const REPORTS: u8 = 1;
/// The state in a forked child, in which a tool of TR2 is asked again.
const AWAITED: u8 = 2;
/// Events for which any tool has a callback, one bit each.
static SUBSCRIBED: AtomicU64 = AtomicU64::new(0);

impl Tool {
    const fn none() -> Self {
        Self {
            result: AtomicPtr::new(null_mut()),
            function: AtomicUsize::new(0),
            callbacks: [const { AtomicUsize::new(0) }; EVENTS],
        }
    }
}

/// True if words point to blocks.
#[inline(always)]
pub(super) fn words_are_ours() -> bool {
    OWNED.load(Relaxed)
}

/// True if the core gets reports.
#[inline(always)]
pub(super) fn reports_to_core() -> bool {
    match REPORTS_TO_CORE.load(Relaxed) {
        NOTHING => false,
        REPORTS => true,
        _ => is_used_in_child(),
    }
}

/// [`reports_to_core`] for an event that is not a use of the runtime: a child that never uses one still has a thread and an initial task,
/// which begin in LLVM's fork handler, and end.
#[inline(always)]
pub(super) fn reports_to_core_without_use() -> bool {
    REPORTS_TO_CORE.load(Relaxed) != NOTHING
}

/// Reports the child's first use of a runtime, which is about to raise an event.
#[cold]
fn is_used_in_child() -> bool {
    REPORTS_TO_CORE.store(REPORTS, Relaxed);
    first_use::handle();
    true
}

/// Awaits the first use of a runtime in a forked child.
pub fn await_use() {
    if REPORTS_TO_CORE.load(Relaxed) == REPORTS {
        REPORTS_TO_CORE.store(AWAITED, Relaxed);
    }
}

/// Makes words point to blocks, for good. True for the first call.
pub(super) fn take_words() -> bool {
    // Release: pairs with the fence in `restore`, for `reports_to_core`. Loads in `words_are_ours` are Relaxed: the pool of
    // blocks publishes itself.
    !OWNED.swap(true, Release)
}

/// Starts the reports to the core.
pub(super) fn start_core_reports() {
    // Relaxed, as the load in `reports_to_core`: no data is published with the flag.
    REPORTS_TO_CORE.store(REPORTS, Relaxed);
}

/// Events for which any tool has, or had, a callback, one bit each.
pub(super) fn subscribed() -> u64 {
    // Acquire: pairs with the `fetch_or` in `keep_callback`, which publishes the callbacks.
    SUBSCRIBED.load(Acquire)
}

/// Number of tools.
pub(super) fn count() -> usize {
    // Acquire: pairs with the store in `add`, which publishes the tool.
    COUNT.load(Acquire)
}

/// Adds a tool that is about to start, and returns its number; `None` if there are too many.
pub(super) fn add(tool: v5::Found) -> Option<usize> {
    let number = COUNT.load(Relaxed);
    let place = ALL.get(number)?;
    place.function.store(tool.function as usize, Relaxed);
    // Release: publishes the tool's struct; pairs with the load in `result`.
    place.result.store(tool.result.as_ptr(), Release);
    // Release: publishes the tool; pairs with the load in `count`.
    COUNT.store(number + 1, Release);
    Some(number)
}

/// Address of the tool's `ompt_start_tool`.
pub(super) fn function(number: usize) -> *const c_void {
    ALL.get(number).map_or(null(), |tool| tool.function.load(Relaxed) as *const c_void)
}

/// Removes the tool: none of its callbacks is invoked any more.
pub(super) fn forget(number: usize) -> *mut ompt_start_tool_result_t {
    let Some(tool) = ALL.get(number) else { return null_mut() };
    tool.callbacks.iter().for_each(|callback| callback.store(0, Relaxed));
    // Release: pairs with the loads in `result` and `are_there`, which see the callbacks removed together with the tool. Acquire: pairs
    // with the store in `add`, for the struct that the result points to.
    tool.result.swap(null_mut(), AcqRel)
}

/// True if there is a tool that hasn't finished.
pub(super) fn are_there() -> bool {
    // Acquire: pairs with the store in `add` and the swap in `forget`; nothing is read through the pointer.
    ALL.iter().any(|tool| !tool.result.load(Acquire).is_null())
}

/// Result of a tool's `ompt_start_tool`, and the address of its own word (`tool_data`).
pub(super) fn result(number: usize) -> Option<(*mut ompt_start_tool_result_t, *mut ompt_data_t)> {
    // Acquire: pairs with the store in `add`, which publishes the tool's struct.
    let result = ALL.get(number)?.result.load(Acquire);
    if result.is_null() {
        return None;
    }
    // SAFETY: not null: the struct that the tool's `ompt_start_tool` returned, valid until its `finalize` has been called (OpenMP 5.0,
    // 4.2.1), before which `forget` clears the entry.
    Some((result, unsafe { &raw mut (*result).tool_data }))
}

/// Calls the tool's initializer. Returns its answer: true if the tool stays. `None` if the tool does not exist.
pub(super) fn initialize(tool: usize, lookup: ompt_function_lookup_t, device: c_int) -> Option<bool> {
    let (result, data) = result(tool)?;
    // SAFETY: the struct that the tool's `ompt_start_tool` returned, valid until its `finalize` (OpenMP 5.0, 4.2.1), which has not been
    // called, since `result` returned it.
    let initialize = unsafe { (*result).initialize };
    // SAFETY: `ompt_initialize_t` (OpenMP 5.0, 4.5.1.1) takes a lookup function, a device number and the address of
    // `tool_data`.
    Some(initialize.is_some_and(|initialize| unsafe { initialize(lookup, device, data) } != 0))
}

/// Removes the tool, and calls its finalizer.
pub(super) fn finalize(tool: usize) {
    let Some((result, data)) = result(tool) else { return };
    forget(tool);
    // SAFETY: the struct that the tool's `ompt_start_tool` returned, valid until `finalize` has been called (OpenMP 5.0, 4.2.1), which
    // happens below.
    let finalize = unsafe { (*result).finalize };
    if let Some(finalize) = finalize {
        // SAFETY: `ompt_finalize_t` (OpenMP 5.0, 4.5.1.2) takes the address of `tool_data`, which `result` returned as `data`.
        unsafe { finalize(data) };
    }
}

/// Sets or clears a tool's callback. `None` if the tool or event does not exist.
pub(super) fn keep_callback(number: usize, request: Registration) -> Option<()> {
    let (event, callback) = (usize::try_from(request.event()).ok()?, request.callback());
    // Release: publishes what the tool wrote before it registered; pairs with the loads in `callback` and `each`.
    ALL.get(number)?.callbacks.get(event)?.store(callback.map_or(0, |callback| callback as usize), Release);
    if callback.is_some() {
        // Release: publishes the callback; pairs with the load in `subscribed`.
        SUBSCRIBED.fetch_or(1 << event, Release);
    }
    Some(())
}

/// The events for which a tool has a callback.
pub(super) fn events_of(number: usize) -> impl Iterator<Item = c_int> {
    let callbacks = ALL.get(number).into_iter().flat_map(|tool| &tool.callbacks);
    (0..).zip(callbacks).filter(|(_, callback)| callback.load(Relaxed) != 0).map(|(event, _)| event)
}

/// The callback that a tool has registered.
pub(super) fn callback(number: usize, event: c_int) -> Option<Function> {
    let place = ALL.get(number)?.callbacks.get(usize::try_from(event).ok()?)?;
    // Acquire: pairs with the store in `keep_callback`, which publishes what the tool wrote before.
    // SAFETY: 0 is `None`, by the layout of `Option<fn>`; `keep_callback` made any other value from a `Function`.
    unsafe { transmute::<usize, Option<Function>>(place.load(Acquire)) }
}

/// Calls `call` for each tool that has a callback for the event, with its number and the callback.
#[inline(always)]
#[allow(clippy::indexing_slicing)] // a constant less than the length
pub(super) fn each<const EVENT: usize>(mut call: impl FnMut(usize, Function)) {
    for (number, tool) in ALL.iter().enumerate().take(COUNT.load(Relaxed)) {
        // Acquire: pairs with the store in `keep_callback`, which publishes what the tool wrote before.
        // SAFETY: 0 is `None`, by the layout of `Option<fn>`; `keep_callback` made any other value from a `Function`.
        let callback = unsafe { transmute::<usize, Option<Function>>(tool.callbacks[EVENT].load(Acquire)) };
        if let Some(callback) = callback {
            call(number, callback);
        }
    }
}

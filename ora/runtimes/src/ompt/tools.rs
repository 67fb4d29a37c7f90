//! The tools of OpenMP 5 behind us: the callbacks that each has registered, and the owner of the runtime's words.
#![allow(unsafe_code)] // callbacks are kept as addresses

use super::TOOLS;
use super::runtime::Function;
use ompt_core::v5;
use ompt_core::v5::types::{ompt_data_t, ompt_start_tool_result_t};
use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering::*};

/// Numbers of callbacks are less than this.
pub(super) const EVENTS: usize = 64;

/// One tool.
pub(super) struct Tool {
    /// What its `ompt_start_tool` returned; null: there is none, or it has gone.
    pub(super) result: AtomicPtr<ompt_start_tool_result_t>,
    /// Its `ompt_start_tool`.
    function: AtomicUsize,
    callbacks: [AtomicUsize; EVENTS],
}

static ALL: [Tool; TOOLS] = [const { Tool::none() }; TOOLS];
/// How many there are.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// Whether the runtimes' callbacks and words are ours.
static OWNED: AtomicBool = AtomicBool::new(false);
/// Whether the core is told.
static TELLS_CORE: AtomicBool = AtomicBool::new(false);
/// The callbacks that some tool has, a bit each.
static WANTED: AtomicU64 = AtomicU64::new(0);

impl Tool {
    const fn none() -> Self {
        Self {
            result: AtomicPtr::new(null_mut()),
            function: AtomicUsize::new(0),
            callbacks: [const { AtomicUsize::new(0) }; EVENTS],
        }
    }
}

/// Whether words point to blocks.
#[inline(always)]
pub(super) fn words_are_ours() -> bool {
    OWNED.load(Relaxed)
}

/// Whether the core is told.
#[inline(always)]
pub(super) fn tells_core() -> bool {
    TELLS_CORE.load(Relaxed)
}

/// Words point to blocks from now on. True for the first call.
pub(super) fn take_words() -> bool {
    // Release: pairs with the fence in `restore`, for `tells_core`. Loads in `words_are_ours` are Relaxed: the pool of blocks
    // publishes itself.
    !OWNED.swap(true, Release)
}

/// The core is told from now on.
pub(super) fn begin_to_tell_core() {
    // Relaxed, as the load in `tells_core`: no data is published with the flag.
    TELLS_CORE.store(true, Relaxed);
}

/// The callbacks that some tool has, or had, a bit each.
pub(super) fn wanted() -> u64 {
    // Acquire: pairs with the `fetch_or` in `keep_callback`, which publishes the callbacks.
    WANTED.load(Acquire)
}

/// How many tools there are.
pub(super) fn count() -> usize {
    // Acquire: pairs with the store in `add`, which publishes the tool.
    COUNT.load(Acquire)
}

/// A tool that wants to start gets a number. `None`: there are too many.
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

/// The tool's `ompt_start_tool`.
pub(super) fn function(number: usize) -> *const c_void {
    ALL.get(number).map_or(null(), |tool| tool.function.load(Relaxed) as *const c_void)
}

/// The tool hears no more.
pub(super) fn forget(number: usize) -> *mut ompt_start_tool_result_t {
    let Some(tool) = ALL.get(number) else { return null_mut() };
    tool.callbacks.iter().for_each(|callback| callback.store(0, Relaxed));
    // Release: pairs with the loads in `result` and `are_there`, which find the callbacks gone with the tool. Acquire: pairs
    // with the store in `add`, for what the result points to.
    tool.result.swap(null_mut(), AcqRel)
}

/// Whether a tool is there that hasn't gone.
pub(super) fn are_there() -> bool {
    // Acquire: pairs with the store in `add` and the swap in `forget`; nothing is read through the pointer.
    ALL.iter().any(|tool| !tool.result.load(Acquire).is_null())
}

/// What a tool's `ompt_start_tool` returned, and its own word.
pub(super) fn result(number: usize) -> Option<(*mut ompt_start_tool_result_t, *mut ompt_data_t)> {
    // Acquire: pairs with the store in `add`, which publishes the tool's struct.
    let result = ALL.get(number)?.result.load(Acquire);
    if result.is_null() {
        return None;
    }
    // SAFETY: not null: the struct that the tool's `ompt_start_tool` returned, valid until its `finalize` has been called
    // (OpenMP 5.0, 4.2.1), before which `forget` clears the place.
    Some((result, unsafe { &raw mut (*result).tool_data }))
}

/// The tool hears no more, and its finalizer is called.
pub(super) fn finalize(tool: usize) {
    let Some((result, data)) = result(tool) else { return };
    forget(tool);
    // SAFETY: the struct that the tool's `ompt_start_tool` returned, valid until `finalize` has been called (OpenMP 5.0,
    // 4.2.1): that comes below.
    let finalize = unsafe { (*result).finalize };
    if let Some(finalize) = finalize {
        // SAFETY: `ompt_finalize_t` (OpenMP 5.0, 4.5.1.2) takes the address of `tool_data`, which `result` gave as `data`.
        unsafe { finalize(data) };
    }
}

/// Keeps a tool's callback, or that it has none. `None`: there is no such tool or event.
pub(super) fn keep_callback(number: usize, event: c_int, callback: Option<Function>) -> Option<()> {
    let event = usize::try_from(event).ok()?;
    // Release: publishes what the tool wrote before it registered; pairs with the loads in `callback` and `each`.
    ALL.get(number)?.callbacks.get(event)?.store(callback.map_or(0, |callback| callback as usize), Release);
    if callback.is_some() {
        // Release: publishes the callback; pairs with the load in `wanted`.
        WANTED.fetch_or(1 << event, Release);
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
    // Acquire: pairs with the store in `set_callback`, which publishes what the tool wrote before.
    // SAFETY: 0 is `None`, by the layout of `Option<fn>`; anything else `set_callback` made of a `Function`.
    unsafe { transmute::<usize, Option<Function>>(place.load(Acquire)) }
}

/// Calls `call` for each tool that has a callback for the event, with its number and the callback.
#[inline(always)]
#[allow(clippy::indexing_slicing)] // a constant less than the length
pub(super) fn each<const EVENT: usize>(mut call: impl FnMut(usize, Function)) {
    for (number, tool) in ALL.iter().enumerate().take(COUNT.load(Relaxed)) {
        // Acquire: pairs with the store in `set_callback`, which publishes what the tool wrote before.
        // SAFETY: 0 is `None`, by the layout of `Option<fn>`; anything else `set_callback` made of a `Function`.
        let callback = unsafe { transmute::<usize, Option<Function>>(tool.callbacks[EVENT].load(Acquire)) };
        if let Some(callback) = callback {
            call(number, callback);
        }
    }
}

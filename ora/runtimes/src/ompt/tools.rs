//! The tools of OpenMP 5 behind us: what each has registered, and who the words of the runtime belong to.
//!
//! A single tool, while nobody else watches, is registered with the runtime directly and has the runtime's own words. As soon
//! as somebody else comes, the runtime's callbacks are ours and its words point to [blocks](super::blocks): that never goes
//! back. A callback that a runtime has is never taken back either, since the runtime may be about to call it; it is ours, and
//! finds out that nobody wants it.
#![allow(unsafe_code)] // callbacks are kept as addresses

use super::TOOLS;
use super::entries;
use super::runtime::{self, Function, Runtime};
use ompt_core::v5;
use ompt_core::v5::types::ompt_callbacks_t::ompt_callback_control_tool;
use ompt_core::v5::types::{ompt_data_t, ompt_start_tool_result_t};
use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering::*, fence};

/// Numbers of callbacks are less than this.
pub(super) const EVENTS: usize = 64;

/// `ompt_set_always` and `ompt_set_error`
const ALWAYS: c_int = 5;
const ERROR: c_int = 0;
const NEVER: c_int = 1;

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
    if number > 0 {
        own();
    }
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

/// The tool declines, in its initializer: it had registered callbacks, which the runtimes may have got themselves. None of them runs yet.
pub(super) fn declines(number: usize) {
    if !words_are_ours()
        && let Some(tool) = ALL.get(number)
    {
        let registered = (0..).zip(&tool.callbacks).filter(|(_, callback)| callback.load(Relaxed) != 0);
        for (event, _) in registered {
            // SAFETY: the runtime's `ompt_set_callback`; null takes the callback of any event back (OpenMP 5.0, 4.6.1.3).
            runtime::all().for_each(|runtime| _ = unsafe { (runtime.set_callback)(event, None) });
        }
    }
    forget(number);
}

/// Whether a tool is there that hasn't gone.
pub(super) fn are_there() -> bool {
    // Acquire: pairs with the store in `add` and the swap in `forget`; nothing is read through the pointer.
    ALL.iter().any(|tool| !tool.result.load(Acquire).is_null())
}

/// Without a tool the program is to be told that there is none, though the runtime has us as one.
pub(super) fn answer_for_none() {
    if !are_there() {
        runtime::all().for_each(|runtime| _ = register(runtime, ompt_callback_control_tool as usize));
    }
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

/// The core is to be told from now on.
pub(super) fn tell_core() {
    // Release: no load pairs with it, as `tells_core` loads Relaxed; no data is published with the flag.
    TELLS_CORE.store(true, Release);
    own();
    runtime::all().for_each(register_for_core);
}

/// Registers what the core is made of, if it is to be told, and what tools want.
pub(super) fn register_all(runtime: &Runtime) {
    if tells_core() {
        register_for_core(runtime);
    }
    if words_are_ours() {
        register_wanted(runtime);
    }
}

fn register_for_core(runtime: &Runtime) {
    entries::FOR_CORE.iter().for_each(|event| _ = register(runtime, *event));
}

fn register_wanted(runtime: &Runtime) {
    // Acquire: pairs with the `fetch_or` in `set_callback`, which publishes the callbacks.
    let wanted = WANTED.load(Acquire);
    (0..EVENTS).filter(|event| wanted >> event & 1 != 0).for_each(|event| _ = register(runtime, event));
}

/// Callbacks and words are ours from now on.
fn own() {
    super::blocks::set_up();
    // The swap decides which thread is first. Loads in `words_are_ours` are Relaxed: the pool of blocks publishes itself.
    if !OWNED.swap(true, Relaxed) {
        // SeqCst: pairs with the fence in `set_callback`; either this one sees its bit of `WANTED`, or it sees `OWNED`.
        fence(SeqCst);
        runtime::all().for_each(register_wanted);
    }
}

/// Registers our own entry; what the runtime answers.
fn register(runtime: &Runtime, event: usize) -> c_int {
    match (entries::of(event), c_int::try_from(event)) {
        (Some(entry), Ok(event)) => runtime.register(event, entry),
        _ => NEVER,
    }
}

/// A tool registers a callback, or takes it back.
pub(super) fn set_callback(number: usize, event: c_int, callback: Option<Function>) -> c_int {
    let Some(place) = usize::try_from(event).ok().and_then(|event| ALL.get(number)?.callbacks.get(event)) else {
        return ERROR;
    };
    let Ok(bit) = u32::try_from(event) else { return ERROR };
    // Release: publishes what the tool wrote before it registered; pairs with the loads in `callback` and `each`.
    place.store(callback.map_or(0, |callback| callback as usize), Release);
    if callback.is_some() {
        // Release: publishes the callback; pairs with the load in `register_wanted`.
        WANTED.fetch_or(1 << bit, Release);
    }
    if !words_are_ours() {
        // SAFETY: the runtime's `ompt_set_callback`, with the arguments of the tool's own call, which give `callback` the type
        // of `event` (OpenMP 5.0, 4.6.1.3).
        let answers = runtime::all().map(|runtime| unsafe { (runtime.set_callback)(event, callback) });
        let answer = answers.last().unwrap_or(ERROR);
        // SeqCst: pairs with the fence in `own`. Where `own` came between, the runtime may have got the tool's callback after
        // ours; it gets ours again.
        fence(SeqCst);
        if !words_are_ours() {
            return answer;
        }
    }
    match callback {
        // Ours stays, and finds nothing.
        None => ALWAYS,
        Some(_) if number > 0 && entries::is_for_one(event) => NEVER,
        Some(_) => runtime::all().map(|runtime| register(runtime, bit as usize)).last().unwrap_or(ERROR),
    }
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

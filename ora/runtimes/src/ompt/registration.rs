//! Registers callbacks with the runtimes: tools' own, or ours in their place.
//!
//! A single tool, while nobody else watches, is registered with the runtime directly and has the runtime's own words. As soon
//! as somebody else comes, the runtime's callbacks are ours and its words point to [blocks](super::blocks): that never goes
//! back. A callback that a runtime has is never taken back either, since the runtime may be about to call it; it is ours, and
//! finds out that nobody wants it.
#![allow(unsafe_code)] // calls a runtime's functions

use super::runtime::{self, Function, Runtime};
use super::tools::{self, EVENTS, tells_core, words_are_ours};
use super::{blocks, entries};
use ompt_core::v5;
use ompt_core::v5::types::ompt_callbacks_t::ompt_callback_control_tool;
use std::ffi::c_int;
use std::sync::atomic::{
    Ordering::{Acquire, SeqCst},
    fence,
};

/// `ompt_set_always`, `ompt_set_error` and `ompt_set_never`
const ALWAYS: c_int = 5;
const ERROR: c_int = 0;
const NEVER: c_int = 1;

/// A tool that wants to start gets a number. `None`: there are too many.
pub(super) fn add(tool: v5::Found) -> Option<usize> {
    let number = tools::add(tool)?;
    if number > 0 {
        own();
    }
    Some(number)
}

/// The tool declines, in its initializer: it had registered callbacks, which the runtimes may have got themselves. None of them runs yet.
pub(super) fn declines(number: usize) {
    if !words_are_ours() {
        for event in tools::events_of(number) {
            // SAFETY: the runtime's `ompt_set_callback`; null takes the callback of any event back (OpenMP 5.0, 4.6.1.3).
            runtime::all().for_each(|runtime| _ = unsafe { (runtime.set_callback)(event, None) });
            restore(event);
        }
    }
    tools::forget(number);
}

/// Without a tool the program is to be told that there is none, though the runtime has us as one.
pub(super) fn answer_for_none() {
    if !tools::are_there() {
        runtime::all().for_each(|runtime| _ = register(runtime, ompt_callback_control_tool as usize));
    }
}

/// The core is to be told from now on.
pub(super) fn tell_core() {
    tools::begin_to_tell_core();
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
    let wanted = tools::wanted();
    (0..EVENTS).filter(|event| wanted >> event & 1 != 0).for_each(|event| _ = register(runtime, event));
}

/// Callbacks and words are ours from now on.
fn own() {
    blocks::set_up();
    if tools::take_words() {
        // SeqCst: pairs with the fence in `restore`.
        fence(SeqCst);
        runtime::all().for_each(register_wanted);
    }
}

/// Registers our own entry again where the runtime has lost it: [`own`] came before a callback was given to it, or taken back.
/// True if callbacks are ours.
fn restore(event: c_int) -> bool {
    // SeqCst: pairs with the fence in `own`; that one sees the tool's callback as wanted, or this one sees that the words are
    // ours.
    fence(SeqCst);
    if !words_are_ours() {
        return false;
    }
    // Acquire: pairs with the swap in `take_words`, for `tells_core`.
    fence(Acquire);
    if let Ok(event) = usize::try_from(event)
        && (tells_core() && entries::FOR_CORE.contains(&event) || tools::wanted() >> event & 1 != 0)
    {
        runtime::all().for_each(|runtime| _ = register(runtime, event));
    }
    true
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
    if tools::keep_callback(number, event, callback).is_none() {
        return ERROR;
    }
    if !words_are_ours() {
        // SAFETY: the runtime's `ompt_set_callback`, with the arguments of the tool's own call, which give `callback` the type
        // of `event` (OpenMP 5.0, 4.6.1.3).
        let answers = runtime::all().map(|runtime| unsafe { (runtime.set_callback)(event, callback) });
        let answer = answers.last().unwrap_or(ERROR);
        if !restore(event) {
            return answer;
        }
    }
    match (callback, usize::try_from(event)) {
        // Ours stays, and finds nothing.
        (None, _) => ALWAYS,
        (Some(_), _) if number > 0 && entries::is_for_one(event) => NEVER,
        (Some(_), Ok(event)) => runtime::all().map(|runtime| register(runtime, event)).last().unwrap_or(ERROR),
        (Some(_), Err(_)) => ERROR,
    }
}

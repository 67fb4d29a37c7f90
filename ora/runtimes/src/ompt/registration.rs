//! Registration of callbacks with the runtimes: the tools' own, or ours instead.
//!
//! A single tool, as long as nothing else observes the runtime, is registered with the runtime directly and has the runtime's own words.
//! Our callbacks replace the tool's as soon as a second observer appears. From then on, the runtime's data words point to [`blocks`].
//! A callback that is registered with a runtime is never unregistered, since the runtime may be about to invoke it. Our callback stays
//! registered, and finds no subscriber.

use super::runtime::{self, Registration, Runtime};
use super::tools::{self, EVENTS, reports_to_core, words_are_ours};
use super::{blocks, callbacks};
use ompt_core::v5;
use ompt_core::v5::types::ompt_callbacks_t::{self, ompt_callback_control_tool};
use std::ffi::c_int;
use std::sync::atomic::{
    Ordering::{Acquire, SeqCst},
    fence,
};

/// `ompt_set_always`, `ompt_set_error` and `ompt_set_never`
const ALWAYS: c_int = 5;
const ERROR: c_int = 0;
const NEVER: c_int = 1;

/// Adds a tool that is about to start, and returns its number; `None` if there are too many.
pub(super) fn add(tool: v5::Found) -> Option<usize> {
    let number = tools::add(tool)?;
    if number > 0 {
        own();
    }
    Some(number)
}

/// Removes a tool that declines in its initializer: it may have registered callbacks with the runtimes directly. None of them is running
/// yet.
pub(super) fn declines(number: usize) {
    if !words_are_ours() {
        for event in tools::events_of(number) {
            runtime::all().for_each(|runtime| _ = runtime.register(Registration::of_none(event)));
            restore(event);
        }
    }
    tools::forget(number);
}

/// Answers the program's `omp_control_tool` like a runtime without a tool, although the runtime has this library as its tool.
pub(super) fn answer_for_none() {
    if !tools::are_there() {
        runtime::all().for_each(|runtime| _ = register(runtime, ompt_callback_control_tool as usize));
    }
}

/// Starts the reports to the core.
pub(super) fn start_core_reports() {
    tools::start_core_reports();
    own();
    runtime::all().for_each(register_for_core);
}

/// Makes the runtimes invoke only our callbacks from now on, none of the tools' own.
pub(super) fn replace_callbacks() {
    own();
}

/// Registers the callbacks for the core, if it gets reports, and for the tools.
pub(super) fn register_all(runtime: &Runtime) {
    if reports_to_core() {
        register_for_core(runtime);
    }
    if words_are_ours() {
        register_subscribed(runtime);
    }
}

fn register_for_core(runtime: &Runtime) {
    callbacks::FOR_CORE.iter().for_each(|event| _ = register(runtime, *event));
}

fn register_subscribed(runtime: &Runtime) {
    let subscribed = tools::subscribed();
    (0..EVENTS).filter(|event| subscribed >> event & 1 != 0).for_each(|event| _ = register(runtime, event));
}

/// Makes callbacks and words ours, for good.
fn own() {
    blocks::set_up();
    if tools::take_words() {
        // SeqCst: pairs with the fence in `restore`.
        fence(SeqCst);
        runtime::all().for_each(register_subscribed);
    }
}

/// Registers our own callback again if the runtime has lost it: [`own`] came before a tool's callback was registered
/// directly, or unregistered. True if callbacks are ours.
fn restore(event: c_int) -> bool {
    // SeqCst: pairs with the fence in `own`: either that thread sees the tool's callback among those subscribed, or this one sees that the
    // words are ours.
    fence(SeqCst);
    if !words_are_ours() {
        return false;
    }
    // Acquire: pairs with the swap in `take_words`, for `reports_to_core`.
    fence(Acquire);
    if let Ok(event) = usize::try_from(event)
        && (reports_to_core() && callbacks::FOR_CORE.contains(&event) || tools::subscribed() >> event & 1 != 0)
    {
        runtime::all().for_each(|runtime| _ = register(runtime, event));
    }
    true
}

/// Registers our own callback, and returns the runtime's answer.
fn register(runtime: &Runtime, event: usize) -> c_int {
    callbacks::of(event).map_or(NEVER, |ours| runtime.register(ours))
}

/// True for the number of an event that some release of OpenMP has.
fn is_event(number: c_int) -> bool {
    ompt_callbacks_t::ALL.iter().any(|event| *event as c_int == number)
}

/// Registers a tool's callback, or unregisters it.
pub(super) fn set_callback(number: usize, request: Registration) -> c_int {
    let event = request.event();
    if tools::keep_callback(number, request).is_none() {
        return ERROR;
    }
    let answer = register_for(number, request);
    if answer == ERROR {
        // The runtime does not know the event: nothing is registered.
        let _ = tools::keep_callback(number, Registration::of_none(event));
    }
    answer
}

/// Registers a tool's callback, which has been stored, with the runtimes, or ours instead.
fn register_for(number: usize, request: Registration) -> c_int {
    let (event, callback) = (request.event(), request.callback());
    if !words_are_ours() {
        let answers = runtime::all().map(|runtime| runtime.register(request));
        let answer = answers.last().unwrap_or(ERROR);
        if !restore(event) {
            return answer;
        }
    }
    match (callback, usize::try_from(event)) {
        // Our callback stays, and finds no subscriber.
        (None, _) => ALWAYS,
        (Some(_), _) if !is_event(event) => ERROR,
        (Some(_), _) if number > 0 && callbacks::is_for_one(event) => NEVER,
        (Some(_), Ok(event)) => runtime::all().map(|runtime| register(runtime, event)).last().unwrap_or(ERROR),
        (Some(_), Err(_)) => ERROR,
    }
}

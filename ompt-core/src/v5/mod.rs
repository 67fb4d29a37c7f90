//! OMPT of OpenMP 5: the face that a tool with `ompt_start_tool` sees.
//!
//! On a runtime that has no tool interface we are the one that tools meet: `tool.rs` finds the tool, `session.rs` has it from
//! start to end, `entry_points.rs` is what it may call, `callbacks.rs` what it has registered, `deliver.rs` what it is told.

pub mod door;
pub mod types;

mod callbacks;
mod deliver;
mod entry_points;
mod libraries;
mod mutex_impls;
mod own_code;
mod places;
mod queries;
mod rival;
mod session;
mod start_tool;
mod states;
#[cfg(test)]
mod tests;
mod tool;
mod verbose;
mod wishes;

use crate::about::About;
use crate::omp_tool;
use crate::tool_log::{Interface, Outcome, ToolLog};
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering::*};
use system::errno::Errno;
use verbose::Log;

pub use start_tool::Found;

/// Whether a runtime that calls a tool has asked for one: tools are its.
static ASKED_BY_RUNTIME: AtomicBool = AtomicBool::new(false);

/// The initial device comes after all others, and there are no others.
const INITIAL_DEVICE: c_int = 0;

/// Finds a tool of OpenMP 5 and starts it, at the program's first use of its runtime. True if there is one, also from before
/// a fork: its callbacks are to be called.
pub fn initialize(about: &About) -> bool {
    // Acquire: pairs with the store in `find_tools`; only the flag is read.
    if !session::is_free() || ASKED_BY_RUNTIME.load(Acquire) {
        return session::is_attached();
    }
    let errno = Errno::save();
    let attached = start(about, &Log::open());
    errno.restore();
    attached
}

#[allow(unsafe_code)]
fn start(about: &About, log: &Log) -> bool {
    log.say(&[b"looking for a tool of OpenMP 5, for ", about.runtime.to_bytes()]);
    if !omp_tool::enabled() {
        log.ends(Outcome::Disabled, b"OMP_TOOL turns tools off");
        return false;
    }
    let found = if rival::is_there() {
        log.ends(Outcome::LeftToRuntime, b"another runtime in this process has OMPT itself: tools are its");
        None
    } else {
        tool::find(about, log)
    };
    let Some(tool) = found else { return false };
    // SAFETY: what `ompt_start_tool` returned is what the standard says, and stays until the tool's end (4.2.3).
    let attached = unsafe { session::attach(tool.result.as_ptr(), Some(entry_points::lookup)) };
    if attached {
        log.ends(Outcome::Attached, b"the tool is attached");
    } else {
        log.ends(Outcome::Declined, b"the tool's initialize says no");
    }
    attached
}

/// Whether a runtime that asks for a tool gets none: one is attached, or about to be, to the runtime without an interface, and stays there; or
/// only tools need the runtime that asks, and the program has another, as `program_has_another` says.
pub fn leaves_none(program_has_another: bool) -> bool {
    door::is_asking() || session::was_taken() || program_has_another && rival::is_tools_own()
}

/// Gives `take` each tool of OpenMP 5 that a runtime which calls one would have found, or that `OMP_TOOL_LIBRARIES` names
/// besides. What each one answers next is told to [`answered`].
#[allow(unsafe_code)]
pub fn find_tools(about: &About, mut take: &mut dyn FnMut(Found)) {
    // Release: pairs with the load in `initialize`.
    ASKED_BY_RUNTIME.store(true, Release);
    let log = Log::beside_runtime();
    log.say(&[b"looking for tools of OpenMP 5, for ", about.runtime.to_bytes()]);
    tool::find_all(about, &log, &mut take);
}

/// What the initializer of a tool of [`find_tools`] says, the tool having this `ompt_start_tool`.
pub fn answered(function: *const std::ffi::c_void, stays: bool) {
    let outcome = if stays { Outcome::Attached } else { Outcome::Declined };
    ToolLog::open(Interface::OpenMp5).answers(function, outcome);
}

/// What the next tool of the program returns: null if none wants to start.
pub fn next_tool(about: &About) -> *const types::ompt_start_tool_result_t {
    tool::next(about, &Log::open()).map_or(std::ptr::null(), |tool| tool.result.as_ptr().cast_const())
}

/// Whether the process starts with a runtime that calls tools itself, and may.
pub fn has_rival() -> bool {
    rival::look() && omp_tool::enabled()
}

/// Whether a runtime that calls tools itself is there, and may not.
pub fn has_silenced_rival() -> bool {
    !omp_tool::enabled() && rival::is_there()
}

/// Looks up what a tool's start takes: later the linker may be busy.
pub fn look() {
    let _ = tool::look();
    rival::look();
    places::look_for_routines();
}

/// Whether a tool of OpenMP 5 is attached.
pub fn is_attached() -> bool {
    session::is_attached()
}

/// The process ends: the tool hears no more, and its `finalize` is called, once.
pub fn finalize() {
    session::end();
}

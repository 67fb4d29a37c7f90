//! OMPT of OpenMP 5: the tool interface for tools with `ompt_start_tool`.
//!
//! On a runtime without a tool interface, this library implements the interface. `tool.rs` finds the tool, and
//! `session.rs` manages it from start to end. `entry_points.rs` has the functions that it may call, `callbacks.rs` its
//! registrations, and `deliver.rs` calls its callbacks.

pub mod start_tool_export;

mod barrier_code;
mod callback_events;
mod callbacks;
mod deliver;
mod entry_points;
mod foreign_runtime;
mod libraries;
mod mutex_impls;
mod own_code;
mod places;
mod queries;
mod release;
mod session;
mod start_tool;
mod states;
#[cfg(test)]
mod tests;
mod tool;
mod verbose;

use crate::omp_tool;
use crate::runtime_info::RuntimeInfo;
use crate::tool_log::{Outcome, ToolKind, ToolLog};
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering::*};
use system::errno::Errno;
use verbose::Log;

pub use ompt_abi::v5 as types;
pub use start_tool::Found;

/// True after a runtime that calls a tool has asked for one: tools then belong to that runtime.
static ASKED_BY_RUNTIME: AtomicBool = AtomicBool::new(false);

/// The number of the initial device, which comes after all others; it is the only one.
const INITIAL_DEVICE: c_int = 0;

/// Finds a tool of OpenMP 5 and starts it, at the program's first use of its runtime. True if a tool is attached, even
/// if that was before a fork: its callbacks are to be called.
pub fn initialize(runtime_info: &RuntimeInfo) -> bool {
    // Acquire: pairs with the store in `find_tools`; only the flag is read.
    if !session::is_free() || ASKED_BY_RUNTIME.load(Acquire) {
        return session::is_attached();
    }
    let errno = Errno::save();
    let attached = start(runtime_info, &Log::open());
    errno.restore();
    attached
}

#[allow(unsafe_code)]
fn start(runtime_info: &RuntimeInfo, log: &Log) -> bool {
    log.say(&[b"looking for a tool of OpenMP 5, for ", runtime_info.runtime.to_bytes()]);
    if !omp_tool::enabled() {
        log.ends(Outcome::Disabled, b"OMP_TOOL turns tools off");
        return false;
    }
    let found = if foreign_runtime::is_there() {
        log.ends(Outcome::LeftToRuntime, b"another runtime in this process has OMPT itself: tools are its");
        None
    } else {
        tool::find(runtime_info, log)
    };
    let Some(tool) = found else { return false };
    release::serve(runtime_info.openmp);
    // SAFETY: `ompt_start_tool` returned the structure that the standard requires, and it stays valid until the tool's
    // end (4.2.3).
    let attached = unsafe { session::attach(tool.result.as_ptr(), Some(entry_points::lookup)) };
    if attached {
        log.ends(Outcome::Attached, b"the tool is attached");
    } else {
        log.ends(Outcome::Declined, b"the tool's initialize says no");
    }
    attached
}

/// Answer to a tool that attaches while the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LateStart {
    /// The tool is attached.
    Attached,
    /// The tool has declined.
    Declined,
    /// A tool is starting, is attached, or was; or tools belong to a runtime that calls them itself.
    Taken,
}

/// Starts a tool in a running process, on a thread of the tool. `function` is its `ompt_start_tool`. The tool may remove its callbacks and
/// register them again later, since a process has one session.
#[allow(unsafe_code)]
pub fn start_late(runtime_info: &RuntimeInfo, function: *const c_void) -> LateStart {
    // Acquire: pairs with the store in `find_tools`; only the flag is read.
    if !session::is_free() || ASKED_BY_RUNTIME.load(Acquire) {
        return LateStart::Taken;
    }
    let Some(result) = start_tool::call(function, runtime_info) else { return LateStart::Declined };
    // SAFETY: `ompt_start_tool` returned the structure that the standard requires, and it stays valid until the tool's
    // end (4.2.3).
    let attached = unsafe { session::attach(result.as_ptr(), Some(entry_points::lookup)) };
    if attached { LateStart::Attached } else { LateStart::Declined }
}

/// True if a runtime that asks for a tool gets none. Either a tool is attached, or about to be, to the runtime without
/// an interface, and stays there. Or only tools need the runtime that asks, and the program has another one
/// (`program_has_another`).
pub fn leaves_none(program_has_another: bool) -> bool {
    start_tool_export::is_asking()
        || session::was_taken()
        || program_has_another && foreign_runtime::is_for_tools_only()
}

/// Calls `take` with each tool of OpenMP 5 that a runtime with OMPT would have found, and with each further one that
/// `OMP_TOOL_LIBRARIES` names. The answer of each one's initializer has to be passed to [`answered`].
#[allow(unsafe_code)]
pub fn find_tools(runtime_info: &RuntimeInfo, mut take: &mut dyn FnMut(Found)) {
    // Release: pairs with the load in `initialize`.
    ASKED_BY_RUNTIME.store(true, Release);
    let log = Log::beside_runtime();
    log.say(&[b"looking for tools of OpenMP 5, for ", runtime_info.runtime.to_bytes()]);
    tool::find_all(runtime_info, &log, &mut take);
}

/// Logs the answer of the initializer of a tool of [`find_tools`], whose `ompt_start_tool` is `function`.
pub fn answered(function: *const c_void, stays: bool) {
    let outcome = if stays { Outcome::Attached } else { Outcome::Declined };
    ToolLog::open(ToolKind::OpenMp5).answers(function, outcome);
}

/// The result of the program's next tool that accepts; null if none does.
pub fn next_tool(runtime_info: &RuntimeInfo) -> *const types::ompt_start_tool_result_t {
    tool::next(runtime_info, &Log::open()).map_or(std::ptr::null(), |tool| tool.result.as_ptr().cast_const())
}

/// True if the process starts with a runtime that calls tools itself, and `OMP_TOOL` doesn't disable that.
pub fn has_foreign_runtime() -> bool {
    foreign_runtime::look() && omp_tool::enabled()
}

/// True if a runtime that calls tools itself is in the process, and `OMP_TOOL` disables that.
pub fn has_silenced_foreign_runtime() -> bool {
    !omp_tool::enabled() && foreign_runtime::is_there()
}

/// Looks up all symbols that are needed to start a tool. Called while the library is being loaded: later the linker may
/// be busy.
pub fn look() {
    let _ = tool::look();
    foreign_runtime::look();
    places::look_for_routines();
}

/// True if a tool of OpenMP 5 is attached.
pub fn is_attached() -> bool {
    session::is_attached()
}

/// Detaches the tool at the end of the process: no callback follows, and its `finalize` is called, once.
pub fn finalize() {
    session::end();
}

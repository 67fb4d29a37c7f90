//! Call of a tool's `ompt_start_tool`, and its result (OpenMP 5.0, 4.2.1).
#![allow(unsafe_code)] // calls the tool

use super::start_tool_export;
use super::types::ompt_start_tool_result_t;
use super::verbose::Log;
use crate::runtime_info::RuntimeInfo;
use crate::tool_log::Outcome;
use std::ffi::{CStr, c_char, c_uint, c_void};
use std::mem::transmute;
use std::ptr::NonNull;
use system::executable;
use system::linker::LoadedObject;

/// The function that every tool defines (4.2.1).
pub(super) const START_TOOL: &CStr = c"ompt_start_tool";
type StartTool = unsafe extern "C-unwind" fn(c_uint, *const c_char) -> *mut ompt_start_tool_result_t;

/// A tool that accepts: its `ompt_start_tool` has returned a result.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// The result of the tool's `ompt_start_tool`, valid until the tool is finalized.
    pub result: NonNull<ompt_start_tool_result_t>,
    /// The address of the tool's `ompt_start_tool`.
    pub function: *const c_void,
}

/// Calls an `ompt_start_tool`. `None` if it declines.
pub(super) fn call(function: *const c_void, runtime_info: &RuntimeInfo) -> Option<NonNull<ompt_start_tool_result_t>> {
    // SAFETY: the standard reserves the name that this was found by for a function of this signature (4.2.1).
    let start = unsafe { transmute::<*const c_void, StartTool>(function) };
    // SAFETY: `start` has the signature of `ompt_start_tool` (OpenMP 5.0, 4.2.1); `runtime_info.runtime` is a
    // `&'static CStr`.
    NonNull::new(start_tool_export::asking(runtime_info.runtime, || unsafe {
        start(runtime_info.openmp, runtime_info.runtime.as_ptr())
    }))
}

/// Calls a tool's `ompt_start_tool`, and logs the answer. `None` if it declines.
pub(super) fn start(address: *const c_void, runtime_info: &RuntimeInfo, log: &Log) -> Option<Found> {
    log.asks(address);
    let found = call(address, runtime_info);
    match found {
        Some(_) => log.say(&[b"it wants to start"]),
        None => log.ends(Outcome::Declined, b"it declines"),
    }
    found.map(|result| Found { result, function: address })
}

/// True if the address is in the library that contains this function. Never true if ora is linked into an executable,
/// which may define a tool itself.
pub(super) fn is_ours(address: *const c_void) -> bool {
    let own = is_ours as *const c_void;
    !executable::holds(own) && base(address).is_some_and(|its| base(own) == Some(its))
}

fn base(address: *const c_void) -> Option<usize> {
    LoadedObject::of(address).map(|object| object.base())
}

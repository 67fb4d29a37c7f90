//! The tool: the definition of `ompt_initialize` in the process (TR2, 6.1.1 and 6.3). This library never defines it,
//! since that would hide a tool that comes later in the search order.
#![allow(unsafe_code)] // calls the tool

use super::entry_points::lookup;
use super::initializer;
use super::types::ompt_function_lookup_t;
use crate::omp_tool;
use crate::runtime_info::RuntimeInfo;
use crate::tool_log::{Outcome, ToolLog};
use std::ffi::{c_char, c_int, c_uint, c_void};

/// Signature of `ompt_initialize`; a result of 0 declines.
type Initialize = unsafe extern "C-unwind" fn(ompt_function_lookup_t, *const c_char, c_uint) -> c_int;

/// The interface's version.
const VERSION: c_uint = 1;

/// The tool's function.
pub(super) struct Tool(Initialize);

/// The tool, if there is one and `OMP_TOOL` allows asking it.
pub(super) fn find(log: &ToolLog) -> Option<Tool> {
    if !omp_tool::enabled() {
        log.says(Outcome::Disabled);
        return None;
    }
    let Some(address) = initializer::look() else {
        log.says(Outcome::None);
        return None;
    };
    log.asks(address);
    // SAFETY: a function of this name is a tool's initializer, unless the tool is one of OpenMP 5.
    Some(Tool(unsafe { std::mem::transmute::<*const c_void, Initialize>(address) }))
}

impl Tool {
    /// Calls the tool, which registers its callbacks in the call. True if it accepts.
    pub(super) fn initialize(&self, runtime_info: &RuntimeInfo) -> bool {
        // SAFETY: the arguments are those that the report specifies for a tool's initializer.
        unsafe { (self.0)(Some(lookup), runtime_info.runtime.as_ptr(), VERSION) != 0 }
    }
}

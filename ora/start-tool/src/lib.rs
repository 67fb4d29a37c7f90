//! `ompt_start_tool`, by which a runtime with OMPT finds `libora.so` as its tool.
//!
//! A crate of its own, so that it is a member of its own in `libora.a`: a program that is linked with that and has a
//! tool itself has one definition, its own. Nothing refers to this one for the same reason.
#![allow(unsafe_code)] // FFI boundary: a C caller's pointer

use ompt_core::v5::{start_tool_export, types::ompt_start_tool_result_t};
use std::ffi::{c_char, c_uint};

/// Answers a runtime with OMPT that asks for its tool (OpenMP 5.0, 4.2.1): with the library, behind which are the tools
/// that the runtime would have found.
///
/// # Safety
/// `runtime_version` is a C string that stays.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ompt_start_tool(
    omp_version: c_uint,
    runtime_version: *const c_char,
) -> *const ompt_start_tool_result_t {
    // SAFETY: `runtime_version` is a C string that stays (by this function's `# Safety`), which is what
    // `start_tool_export::ask` asks for.
    unsafe { start_tool_export::ask(omp_version, runtime_version) }
}

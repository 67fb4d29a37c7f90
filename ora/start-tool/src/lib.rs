//! `ompt_start_tool`, by which a runtime with OMPT finds `libora.so` as its tool.
//!
//! This is a separate crate, so that it is a separate member of `libora.a`: a program that is linked with that archive
//! and defines a tool itself then has only one definition, its own. For the same reason nothing refers to this one.
#![allow(unsafe_code)] // FFI boundary: a C caller's pointer

use ompt_core::v5::{start_tool_export, types::ompt_start_tool_result_t};
use std::ffi::{c_char, c_uint};

/// Answers a runtime with OMPT that asks for its tool (OpenMP 5.0, 4.2.1) with this library, which passes events on to
/// the tools that the runtime would have found.
///
/// # Safety
/// `runtime_version` is a C string that stays valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ompt_start_tool(
    omp_version: c_uint,
    runtime_version: *const c_char,
) -> *const ompt_start_tool_result_t {
    // SAFETY: `runtime_version` is a C string that stays valid (by this function's `# Safety`), as
    // `start_tool_export::ask` requires.
    unsafe { start_tool_export::ask(omp_version, runtime_version) }
}

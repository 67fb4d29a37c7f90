//! How a tool and a runtime meet (OpenMP 5.0, sections 4.2 and 4.4.1).

use super::ompt_data_t;
use std::ffi::{c_char, c_int};

/// An entry point whose signature has to be put on.
pub type ompt_interface_fn_t = Option<unsafe extern "C-unwind" fn()>;

/// A callback whose signature was taken off.
pub type ompt_callback_t = Option<unsafe extern "C-unwind" fn()>;

/// Finds an entry point by its name; null if there is none of that name.
pub type ompt_function_lookup_t =
    Option<unsafe extern "C-unwind" fn(interface_function_name: *const c_char) -> ompt_interface_fn_t>;

/// The tool's: called before all other callbacks. 0 means that the tool doesn't want to stay.
pub type ompt_initialize_t = Option<
    unsafe extern "C-unwind" fn(
        lookup: ompt_function_lookup_t,
        initial_device_num: c_int,
        tool_data: *mut ompt_data_t,
    ) -> c_int,
>;

/// The tool's: called after all other callbacks.
pub type ompt_finalize_t = Option<unsafe extern "C-unwind" fn(tool_data: *mut ompt_data_t)>;

/// What `ompt_start_tool` returns a pointer to. It lives until `finalize` has been called.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_start_tool_result_t {
    /// Called next.
    pub initialize: ompt_initialize_t,
    /// Called last.
    pub finalize: ompt_finalize_t,
    /// A word of the tool's; both get its address.
    pub tool_data: ompt_data_t,
}
const _: () = assert!(size_of::<ompt_start_tool_result_t>() == 24 && size_of::<ompt_data_t>() == 8);

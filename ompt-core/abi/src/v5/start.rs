//! Start of a tool by its runtime (OpenMP 5.0, 4.2 and 4.4.1).

use super::ompt_data_t;
use std::ffi::{c_char, c_int};

/// Entry point without its signature: to be converted to the type of its name (OpenMP 5.0, 4.6.3).
pub type ompt_interface_fn_t = Option<unsafe extern "C-unwind" fn()>;

/// Callback without its signature: converted from the type of its name (OpenMP 5.0, 4.4.4.1).
pub type ompt_callback_t = Option<unsafe extern "C-unwind" fn()>;

/// Function that finds an entry point by its name; null if there is none of that name (OpenMP 5.0, 4.6.3).
///
/// - `interface_function_name`: name of the entry point, such as `ompt_set_callback`.
pub type ompt_function_lookup_t =
    Option<unsafe extern "C-unwind" fn(interface_function_name: *const c_char) -> ompt_interface_fn_t>;

/// Initializer of the tool, called before all callbacks (OpenMP 5.0, 4.5.1.1). Returns 0 if the tool declines, any
/// other value if it stays.
///
/// - `lookup`: finds the entry points.
/// - `initial_device_num`: number of the initial device (the host).
/// - `tool_data`: the tool's word in its `ompt_start_tool_result_t`.
pub type ompt_initialize_t = Option<
    unsafe extern "C-unwind" fn(
        lookup: ompt_function_lookup_t,
        initial_device_num: c_int,
        tool_data: *mut ompt_data_t,
    ) -> c_int,
>;

/// Finalizer of the tool, called after all callbacks (OpenMP 5.0, 4.5.1.2).
///
/// - `tool_data`: the tool's word in its `ompt_start_tool_result_t`.
pub type ompt_finalize_t = Option<unsafe extern "C-unwind" fn(tool_data: *mut ompt_data_t)>;

/// Result of `ompt_start_tool`, which returns its address (OpenMP 5.0, 4.4.1). Valid until `finalize` has been called.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_start_tool_result_t {
    /// Initializer of the tool, called next.
    pub initialize: ompt_initialize_t,
    /// Finalizer of the tool, called last.
    pub finalize: ompt_finalize_t,
    /// Word of the tool; both functions get its address.
    pub tool_data: ompt_data_t,
}
const _: () = assert!(size_of::<ompt_start_tool_result_t>() == 24 && size_of::<ompt_data_t>() == 8);

//! Signatures of the callbacks about devices (OpenMP 5.0, section 4.5.2). `_emi` ones are 5.1's.

use super::*;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// A device is ready; `lookup` finds the entry points that trace it, and is null if it can't be traced.
pub type ompt_callback_device_initialize_t = Option<
    unsafe extern "C-unwind" fn(
        device_num: c_int,
        r#type: *const c_char,
        device: *mut ompt_device_t,
        lookup: ompt_function_lookup_t,
        documentation: *const c_char,
    ),
>;

/// A device is given up.
pub type ompt_callback_device_finalize_t = Option<unsafe extern "C-unwind" fn(device_num: c_int)>;

/// Code was loaded to a device.
pub type ompt_callback_device_load_t = Option<
    unsafe extern "C-unwind" fn(
        device_num: c_int,
        filename: *const c_char,
        offset_in_file: i64,
        vma_in_file: *mut c_void,
        bytes: usize,
        host_addr: *mut c_void,
        device_addr: *mut c_void,
        module_id: u64,
    ),
>;

/// Code is unloaded from a device.
pub type ompt_callback_device_unload_t = Option<unsafe extern "C-unwind" fn(device_num: c_int, module_id: u64)>;

/// The tool's: gives a buffer for trace records.
pub type ompt_callback_buffer_request_t =
    Option<unsafe extern "C-unwind" fn(device_num: c_int, buffer: *mut *mut ompt_buffer_t, bytes: *mut usize)>;

/// The tool's: takes records, and the buffer back if `buffer_owned` is not 0.
pub type ompt_callback_buffer_complete_t = Option<
    unsafe extern "C-unwind" fn(
        device_num: c_int,
        buffer: *mut ompt_buffer_t,
        bytes: usize,
        begin: ompt_buffer_cursor_t,
        buffer_owned: c_int,
    ),
>;

/// Something is done with a device's memory.
pub type ompt_callback_target_data_op_emi_t = Option<
    unsafe extern "C-unwind" fn(
        endpoint: ompt_scope_endpoint_t,
        target_task_data: *mut ompt_data_t,
        target_data: *mut ompt_data_t,
        host_op_id: *mut ompt_id_t,
        optype: ompt_target_data_op_t,
        src_addr: *mut c_void,
        src_device_num: c_int,
        dest_addr: *mut c_void,
        dest_device_num: c_int,
        bytes: usize,
        codeptr_ra: *const c_void,
    ),
>;

/// Something is done with a device's memory.
pub type ompt_callback_target_data_op_t = Option<
    unsafe extern "C-unwind" fn(
        target_id: ompt_id_t,
        host_op_id: ompt_id_t,
        optype: ompt_target_data_op_t,
        src_addr: *mut c_void,
        src_device_num: c_int,
        dest_addr: *mut c_void,
        dest_device_num: c_int,
        bytes: usize,
        codeptr_ra: *const c_void,
    ),
>;

/// A target construct begins or ends.
pub type ompt_callback_target_emi_t = Option<
    unsafe extern "C-unwind" fn(
        kind: ompt_target_t,
        endpoint: ompt_scope_endpoint_t,
        device_num: c_int,
        task_data: *mut ompt_data_t,
        target_task_data: *mut ompt_data_t,
        target_data: *mut ompt_data_t,
        codeptr_ra: *const c_void,
    ),
>;

/// A target construct begins or ends.
pub type ompt_callback_target_t = Option<
    unsafe extern "C-unwind" fn(
        kind: ompt_target_t,
        endpoint: ompt_scope_endpoint_t,
        device_num: c_int,
        task_data: *mut ompt_data_t,
        target_id: ompt_id_t,
        codeptr_ra: *const c_void,
    ),
>;

/// Data is mapped; `mapping_flags` are `ompt_target_map_flag_t`.
pub type ompt_callback_target_map_emi_t = Option<
    unsafe extern "C-unwind" fn(
        target_data: *mut ompt_data_t,
        nitems: c_uint,
        host_addr: *mut *mut c_void,
        device_addr: *mut *mut c_void,
        bytes: *mut usize,
        mapping_flags: *mut c_uint,
        codeptr_ra: *const c_void,
    ),
>;

/// Data is mapped.
pub type ompt_callback_target_map_t = Option<
    unsafe extern "C-unwind" fn(
        target_id: ompt_id_t,
        nitems: c_uint,
        host_addr: *mut *mut c_void,
        device_addr: *mut *mut c_void,
        bytes: *mut usize,
        mapping_flags: *mut c_uint,
        codeptr_ra: *const c_void,
    ),
>;

/// A kernel is handed to a device.
pub type ompt_callback_target_submit_emi_t = Option<
    unsafe extern "C-unwind" fn(
        endpoint: ompt_scope_endpoint_t,
        target_data: *mut ompt_data_t,
        host_op_id: *mut ompt_id_t,
        requested_num_teams: c_uint,
    ),
>;

/// A kernel is handed to a device.
pub type ompt_callback_target_submit_t =
    Option<unsafe extern "C-unwind" fn(target_id: ompt_id_t, host_op_id: ompt_id_t, requested_num_teams: c_uint)>;

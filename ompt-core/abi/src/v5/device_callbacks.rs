//! Signatures of the callbacks about devices (OpenMP 5.0, 4.5.2). Those with `_emi` are 5.1's.

use super::*;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// A device is initialized (OpenMP 5.0, 4.5.2.19).
///
/// - `device_num`: the device's number.
/// - `type`: the device's type, as a string.
/// - `device`: handle of the device, for the entry points that trace it.
/// - `lookup`: finds those entry points by their names; null if the device can't be traced.
/// - `documentation`: description of the entry points of the device's own tracing, as a string, or null.
pub type ompt_callback_device_initialize_t = Option<
    unsafe extern "C-unwind" fn(
        device_num: c_int,
        r#type: *const c_char,
        device: *mut ompt_device_t,
        lookup: ompt_function_lookup_t,
        documentation: *const c_char,
    ),
>;

/// A device is finalized (OpenMP 5.0, 4.5.2.20).
///
/// - `device_num`: the device's number.
pub type ompt_callback_device_finalize_t = Option<unsafe extern "C-unwind" fn(device_num: c_int)>;

/// Code was loaded to a device (OpenMP 5.0, 4.5.2.21).
///
/// - `device_num`: the device's number.
/// - `filename`: path of the file with the code, or null.
/// - `offset_in_file`: offset of the code in the file, in bytes, or -1.
/// - `vma_in_file`: virtual address of the code in the file, or `ompt_addr_none`.
/// - `bytes`: size of the code, in bytes.
/// - `host_addr`: address of the code on the host, or `ompt_addr_none`.
/// - `device_addr`: address of the code on the device, or `ompt_addr_none`.
/// - `module_id`: identifier of the code object.
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

/// Code will be unloaded from a device (OpenMP 5.0, 4.5.2.22).
///
/// - `device_num`: the device's number.
/// - `module_id`: identifier of the code object.
pub type ompt_callback_device_unload_t = Option<unsafe extern "C-unwind" fn(device_num: c_int, module_id: u64)>;

/// Function of the tool that provides a buffer for trace records (OpenMP 5.0, 4.5.2.23).
///
/// - `device_num`: the device's number.
/// - `buffer`: to be set to the buffer's address, or to null if there is none.
/// - `bytes`: to be set to the buffer's size, in bytes.
pub type ompt_callback_buffer_request_t =
    Option<unsafe extern "C-unwind" fn(device_num: c_int, buffer: *mut *mut ompt_buffer_t, bytes: *mut usize)>;

/// Function of the tool that receives trace records (OpenMP 5.0, 4.5.2.24).
///
/// - `device_num`: the device's number.
/// - `buffer`: the buffer with the records.
/// - `bytes`: size of the records, in bytes.
/// - `begin`: position of the first record.
/// - `buffer_owned`: not 0 if the tool owns the buffer again.
pub type ompt_callback_buffer_complete_t = Option<
    unsafe extern "C-unwind" fn(
        device_num: c_int,
        buffer: *mut ompt_buffer_t,
        bytes: usize,
        begin: ompt_buffer_cursor_t,
        buffer_owned: c_int,
    ),
>;

/// An operation on a device's memory begins or ends (OpenMP 5.1, 4.5.2.25).
///
/// - `endpoint`: begin or end.
/// - `target_task_data`: data word of the target task.
/// - `target_data`: data word of the target region.
/// - `host_op_id`: identifier of the operation, for the tool to write.
/// - `optype`: kind of the operation.
/// - `src_addr`, `src_device_num`: address of the source, and number of its device.
/// - `dest_addr`, `dest_device_num`: address of the destination, and number of its device.
/// - `bytes`: size of the data, in bytes.
/// - `codeptr_ra`: return address of the program's call of the runtime, or null.
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

/// An operation on a device's memory (OpenMP 5.0, 4.5.2.25).
///
/// - `target_id`: identifier of the target region.
/// - `host_op_id`: identifier of the operation.
/// - `optype`: kind of the operation.
/// - `src_addr`, `src_device_num`: address of the source, and number of its device.
/// - `dest_addr`, `dest_device_num`: address of the destination, and number of its device.
/// - `bytes`: size of the data, in bytes.
/// - `codeptr_ra`: return address of the program's call of the runtime, or null.
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

/// A target construct begins or ends (OpenMP 5.1, 4.5.2.26).
///
/// - `kind`: kind of the construct.
/// - `endpoint`: begin or end.
/// - `device_num`: number of the device that executes the region.
/// - `task_data`: data word of the task that encountered the construct.
/// - `target_task_data`: data word of the target task.
/// - `target_data`: data word of the target region.
/// - `codeptr_ra`: return address of the program's call of the runtime, or null.
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

/// A target construct begins or ends (OpenMP 5.0, 4.5.2.26).
///
/// - `kind`: kind of the construct.
/// - `endpoint`: begin or end.
/// - `device_num`: number of the device that executes the region.
/// - `task_data`: data word of the task that encountered the construct.
/// - `target_id`: identifier of the target region.
/// - `codeptr_ra`: return address of the program's call of the runtime, or null.
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

/// Data is mapped to a device (OpenMP 5.1, 4.5.2.27).
///
/// - `target_data`: data word of the target region.
/// - `nitems`: number of the mapped items; each array has as many elements.
/// - `host_addr`, `device_addr`: addresses of the items on the host and on the device.
/// - `bytes`: sizes of the items, in bytes.
/// - `mapping_flags`: an `ompt_target_map_flag_t` of each item, or-ed together.
/// - `codeptr_ra`: return address of the program's call of the runtime, or null.
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

/// Data is mapped to a device (OpenMP 5.0, 4.5.2.27).
///
/// - `target_id`: identifier of the target region.
/// - `nitems`: number of the mapped items; each array has as many elements.
/// - `host_addr`, `device_addr`: addresses of the items on the host and on the device.
/// - `bytes`: sizes of the items, in bytes.
/// - `mapping_flags`: an `ompt_target_map_flag_t` of each item, or-ed together.
/// - `codeptr_ra`: return address of the program's call of the runtime, or null.
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

/// The submission of a kernel to a device begins or ends (OpenMP 5.1, 4.5.2.28).
///
/// - `endpoint`: begin or end of the submission.
/// - `target_data`: data word of the target region.
/// - `host_op_id`: identifier of the operation, for the tool to write.
/// - `requested_num_teams`: number of teams that the kernel requests.
pub type ompt_callback_target_submit_emi_t = Option<
    unsafe extern "C-unwind" fn(
        endpoint: ompt_scope_endpoint_t,
        target_data: *mut ompt_data_t,
        host_op_id: *mut ompt_id_t,
        requested_num_teams: c_uint,
    ),
>;

/// A kernel is submitted to a device (OpenMP 5.0, 4.5.2.28).
///
/// - `target_id`: identifier of the target region.
/// - `host_op_id`: identifier of the operation.
/// - `requested_num_teams`: number of teams that the kernel requests.
pub type ompt_callback_target_submit_t =
    Option<unsafe extern "C-unwind" fn(target_id: ompt_id_t, host_op_id: ompt_id_t, requested_num_teams: c_uint)>;

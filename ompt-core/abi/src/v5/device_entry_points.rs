//! Signatures of the entry points that a device's `lookup` finds (OpenMP 5.0, 4.6.2): tracing of devices.

use super::*;
use std::ffi::{c_int, c_uint, c_void};

/// Entry point: the number of processors of the device (OpenMP 5.0, 4.6.2.1).
pub type ompt_get_device_num_procs_t = Option<unsafe extern "C-unwind" fn(device: *mut ompt_device_t) -> c_int>;

/// Entry point: the current time on the device, in the device's own unit (OpenMP 5.0, 4.6.2.2).
pub type ompt_get_device_time_t = Option<unsafe extern "C-unwind" fn(device: *mut ompt_device_t) -> ompt_device_time_t>;

/// Entry point: converts a time of the device to seconds, as `omp_get_wtime` returns them (OpenMP 5.0, 4.6.2.3).
pub type ompt_translate_time_t =
    Option<unsafe extern "C-unwind" fn(device: *mut ompt_device_t, time: ompt_device_time_t) -> f64>;

/// Entry point: enables or disables the tracing of OMPT events (OpenMP 5.0, 4.6.2.4).
///
/// - `enable`: 0 disables, any other value enables.
/// - `etype`: an `ompt_callbacks_t`; 0: all.
pub type ompt_set_trace_ompt_t =
    Option<unsafe extern "C-unwind" fn(device: *mut ompt_device_t, enable: c_uint, etype: c_uint) -> ompt_set_result_t>;

/// Entry point: enables or disables the device's own tracing (OpenMP 5.0, 4.6.2.5).
///
/// - `enable`: 0 disables, any other value enables.
/// - `flags`: an `ompt_native_mon_flag_t` of each kind of event, or-ed together.
pub type ompt_set_trace_native_t =
    Option<unsafe extern "C-unwind" fn(device: *mut ompt_device_t, enable: c_int, flags: c_int) -> ompt_set_result_t>;

/// Entry point: starts the trace; 0 on failure (OpenMP 5.0, 4.6.2.6).
///
/// - `request`: function of the tool that provides a buffer.
/// - `complete`: function of the tool that receives records.
pub type ompt_start_trace_t = Option<
    unsafe extern "C-unwind" fn(
        device: *mut ompt_device_t,
        request: ompt_callback_buffer_request_t,
        complete: ompt_callback_buffer_complete_t,
    ) -> c_int,
>;

/// Entry point: pauses or resumes the trace; 0 on failure (OpenMP 5.0, 4.6.2.7).
///
/// - `begin_pause`: 0 resumes, any other value pauses.
pub type ompt_pause_trace_t =
    Option<unsafe extern "C-unwind" fn(device: *mut ompt_device_t, begin_pause: c_int) -> c_int>;

/// Entry point: passes all pending records to the tool; 0 on failure (OpenMP 5.0, 4.6.2.8).
pub type ompt_flush_trace_t = Option<unsafe extern "C-unwind" fn(device: *mut ompt_device_t) -> c_int>;

/// Entry point: stops the trace, after all pending records; 0 on failure (OpenMP 5.0, 4.6.2.9).
pub type ompt_stop_trace_t = Option<unsafe extern "C-unwind" fn(device: *mut ompt_device_t) -> c_int>;

/// Entry point: the position of the next record of a buffer; 0 if there is none (OpenMP 5.0, 4.6.2.10).
///
/// - `size`: size of the buffer, in bytes.
/// - `current`: position of a record.
/// - `next`: to be set to the position of the next record.
pub type ompt_advance_buffer_cursor_t = Option<
    unsafe extern "C-unwind" fn(
        device: *mut ompt_device_t,
        buffer: *mut ompt_buffer_t,
        size: usize,
        current: ompt_buffer_cursor_t,
        next: *mut ompt_buffer_cursor_t,
    ) -> c_int,
>;

/// Entry point: the type of the record at a position (OpenMP 5.0, 4.6.2.11).
pub type ompt_get_record_type_t =
    Option<unsafe extern "C-unwind" fn(buffer: *mut ompt_buffer_t, current: ompt_buffer_cursor_t) -> ompt_record_t>;

/// Entry point: the OMPT record at a position (OpenMP 5.0, 4.6.2.12).
pub type ompt_get_record_ompt_t = Option<
    unsafe extern "C-unwind" fn(buffer: *mut ompt_buffer_t, current: ompt_buffer_cursor_t) -> *mut ompt_record_ompt_t,
>;

/// Entry point: the record of the device's own at a position (OpenMP 5.0, 4.6.2.13).
///
/// - `host_op_id`: to be set to the identifier of the operation that the record is about.
pub type ompt_get_record_native_t = Option<
    unsafe extern "C-unwind" fn(
        buffer: *mut ompt_buffer_t,
        current: ompt_buffer_cursor_t,
        host_op_id: *mut ompt_id_t,
    ) -> *mut c_void,
>;

/// Entry point: the part that all of the device's own records share; null if this one has none (OpenMP 5.0, 4.6.2.14).
pub type ompt_get_record_abstract_t =
    Option<unsafe extern "C-unwind" fn(native_record: *mut c_void) -> *mut ompt_record_abstract_t>;

//! Signatures of what a device's `lookup` finds (OpenMP 5.0, section 4.6.2): tracing of devices.

use super::*;
use std::ffi::{c_int, c_uint, c_void};

/// How many processors the device has.
pub type ompt_get_device_num_procs_t = Option<unsafe extern "C-unwind" fn(device: *mut ompt_device_t) -> c_int>;

/// The time on the device.
pub type ompt_get_device_time_t = Option<unsafe extern "C-unwind" fn(device: *mut ompt_device_t) -> ompt_device_time_t>;

/// A time of the device's as `omp_get_wtime` would have told it.
pub type ompt_translate_time_t =
    Option<unsafe extern "C-unwind" fn(device: *mut ompt_device_t, time: ompt_device_time_t) -> f64>;

/// Turns the recording of a kind of event on or off.
pub type ompt_set_trace_ompt_t =
    Option<unsafe extern "C-unwind" fn(device: *mut ompt_device_t, enable: c_uint, etype: c_uint) -> ompt_set_result_t>;

/// Turns the device's own tracing on or off; `flags` are `ompt_native_mon_flag_t`.
pub type ompt_set_trace_native_t =
    Option<unsafe extern "C-unwind" fn(device: *mut ompt_device_t, enable: c_int, flags: c_int) -> ompt_set_result_t>;

/// Starts the trace.
pub type ompt_start_trace_t = Option<
    unsafe extern "C-unwind" fn(
        device: *mut ompt_device_t,
        request: ompt_callback_buffer_request_t,
        complete: ompt_callback_buffer_complete_t,
    ) -> c_int,
>;

/// Lets the trace pause, or go on.
pub type ompt_pause_trace_t =
    Option<unsafe extern "C-unwind" fn(device: *mut ompt_device_t, begin_pause: c_int) -> c_int>;

/// Hands out all records.
pub type ompt_flush_trace_t = Option<unsafe extern "C-unwind" fn(device: *mut ompt_device_t) -> c_int>;

/// Ends the trace.
pub type ompt_stop_trace_t = Option<unsafe extern "C-unwind" fn(device: *mut ompt_device_t) -> c_int>;

/// Goes on to the next record of a buffer.
pub type ompt_advance_buffer_cursor_t = Option<
    unsafe extern "C-unwind" fn(
        device: *mut ompt_device_t,
        buffer: *mut ompt_buffer_t,
        size: usize,
        current: ompt_buffer_cursor_t,
        next: *mut ompt_buffer_cursor_t,
    ) -> c_int,
>;

/// Who wrote a record.
pub type ompt_get_record_type_t =
    Option<unsafe extern "C-unwind" fn(buffer: *mut ompt_buffer_t, current: ompt_buffer_cursor_t) -> ompt_record_t>;

/// A record of OMPT's.
pub type ompt_get_record_ompt_t = Option<
    unsafe extern "C-unwind" fn(buffer: *mut ompt_buffer_t, current: ompt_buffer_cursor_t) -> *mut ompt_record_ompt_t,
>;

/// A record of the device's own.
pub type ompt_get_record_native_t = Option<
    unsafe extern "C-unwind" fn(
        buffer: *mut ompt_buffer_t,
        current: ompt_buffer_cursor_t,
        host_op_id: *mut ompt_id_t,
    ) -> *mut c_void,
>;

/// What every record of the device's own has; null if this one hasn't.
pub type ompt_get_record_abstract_t =
    Option<unsafe extern "C-unwind" fn(native_record: *mut c_void) -> *mut ompt_record_abstract_t>;

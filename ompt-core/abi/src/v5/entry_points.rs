//! Signatures of what the tool's `lookup` finds (OpenMP 5.0, section 4.6.1).

use super::*;
use std::ffi::{c_char, c_int, c_void};

/// The state that comes after `current_state`, and its name; returns 0 after the last one.
pub type ompt_enumerate_states_t = Option<
    unsafe extern "C-unwind" fn(
        current_state: c_int,
        next_state: *mut c_int,
        next_state_name: *mut *const c_char,
    ) -> c_int,
>;

/// The mutex implementation that comes after `current_impl`, and its name; returns 0 after the last one.
pub type ompt_enumerate_mutex_impls_t = Option<
    unsafe extern "C-unwind" fn(
        current_impl: c_int,
        next_impl: *mut c_int,
        next_impl_name: *mut *const c_char,
    ) -> c_int,
>;

/// Registers a callback; null takes it back.
pub type ompt_set_callback_t =
    Option<unsafe extern "C-unwind" fn(event: ompt_callbacks_t, callback: ompt_callback_t) -> ompt_set_result_t>;

/// The callback that is registered; returns 0 if there is none.
pub type ompt_get_callback_t =
    Option<unsafe extern "C-unwind" fn(event: ompt_callbacks_t, callback: *mut ompt_callback_t) -> c_int>;

/// The calling thread's word; null if it is no thread of OpenMP's. Async-signal-safe.
pub type ompt_get_thread_data_t = Option<unsafe extern "C-unwind" fn() -> *mut ompt_data_t>;

/// How many processors there are for the program. Async-signal-safe.
pub type ompt_get_num_procs_t = Option<unsafe extern "C-unwind" fn() -> c_int>;

/// How many places there are. Async-signal-safe.
pub type ompt_get_num_places_t = Option<unsafe extern "C-unwind" fn() -> c_int>;

/// How many processors a place has, and which if they fit. Async-signal-safe.
pub type ompt_get_place_proc_ids_t =
    Option<unsafe extern "C-unwind" fn(place_num: c_int, ids_size: c_int, ids: *mut c_int) -> c_int>;

/// The place that the calling thread is bound to, or -1. Async-signal-safe.
pub type ompt_get_place_num_t = Option<unsafe extern "C-unwind" fn() -> c_int>;

/// How many places the innermost implicit task's partition has, and which if they fit. Async-signal-safe.
pub type ompt_get_partition_place_nums_t =
    Option<unsafe extern "C-unwind" fn(place_nums_size: c_int, place_nums: *mut c_int) -> c_int>;

/// The processor that the calling thread runs on, or a negative number. Async-signal-safe.
pub type ompt_get_proc_id_t = Option<unsafe extern "C-unwind" fn() -> c_int>;

/// The calling thread's state, and what it waits for. Async-signal-safe.
pub type ompt_get_state_t = Option<unsafe extern "C-unwind" fn(wait_id: *mut ompt_wait_id_t) -> c_int>;

/// A parallel region around the caller, 0 the innermost: 2 if all is known, 1 if there is one of which nothing is known
/// now, 0 if there is none. Async-signal-safe.
pub type ompt_get_parallel_info_t = Option<
    unsafe extern "C-unwind" fn(
        ancestor_level: c_int,
        parallel_data: *mut *mut ompt_data_t,
        team_size: *mut c_int,
    ) -> c_int,
>;

/// A task on the calling thread's stack, 0 the one that runs; answers as `ompt_get_parallel_info_t`. Async-signal-safe.
pub type ompt_get_task_info_t = Option<
    unsafe extern "C-unwind" fn(
        ancestor_level: c_int,
        flags: *mut c_int,
        task_data: *mut *mut ompt_data_t,
        task_frame: *mut *mut ompt_frame_t,
        parallel_data: *mut *mut ompt_data_t,
        thread_num: *mut c_int,
    ) -> c_int,
>;

/// The memory that holds the running task's data, block for block; returns 0 after the last one. Async-signal-safe.
pub type ompt_get_task_memory_t =
    Option<unsafe extern "C-unwind" fn(addr: *mut *mut c_void, size: *mut usize, block: c_int) -> c_int>;

/// The target region that the calling thread executes; returns 0 if there is none. Async-signal-safe.
pub type ompt_get_target_info_t = Option<
    unsafe extern "C-unwind" fn(device_num: *mut u64, target_id: *mut ompt_id_t, host_op_id: *mut ompt_id_t) -> c_int,
>;

/// How many devices there are. Async-signal-safe.
pub type ompt_get_num_devices_t = Option<unsafe extern "C-unwind" fn() -> c_int>;

/// A number that was never given out before. Async-signal-safe.
pub type ompt_get_unique_id_t = Option<unsafe extern "C-unwind" fn() -> u64>;

/// The tool has had enough: its finalizer is called, and no callback after it.
pub type ompt_finalize_tool_t = Option<unsafe extern "C-unwind" fn()>;

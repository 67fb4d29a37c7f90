//! Signatures of the entry points that the tool's `lookup` finds (OpenMP 5.0, 4.6.1).

use super::*;
use std::ffi::{c_char, c_int, c_void};

/// Entry point: the thread state after another one; 1, or 0 after the last one (OpenMP 5.0, 4.6.1.1).
///
/// - `current_state`: an `ompt_state_t`; `ompt_state_undefined` starts the enumeration.
/// - `next_state`: to be set to the state.
/// - `next_state_name`: to be set to the state's name, which stays valid.
pub type ompt_enumerate_states_t = Option<
    unsafe extern "C-unwind" fn(
        current_state: c_int,
        next_state: *mut c_int,
        next_state_name: *mut *const c_char,
    ) -> c_int,
>;

/// Entry point: the mutex implementation after another one; 1, or 0 after the last one (OpenMP 5.0, 4.6.1.2).
///
/// - `current_impl`: an implementation's number; `ompt_mutex_impl_none` starts the enumeration.
/// - `next_impl`: to be set to the implementation's number.
/// - `next_impl_name`: to be set to the implementation's name, which stays valid.
pub type ompt_enumerate_mutex_impls_t = Option<
    unsafe extern "C-unwind" fn(
        current_impl: c_int,
        next_impl: *mut c_int,
        next_impl_name: *mut *const c_char,
    ) -> c_int,
>;

/// Entry point: registers a callback (OpenMP 5.0, 4.6.1.3). Not async-signal-safe.
///
/// - `event`: the callback's number.
/// - `callback`: the tool's function, converted from its own type; null removes the registration.
pub type ompt_set_callback_t =
    Option<unsafe extern "C-unwind" fn(event: ompt_callbacks_t, callback: ompt_callback_t) -> ompt_set_result_t>;

/// Entry point: the registered callback; 1, or 0 if there is none (OpenMP 5.0, 4.6.1.4).
///
/// - `event`: the callback's number.
/// - `callback`: to be set to the tool's function.
pub type ompt_get_callback_t =
    Option<unsafe extern "C-unwind" fn(event: ompt_callbacks_t, callback: *mut ompt_callback_t) -> c_int>;

/// Entry point: the calling thread's data word; null if it is not an OpenMP thread (OpenMP 5.0, 4.6.1.5).
/// Async-signal-safe.
pub type ompt_get_thread_data_t = Option<unsafe extern "C-unwind" fn() -> *mut ompt_data_t>;

/// Entry point: the number of processors that are available to the program (OpenMP 5.0, 4.6.1.6). Async-signal-safe.
pub type ompt_get_num_procs_t = Option<unsafe extern "C-unwind" fn() -> c_int>;

/// Entry point: the number of places (OpenMP 5.0, 4.6.1.7). Async-signal-safe.
pub type ompt_get_num_places_t = Option<unsafe extern "C-unwind" fn() -> c_int>;

/// Entry point: the number of processors of a place (OpenMP 5.0, 4.6.1.8). Async-signal-safe.
///
/// - `place_num`: the place, from 0.
/// - `ids_size`: number of elements of `ids`.
/// - `ids`: to be set to the processors' numbers; left alone if `ids_size` is too small.
pub type ompt_get_place_proc_ids_t =
    Option<unsafe extern "C-unwind" fn(place_num: c_int, ids_size: c_int, ids: *mut c_int) -> c_int>;

/// Entry point: the place that the calling thread is bound to, or -1 (OpenMP 5.0, 4.6.1.9). Async-signal-safe.
pub type ompt_get_place_num_t = Option<unsafe extern "C-unwind" fn() -> c_int>;

/// Entry point: the number of places in the partition of the innermost implicit task (OpenMP 5.0, 4.6.1.10).
/// Async-signal-safe.
///
/// - `place_nums_size`: number of elements of `place_nums`.
/// - `place_nums`: to be set to the places' numbers; left alone if `place_nums_size` is too small.
pub type ompt_get_partition_place_nums_t =
    Option<unsafe extern "C-unwind" fn(place_nums_size: c_int, place_nums: *mut c_int) -> c_int>;

/// Entry point: the processor that the calling thread runs on, or a negative number (OpenMP 5.0, 4.6.1.11).
/// Async-signal-safe.
pub type ompt_get_proc_id_t = Option<unsafe extern "C-unwind" fn() -> c_int>;

/// Entry point: the calling thread's state, an `ompt_state_t` (OpenMP 5.0, 4.6.1.12). Async-signal-safe.
///
/// - `wait_id`: to be set to the identifier of the wait, `ompt_wait_id_none` if there is none; may be null.
pub type ompt_get_state_t = Option<unsafe extern "C-unwind" fn(wait_id: *mut ompt_wait_id_t) -> c_int>;

/// Entry point: a parallel region around the calling thread's task; 2 if the result is complete, 1 if there is a region
/// of which nothing is known now, 0 if there is none (OpenMP 5.0, 4.6.1.13). Async-signal-safe.
///
/// - `ancestor_level`: 0 for the innermost region.
/// - `parallel_data`: to be set to the region's data word; may be null.
/// - `team_size`: to be set to the number of threads in the team; may be null.
pub type ompt_get_parallel_info_t = Option<
    unsafe extern "C-unwind" fn(
        ancestor_level: c_int,
        parallel_data: *mut *mut ompt_data_t,
        team_size: *mut c_int,
    ) -> c_int,
>;

/// Entry point: a task around the calling thread; 2 if the result is complete, 1 if there is a task of which nothing is
/// known now, 0 if there is none (OpenMP 5.0, 4.6.1.14). Async-signal-safe. Each pointer may be null.
///
/// - `ancestor_level`: 0 for the task that the thread executes.
/// - `flags`: to be set to the task's `ompt_task_flag_t`, or-ed together.
/// - `task_data`: to be set to the task's data word.
/// - `task_frame`: to be set to the task's frames.
/// - `parallel_data`: to be set to the data word of the task's parallel region.
/// - `thread_num`: to be set to the number that the task's thread has in its team.
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

/// Entry point: a block of memory with the data of the task that the thread executes; 1 if there are more blocks, else
/// 0 (OpenMP 5.0, 4.6.1.15). Async-signal-safe.
///
/// - `addr`: to be set to the block's address, null if there is none.
/// - `size`: to be set to the block's size, in bytes.
/// - `block`: number of the block, from 0.
pub type ompt_get_task_memory_t =
    Option<unsafe extern "C-unwind" fn(addr: *mut *mut c_void, size: *mut usize, block: c_int) -> c_int>;

/// Entry point: the target region that the calling thread executes; 1, or 0 if there is none (OpenMP 5.0, 4.6.1.16).
/// Async-signal-safe.
///
/// - `device_num`: to be set to the number of the device; may be null.
/// - `target_id`: to be set to the identifier of the region; may be null.
/// - `host_op_id`: to be set to the identifier of the operation, 0 if there is none; may be null.
pub type ompt_get_target_info_t = Option<
    unsafe extern "C-unwind" fn(device_num: *mut u64, target_id: *mut ompt_id_t, host_op_id: *mut ompt_id_t) -> c_int,
>;

/// Entry point: the number of devices (OpenMP 5.0, 4.6.1.17). Async-signal-safe.
pub type ompt_get_num_devices_t = Option<unsafe extern "C-unwind" fn() -> c_int>;

/// Entry point: a number that was never returned before (OpenMP 5.0, 4.6.1.18). Async-signal-safe.
pub type ompt_get_unique_id_t = Option<unsafe extern "C-unwind" fn() -> u64>;

/// Entry point: detaches the tool. Its finalizer is called, and no callback after it (OpenMP 5.0, 4.6.1.19). Not
/// async-signal-safe.
pub type ompt_finalize_tool_t = Option<unsafe extern "C-unwind" fn()>;

//! Signatures of the callbacks about what happens on the host (OpenMP 5.0, section 4.5.2).
//!
//! `codeptr_ra` is the address that the call into the runtime returns to, or null.

use super::*;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// A thread begins.
pub type ompt_callback_thread_begin_t =
    Option<unsafe extern "C-unwind" fn(thread_type: ompt_thread_t, thread_data: *mut ompt_data_t)>;

/// A thread ends.
pub type ompt_callback_thread_end_t = Option<unsafe extern "C-unwind" fn(thread_data: *mut ompt_data_t)>;

/// A parallel or teams region begins; `flags` are `ompt_parallel_flag_t`.
pub type ompt_callback_parallel_begin_t = Option<
    unsafe extern "C-unwind" fn(
        encountering_task_data: *mut ompt_data_t,
        encountering_task_frame: *const ompt_frame_t,
        parallel_data: *mut ompt_data_t,
        requested_parallelism: c_uint,
        flags: c_int,
        codeptr_ra: *const c_void,
    ),
>;

/// The region ends.
pub type ompt_callback_parallel_end_t = Option<
    unsafe extern "C-unwind" fn(
        parallel_data: *mut ompt_data_t,
        encountering_task_data: *mut ompt_data_t,
        flags: c_int,
        codeptr_ra: *const c_void,
    ),
>;

/// A work-sharing region begins or ends; `count` says how much there is to do.
pub type ompt_callback_work_t = Option<
    unsafe extern "C-unwind" fn(
        work_type: ompt_work_t,
        endpoint: ompt_scope_endpoint_t,
        parallel_data: *mut ompt_data_t,
        task_data: *mut ompt_data_t,
        count: u64,
        codeptr_ra: *const c_void,
    ),
>;

/// A thread was given a piece of work.
pub type ompt_callback_dispatch_t = Option<
    unsafe extern "C-unwind" fn(
        parallel_data: *mut ompt_data_t,
        task_data: *mut ompt_data_t,
        kind: ompt_dispatch_t,
        instance: ompt_data_t,
    ),
>;

/// A task is created; `flags` are `ompt_task_flag_t`.
pub type ompt_callback_task_create_t = Option<
    unsafe extern "C-unwind" fn(
        encountering_task_data: *mut ompt_data_t,
        encountering_task_frame: *const ompt_frame_t,
        new_task_data: *mut ompt_data_t,
        flags: c_int,
        has_dependences: c_int,
        codeptr_ra: *const c_void,
    ),
>;

/// The dependences of a new task, or of an iteration of a doacross loop.
pub type ompt_callback_dependences_t =
    Option<unsafe extern "C-unwind" fn(task_data: *mut ompt_data_t, deps: *const ompt_dependence_t, ndeps: c_int)>;

/// The second task can't start before the first one is complete.
pub type ompt_callback_task_dependence_t =
    Option<unsafe extern "C-unwind" fn(src_task_data: *mut ompt_data_t, sink_task_data: *mut ompt_data_t)>;

/// A thread leaves one task for another; the second one is null where none follows.
pub type ompt_callback_task_schedule_t = Option<
    unsafe extern "C-unwind" fn(
        prior_task_data: *mut ompt_data_t,
        prior_task_status: ompt_task_status_t,
        next_task_data: *mut ompt_data_t,
    ),
>;

/// An implicit or initial task begins or ends; at the end `parallel_data` may be null.
pub type ompt_callback_implicit_task_t = Option<
    unsafe extern "C-unwind" fn(
        endpoint: ompt_scope_endpoint_t,
        parallel_data: *mut ompt_data_t,
        task_data: *mut ompt_data_t,
        actual_parallelism: c_uint,
        index: c_uint,
        flags: c_int,
    ),
>;

/// 5.1: a masked region begins or ends.
pub type ompt_callback_masked_t = Option<
    unsafe extern "C-unwind" fn(
        endpoint: ompt_scope_endpoint_t,
        parallel_data: *mut ompt_data_t,
        task_data: *mut ompt_data_t,
        codeptr_ra: *const c_void,
    ),
>;

/// 5.0's name of the same.
pub type ompt_callback_master_t = ompt_callback_masked_t;

/// A sync region, or a wait in one, begins or ends.
pub type ompt_callback_sync_region_t = Option<
    unsafe extern "C-unwind" fn(
        kind: ompt_sync_region_t,
        endpoint: ompt_scope_endpoint_t,
        parallel_data: *mut ompt_data_t,
        task_data: *mut ompt_data_t,
        codeptr_ra: *const c_void,
    ),
>;

/// A thread wants a mutex, or a lock is initialized. `hint` is the program's, `impl` one of `ompt_mutex_impl_*`.
pub type ompt_callback_mutex_acquire_t = Option<
    unsafe extern "C-unwind" fn(
        kind: ompt_mutex_t,
        hint: c_uint,
        r#impl: c_uint,
        wait_id: ompt_wait_id_t,
        codeptr_ra: *const c_void,
    ),
>;

/// A mutex was acquired or released, or a lock is destroyed.
pub type ompt_callback_mutex_t =
    Option<unsafe extern "C-unwind" fn(kind: ompt_mutex_t, wait_id: ompt_wait_id_t, codeptr_ra: *const c_void)>;

/// The owner of a nestable lock has set it once more (begin), or unset it and still owns it (end).
pub type ompt_callback_nest_lock_t = Option<
    unsafe extern "C-unwind" fn(endpoint: ompt_scope_endpoint_t, wait_id: ompt_wait_id_t, codeptr_ra: *const c_void),
>;

/// A flush was executed.
pub type ompt_callback_flush_t =
    Option<unsafe extern "C-unwind" fn(thread_data: *mut ompt_data_t, codeptr_ra: *const c_void)>;

/// A region is cancelled; `flags` are `ompt_cancel_flag_t`.
pub type ompt_callback_cancel_t =
    Option<unsafe extern "C-unwind" fn(task_data: *mut ompt_data_t, flags: c_int, codeptr_ra: *const c_void)>;

/// The program has called `omp_control_tool`, which returns what the callback returns.
pub type ompt_callback_control_tool_t = Option<
    unsafe extern "C-unwind" fn(command: u64, modifier: u64, arg: *mut c_void, codeptr_ra: *const c_void) -> c_int,
>;

/// 5.1: the program has executed an error directive.
pub type ompt_callback_error_t = Option<
    unsafe extern "C-unwind" fn(
        severity: ompt_severity_t,
        message: *const c_char,
        length: usize,
        codeptr_ra: *const c_void,
    ),
>;

//! Signatures of the callbacks about events on the host (OpenMP 5.0, 4.5.2).

use super::*;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// A thread begins (OpenMP 5.0, 4.5.2.1).
///
/// - `thread_type`: kind of the thread.
/// - `thread_data`: data word of the thread.
pub type ompt_callback_thread_begin_t =
    Option<unsafe extern "C-unwind" fn(thread_type: ompt_thread_t, thread_data: *mut ompt_data_t)>;

/// A thread ends (OpenMP 5.0, 4.5.2.2).
///
/// - `thread_data`: data word of the thread.
pub type ompt_callback_thread_end_t = Option<unsafe extern "C-unwind" fn(thread_data: *mut ompt_data_t)>;

/// A parallel or teams region begins (OpenMP 5.0, 4.5.2.3).
///
/// - `encountering_task_data`: data word of the task that encountered the construct.
/// - `encountering_task_frame`: frames of that task.
/// - `parallel_data`: data word of the region.
/// - `requested_parallelism`: number of threads, or of teams, that the construct requests.
/// - `flags`: an `ompt_parallel_flag_t` of each kind, or-ed together.
/// - `codeptr_ra`: return address of the program's call of the runtime, or null.
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

/// A parallel or teams region ends (OpenMP 5.0, 4.5.2.4).
///
/// - `parallel_data`: data word of the region.
/// - `encountering_task_data`: data word of the task that encountered the construct.
/// - `flags`: an `ompt_parallel_flag_t` of each kind, or-ed together.
/// - `codeptr_ra`: return address of the program's call of the runtime, or null.
pub type ompt_callback_parallel_end_t = Option<
    unsafe extern "C-unwind" fn(
        parallel_data: *mut ompt_data_t,
        encountering_task_data: *mut ompt_data_t,
        flags: c_int,
        codeptr_ra: *const c_void,
    ),
>;

/// A work-sharing region begins or ends (OpenMP 5.0, 4.5.2.5).
///
/// - `work_type`: kind of the region.
/// - `endpoint`: begin or end.
/// - `parallel_data`: data word of the parallel region.
/// - `task_data`: data word of the task that executes the region.
/// - `count`: number of iterations or sections; 1 for a single region.
/// - `codeptr_ra`: return address of the program's call of the runtime, or null.
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

/// A thread has got a share of a work-sharing region (OpenMP 5.0, 4.5.2.6).
///
/// - `parallel_data`: data word of the parallel region.
/// - `task_data`: data word of the task that executes the share.
/// - `kind`: kind of the share.
/// - `instance`: the share itself, as described at each kind.
pub type ompt_callback_dispatch_t = Option<
    unsafe extern "C-unwind" fn(
        parallel_data: *mut ompt_data_t,
        task_data: *mut ompt_data_t,
        kind: ompt_dispatch_t,
        instance: ompt_data_t,
    ),
>;

/// A task is created (OpenMP 5.0, 4.5.2.7).
///
/// - `encountering_task_data`: data word of the task that encountered the construct.
/// - `encountering_task_frame`: frames of that task.
/// - `new_task_data`: data word of the new task.
/// - `flags`: the new task's `ompt_task_flag_t`, or-ed together.
/// - `has_dependences`: 1 if the new task has dependences, else 0.
/// - `codeptr_ra`: return address of the program's call of the runtime, or null.
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

/// A new task, or an iteration of a doacross loop, has dependences (OpenMP 5.0, 4.5.2.8).
///
/// - `task_data`: data word of the task.
/// - `deps`: the dependences, valid during the call.
/// - `ndeps`: number of dependences.
pub type ompt_callback_dependences_t =
    Option<unsafe extern "C-unwind" fn(task_data: *mut ompt_data_t, deps: *const ompt_dependence_t, ndeps: c_int)>;

/// A task depends on another one that is not complete (OpenMP 5.0, 4.5.2.9).
///
/// - `src_task_data`: data word of the predecessor.
/// - `sink_task_data`: data word of the task that has to wait for it.
pub type ompt_callback_task_dependence_t =
    Option<unsafe extern "C-unwind" fn(src_task_data: *mut ompt_data_t, sink_task_data: *mut ompt_data_t)>;

/// A thread switches from one task to another, or the status of a task changes (OpenMP 5.0, 4.5.2.10).
///
/// - `prior_task_data`: data word of the task that the thread leaves.
/// - `prior_task_status`: reason for which the thread leaves the task.
/// - `next_task_data`: data word of the task that the thread executes from now on; null if none follows.
pub type ompt_callback_task_schedule_t = Option<
    unsafe extern "C-unwind" fn(
        prior_task_data: *mut ompt_data_t,
        prior_task_status: ompt_task_status_t,
        next_task_data: *mut ompt_data_t,
    ),
>;

/// An implicit or initial task begins or ends (OpenMP 5.0, 4.5.2.11).
///
/// - `endpoint`: begin or end.
/// - `parallel_data`: data word of the parallel region; may be null at the end.
/// - `task_data`: data word of the task.
/// - `actual_parallelism`: number of threads in the team, or of teams in the league; at the end 0, or as on LLVM's runtime the team's
///   size on the primary thread.
/// - `index`: number of the thread in its team, or of the team in its league.
/// - `flags`: the task's `ompt_task_flag_t`, or-ed together.
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

/// A masked (master) region begins or ends (OpenMP 5.0, 4.5.2.12; renamed by 5.1).
///
/// - `endpoint`: begin or end.
/// - `parallel_data`: data word of the parallel region.
/// - `task_data`: data word of the task that executes the region.
/// - `codeptr_ra`: return address of the program's call of the runtime, or null.
pub type ompt_callback_masked_t = Option<
    unsafe extern "C-unwind" fn(
        endpoint: ompt_scope_endpoint_t,
        parallel_data: *mut ompt_data_t,
        task_data: *mut ompt_data_t,
        codeptr_ra: *const c_void,
    ),
>;

/// OpenMP 5.0's name of `ompt_callback_masked_t`.
pub type ompt_callback_master_t = ompt_callback_masked_t;

/// A synchronization region, or a wait in it, begins or ends (OpenMP 5.0, 4.5.2.13).
///
/// - `kind`: kind of the region.
/// - `endpoint`: begin or end.
/// - `parallel_data`: data word of the parallel region; may be null at the end of the barrier that ends it.
/// - `task_data`: data word of the task.
/// - `codeptr_ra`: return address of the program's call of the runtime, or null.
pub type ompt_callback_sync_region_t = Option<
    unsafe extern "C-unwind" fn(
        kind: ompt_sync_region_t,
        endpoint: ompt_scope_endpoint_t,
        parallel_data: *mut ompt_data_t,
        task_data: *mut ompt_data_t,
        codeptr_ra: *const c_void,
    ),
>;

/// A thread requests a mutex, or a lock is initialized (OpenMP 5.0, 4.5.2.14).
///
/// - `kind`: kind of the mutex.
/// - `hint`: hint of the program, an `omp_sync_hint_t`; 0: none.
/// - `impl`: implementation of the mutex: an `ompt_mutex_impl_*`, or a number that `ompt_enumerate_mutex_impls` lists.
/// - `wait_id`: identifier of the mutex.
/// - `codeptr_ra`: return address of the program's call of the runtime, or null.
pub type ompt_callback_mutex_acquire_t = Option<
    unsafe extern "C-unwind" fn(
        kind: ompt_mutex_t,
        hint: c_uint,
        r#impl: c_uint,
        wait_id: ompt_wait_id_t,
        codeptr_ra: *const c_void,
    ),
>;

/// A mutex was acquired or released, or a lock is destroyed (OpenMP 5.0, 4.5.2.15).
///
/// - `kind`: kind of the mutex.
/// - `wait_id`: identifier of the mutex.
/// - `codeptr_ra`: return address of the program's call of the runtime, or null.
pub type ompt_callback_mutex_t =
    Option<unsafe extern "C-unwind" fn(kind: ompt_mutex_t, wait_id: ompt_wait_id_t, codeptr_ra: *const c_void)>;

/// The owner of a nestable lock has set it once more (begin), or has unset it and still owns it (end) (OpenMP 5.0,
/// 4.5.2.16).
///
/// - `endpoint`: begin or end.
/// - `wait_id`: identifier of the lock.
/// - `codeptr_ra`: return address of the program's call of the runtime, or null.
pub type ompt_callback_nest_lock_t = Option<
    unsafe extern "C-unwind" fn(endpoint: ompt_scope_endpoint_t, wait_id: ompt_wait_id_t, codeptr_ra: *const c_void),
>;

/// A flush was executed (OpenMP 5.0, 4.5.2.17).
///
/// - `thread_data`: data word of the thread.
/// - `codeptr_ra`: return address of the program's call of the runtime, or null.
pub type ompt_callback_flush_t =
    Option<unsafe extern "C-unwind" fn(thread_data: *mut ompt_data_t, codeptr_ra: *const c_void)>;

/// A region is cancelled (OpenMP 5.0, 4.5.2.18).
///
/// - `task_data`: data word of the task.
/// - `flags`: an `ompt_cancel_flag_t` of each kind, or-ed together.
/// - `codeptr_ra`: return address of the program's call of the runtime, or null.
pub type ompt_callback_cancel_t =
    Option<unsafe extern "C-unwind" fn(task_data: *mut ompt_data_t, flags: c_int, codeptr_ra: *const c_void)>;

/// The program has called `omp_control_tool`, which returns the callback's result (OpenMP 5.0, 4.5.2.29).
///
/// - `command`, `modifier`: the numbers that the program passes.
/// - `arg`: the pointer that the program passes; its meaning is between program and tool.
/// - `codeptr_ra`: return address of the program's call, or null.
pub type ompt_callback_control_tool_t = Option<
    unsafe extern "C-unwind" fn(command: u64, modifier: u64, arg: *mut c_void, codeptr_ra: *const c_void) -> c_int,
>;

/// The program has executed an error directive (OpenMP 5.1, 4.5.2.30).
///
/// - `severity`: severity of the error.
/// - `message`: text of the error, or null.
/// - `length`: length of the text, in bytes.
/// - `codeptr_ra`: return address of the program's call of the runtime, or null.
pub type ompt_callback_error_t = Option<
    unsafe extern "C-unwind" fn(
        severity: ompt_severity_t,
        message: *const c_char,
        length: usize,
        codeptr_ra: *const c_void,
    ),
>;

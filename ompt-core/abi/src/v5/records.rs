//! Records of a device's trace, one for each callback on the host (OpenMP 5.0, 4.5.2): the arguments of the callback of
//! the same name, with identifiers in place of data words.

use super::*;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// Record of a thread's start.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_thread_begin_t {
    /// Kind of the thread.
    pub thread_type: ompt_thread_t,
}

/// Record of a parallel or teams region's start.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_parallel_begin_t {
    /// Identifier of the task that encountered the construct.
    pub encountering_task_id: ompt_id_t,
    /// Identifier of the region.
    pub parallel_id: ompt_id_t,
    /// Number of threads or teams that the construct requests.
    pub requested_parallelism: c_uint,
    /// An `ompt_parallel_flag_t` of each kind, or-ed together.
    pub flags: c_int,
    /// Return address of the program's call of the runtime, or null.
    pub codeptr_ra: *const c_void,
}

/// Record of a parallel or teams region's end.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_parallel_end_t {
    /// Identifier of the region.
    pub parallel_id: ompt_id_t,
    /// Identifier of the task that encountered the construct.
    pub encountering_task_id: ompt_id_t,
    /// An `ompt_parallel_flag_t` of each kind, or-ed together.
    pub flags: c_int,
    /// Return address of the program's call of the runtime, or null.
    pub codeptr_ra: *const c_void,
}

/// Record of a work-sharing region's start or end.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_work_t {
    /// Kind of the work-sharing region.
    pub work_type: ompt_work_t,
    /// Begin or end of the region.
    pub endpoint: ompt_scope_endpoint_t,
    /// Identifier of the parallel region.
    pub parallel_id: ompt_id_t,
    /// Identifier of the task that executes the region.
    pub task_id: ompt_id_t,
    /// Number of iterations or sections.
    pub count: u64,
    /// Return address of the program's call of the runtime, or null.
    pub codeptr_ra: *const c_void,
}

/// Record of a share of a work-sharing region.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_dispatch_t {
    /// Identifier of the parallel region.
    pub parallel_id: ompt_id_t,
    /// Identifier of the task that executes the share.
    pub task_id: ompt_id_t,
    /// Kind of the share.
    pub kind: ompt_dispatch_t,
    /// The share itself, as described at each `ompt_dispatch_t`.
    pub instance: ompt_data_t,
}

/// Record of a task's creation.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_task_create_t {
    /// Identifier of the task that encountered the construct.
    pub encountering_task_id: ompt_id_t,
    /// Identifier of the new task.
    pub new_task_id: ompt_id_t,
    /// The new task's `ompt_task_flag_t`, or-ed together.
    pub flags: c_int,
    /// 1 if the new task has dependences, else 0.
    pub has_dependences: c_int,
    /// Return address of the program's call of the runtime, or null.
    pub codeptr_ra: *const c_void,
}

/// Record of a task's dependences.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_dependences_t {
    /// Identifier of the task.
    pub task_id: ompt_id_t,
    /// One of the dependences.
    pub dep: ompt_dependence_t,
    /// Number of the dependences.
    pub ndeps: c_int,
}

/// Record of a dependence between two tasks.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_task_dependence_t {
    /// Identifier of the predecessor.
    pub src_task_id: ompt_id_t,
    /// Identifier of the task that has to wait for it.
    pub sink_task_id: ompt_id_t,
}

/// Record of a switch from one task to another.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_task_schedule_t {
    /// Identifier of the task that the thread leaves.
    pub prior_task_id: ompt_id_t,
    /// Reason for which the thread leaves the task.
    pub prior_task_status: ompt_task_status_t,
    /// Identifier of the task that the thread executes from then on.
    pub next_task_id: ompt_id_t,
}

/// Record of an implicit or initial task's start or end.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_implicit_task_t {
    /// Begin or end of the task.
    pub endpoint: ompt_scope_endpoint_t,
    /// Identifier of the parallel region.
    pub parallel_id: ompt_id_t,
    /// Identifier of the task.
    pub task_id: ompt_id_t,
    /// Number of threads in the team, or of teams in the league.
    pub actual_parallelism: c_uint,
    /// Number of the thread in its team, or of the team in its league.
    pub index: c_uint,
    /// The task's `ompt_task_flag_t`, or-ed together.
    pub flags: c_int,
}

/// 5.1: record of a masked (master) region's start or end.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_masked_t {
    /// Begin or end of the region.
    pub endpoint: ompt_scope_endpoint_t,
    /// Identifier of the parallel region.
    pub parallel_id: ompt_id_t,
    /// Identifier of the task that executes the region.
    pub task_id: ompt_id_t,
    /// Return address of the program's call of the runtime, or null.
    pub codeptr_ra: *const c_void,
}

/// OpenMP 5.0's name of `ompt_record_masked_t`.
pub type ompt_record_master_t = ompt_record_masked_t;

/// Record of a synchronization region's start or end.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_sync_region_t {
    /// Kind of the synchronization region.
    pub kind: ompt_sync_region_t,
    /// Begin or end of the region.
    pub endpoint: ompt_scope_endpoint_t,
    /// Identifier of the parallel region.
    pub parallel_id: ompt_id_t,
    /// Identifier of the task.
    pub task_id: ompt_id_t,
    /// Return address of the program's call of the runtime, or null.
    pub codeptr_ra: *const c_void,
}

/// Record of a request of a mutex.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_mutex_acquire_t {
    /// Kind of the mutex.
    pub kind: ompt_mutex_t,
    /// Hint of the program, an `omp_sync_hint_t`; 0: none.
    pub hint: c_uint,
    /// Implementation of the mutex, an `ompt_mutex_impl_*`.
    pub r#impl: c_uint,
    /// Identifier of the mutex.
    pub wait_id: ompt_wait_id_t,
    /// Return address of the program's call of the runtime, or null.
    pub codeptr_ra: *const c_void,
}

/// Record of a mutex that was acquired or released.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_mutex_t {
    /// Kind of the mutex.
    pub kind: ompt_mutex_t,
    /// Identifier of the mutex.
    pub wait_id: ompt_wait_id_t,
    /// Return address of the program's call of the runtime, or null.
    pub codeptr_ra: *const c_void,
}

/// Record of a nestable lock that its owner sets once more, or unsets.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_nest_lock_t {
    /// Set (begin) or unset (end).
    pub endpoint: ompt_scope_endpoint_t,
    /// Identifier of the lock.
    pub wait_id: ompt_wait_id_t,
    /// Return address of the program's call of the runtime, or null.
    pub codeptr_ra: *const c_void,
}

/// Record of a flush.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_flush_t {
    /// Return address of the program's call of the runtime, or null.
    pub codeptr_ra: *const c_void,
}

/// Record of a cancellation.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_cancel_t {
    /// Identifier of the task.
    pub task_id: ompt_id_t,
    /// An `ompt_cancel_flag_t` of each kind, or-ed together.
    pub flags: c_int,
    /// Return address of the program's call of the runtime, or null.
    pub codeptr_ra: *const c_void,
}

/// Record of a call of `omp_control_tool`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_control_tool_t {
    /// Command that the program passes.
    pub command: u64,
    /// Modifier that the program passes.
    pub modifier: u64,
    /// Return address of the program's call, or null.
    pub codeptr_ra: *const c_void,
}

/// 5.1: record of an error directive.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_error_t {
    /// Severity of the error.
    pub severity: ompt_severity_t,
    /// Text of the error, or null.
    pub message: *const c_char,
    /// Length of the text, in bytes.
    pub length: usize,
    /// Return address of the program's call of the runtime, or null.
    pub codeptr_ra: *const c_void,
}

//! Records of a device's trace, one for each callback on the host (OpenMP 5.0, section 4.5.2): what the callback of the
//! same name passes, with ids where that has words of the tool's.

use super::*;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// A thread begins.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_thread_begin_t {
    /// Its kind.
    pub thread_type: ompt_thread_t,
}

/// A parallel or teams region begins.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_parallel_begin_t {
    /// Who met the construct.
    pub encountering_task_id: ompt_id_t,
    /// The region.
    pub parallel_id: ompt_id_t,
    /// How many threads or teams are asked for.
    pub requested_parallelism: c_uint,
    /// `ompt_parallel_flag_t`.
    pub flags: c_int,
    /// Where the call returns to.
    pub codeptr_ra: *const c_void,
}

/// The region ends.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_parallel_end_t {
    /// The region.
    pub parallel_id: ompt_id_t,
    /// Who met the construct.
    pub encountering_task_id: ompt_id_t,
    /// `ompt_parallel_flag_t`.
    pub flags: c_int,
    /// Where the call returns to.
    pub codeptr_ra: *const c_void,
}

/// A work-sharing region begins or ends.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_work_t {
    /// Its kind.
    pub work_type: ompt_work_t,
    /// Which end.
    pub endpoint: ompt_scope_endpoint_t,
    /// The parallel region.
    pub parallel_id: ompt_id_t,
    /// Whose part it is.
    pub task_id: ompt_id_t,
    /// How much there is to do.
    pub count: u64,
    /// Where the call returns to.
    pub codeptr_ra: *const c_void,
}

/// A piece of work.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_dispatch_t {
    /// The parallel region.
    pub parallel_id: ompt_id_t,
    /// Who got it.
    pub task_id: ompt_id_t,
    /// Its kind.
    pub kind: ompt_dispatch_t,
    /// Which piece.
    pub instance: ompt_data_t,
}

/// A task is created.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_task_create_t {
    /// Who met the construct.
    pub encountering_task_id: ompt_id_t,
    /// The new task.
    pub new_task_id: ompt_id_t,
    /// `ompt_task_flag_t`.
    pub flags: c_int,
    /// Whether it has dependences.
    pub has_dependences: c_int,
    /// Where the call returns to.
    pub codeptr_ra: *const c_void,
}

/// A task's dependences.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_dependences_t {
    /// The task.
    pub task_id: ompt_id_t,
    /// One of them.
    pub dep: ompt_dependence_t,
    /// How many there are.
    pub ndeps: c_int,
}

/// One task waits for another.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_task_dependence_t {
    /// The first task.
    pub src_task_id: ompt_id_t,
    /// The one that waits for it.
    pub sink_task_id: ompt_id_t,
}

/// A thread leaves one task for another.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_task_schedule_t {
    /// The one that it leaves.
    pub prior_task_id: ompt_id_t,
    /// Why.
    pub prior_task_status: ompt_task_status_t,
    /// The other one.
    pub next_task_id: ompt_id_t,
}

/// An implicit or initial task begins or ends.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_implicit_task_t {
    /// Which end.
    pub endpoint: ompt_scope_endpoint_t,
    /// The parallel region.
    pub parallel_id: ompt_id_t,
    /// The task.
    pub task_id: ompt_id_t,
    /// How many threads or teams there are.
    pub actual_parallelism: c_uint,
    /// Which of them this is.
    pub index: c_uint,
    /// `ompt_task_flag_t`.
    pub flags: c_int,
}

/// 5.1: a masked region begins or ends.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_masked_t {
    /// Which end.
    pub endpoint: ompt_scope_endpoint_t,
    /// The parallel region.
    pub parallel_id: ompt_id_t,
    /// Who executes it.
    pub task_id: ompt_id_t,
    /// Where the call returns to.
    pub codeptr_ra: *const c_void,
}

/// 5.0's name of the same.
pub type ompt_record_master_t = ompt_record_masked_t;

/// A sync region begins or ends.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_sync_region_t {
    /// Its kind.
    pub kind: ompt_sync_region_t,
    /// Which end.
    pub endpoint: ompt_scope_endpoint_t,
    /// The parallel region.
    pub parallel_id: ompt_id_t,
    /// Who is in it.
    pub task_id: ompt_id_t,
    /// Where the call returns to.
    pub codeptr_ra: *const c_void,
}

/// A mutex is wanted.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_mutex_acquire_t {
    /// Its kind.
    pub kind: ompt_mutex_t,
    /// The program's hint.
    pub hint: c_uint,
    /// How it is made.
    pub r#impl: c_uint,
    /// Which one.
    pub wait_id: ompt_wait_id_t,
    /// Where the call returns to.
    pub codeptr_ra: *const c_void,
}

/// A mutex was acquired or released.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_mutex_t {
    /// Its kind.
    pub kind: ompt_mutex_t,
    /// Which one.
    pub wait_id: ompt_wait_id_t,
    /// Where the call returns to.
    pub codeptr_ra: *const c_void,
}

/// The owner of a nestable lock sets it once more, or unsets it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_nest_lock_t {
    /// Set or unset.
    pub endpoint: ompt_scope_endpoint_t,
    /// Which one.
    pub wait_id: ompt_wait_id_t,
    /// Where the call returns to.
    pub codeptr_ra: *const c_void,
}

/// A flush.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_flush_t {
    /// Where the call returns to.
    pub codeptr_ra: *const c_void,
}

/// A region is cancelled.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_cancel_t {
    /// By whom.
    pub task_id: ompt_id_t,
    /// `ompt_cancel_flag_t`.
    pub flags: c_int,
    /// Where the call returns to.
    pub codeptr_ra: *const c_void,
}

/// A call of `omp_control_tool`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_control_tool_t {
    /// What is wanted.
    pub command: u64,
    /// How.
    pub modifier: u64,
    /// Where the call returns to.
    pub codeptr_ra: *const c_void,
}

/// 5.1: an error directive.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_error_t {
    /// How bad it is.
    pub severity: ompt_severity_t,
    /// What it says.
    pub message: *const c_char,
    /// How long that is.
    pub length: usize,
    /// Where the call returns to.
    pub codeptr_ra: *const c_void,
}

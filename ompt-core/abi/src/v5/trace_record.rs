//! Records of a device's trace that are about the device, and the record that holds any of them (OpenMP 5.0, sections
//! 4.4.3 and 4.5.2).

use super::*;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// Something was done with a device's memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_target_data_op_t {
    /// The operation.
    pub host_op_id: ompt_id_t,
    /// Its kind.
    pub optype: ompt_target_data_op_t,
    /// From where.
    pub src_addr: *mut c_void,
    /// On which device.
    pub src_device_num: c_int,
    /// To where.
    pub dest_addr: *mut c_void,
    /// On which device.
    pub dest_device_num: c_int,
    /// How much.
    pub bytes: usize,
    /// When it was done.
    pub end_time: ompt_device_time_t,
    /// Where the call returns to.
    pub codeptr_ra: *const c_void,
}

/// A target construct begins or ends.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_target_t {
    /// Its kind.
    pub kind: ompt_target_t,
    /// Which end.
    pub endpoint: ompt_scope_endpoint_t,
    /// The device.
    pub device_num: c_int,
    /// Who met the construct.
    pub task_id: ompt_id_t,
    /// The region.
    pub target_id: ompt_id_t,
    /// Where the call returns to.
    pub codeptr_ra: *const c_void,
}

/// Data was mapped.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_target_map_t {
    /// The region.
    pub target_id: ompt_id_t,
    /// How many pieces.
    pub nitems: c_uint,
    /// Where each is on the host.
    pub host_addr: *mut *mut c_void,
    /// Where each is on the device.
    pub device_addr: *mut *mut c_void,
    /// How large each is.
    pub bytes: *mut usize,
    /// `ompt_target_map_flag_t` of each.
    pub mapping_flags: *mut c_uint,
    /// Where the call returns to.
    pub codeptr_ra: *const c_void,
}

/// A kernel has run.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_target_kernel_t {
    /// The operation.
    pub host_op_id: ompt_id_t,
    /// How many teams were asked for.
    pub requested_num_teams: c_uint,
    /// How many there were.
    pub granted_num_teams: c_uint,
    /// When it was done.
    pub end_time: ompt_device_time_t,
}

/// What every record of a device's own tracing has.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_abstract_t {
    /// What it holds.
    pub rclass: ompt_record_native_t,
    /// Its kind, in words.
    pub r#type: *const c_char,
    /// When it began.
    pub start_time: ompt_device_time_t,
    /// When it ended.
    pub end_time: ompt_device_time_t,
    /// Where on the device.
    pub hwid: ompt_hwid_t,
}

/// What happened: the member that belongs to the record's `type`.
#[repr(C)]
#[derive(Clone, Copy)]
pub union ompt_record_any_t {
    /// A thread begins.
    pub thread_begin: ompt_record_thread_begin_t,
    /// A parallel or teams region begins.
    pub parallel_begin: ompt_record_parallel_begin_t,
    /// The region ends.
    pub parallel_end: ompt_record_parallel_end_t,
    /// A work-sharing region begins or ends.
    pub work: ompt_record_work_t,
    /// A piece of work.
    pub dispatch: ompt_record_dispatch_t,
    /// A task is created.
    pub task_create: ompt_record_task_create_t,
    /// A task's dependences.
    pub dependences: ompt_record_dependences_t,
    /// One task waits for another.
    pub task_dependence: ompt_record_task_dependence_t,
    /// A thread leaves one task for another.
    pub task_schedule: ompt_record_task_schedule_t,
    /// An implicit or initial task begins or ends.
    pub implicit_task: ompt_record_implicit_task_t,
    /// 5.1: a masked region begins or ends.
    pub masked: ompt_record_masked_t,
    /// 5.0's name of the same.
    pub master: ompt_record_master_t,
    /// A sync region begins or ends.
    pub sync_region: ompt_record_sync_region_t,
    /// A mutex is wanted.
    pub mutex_acquire: ompt_record_mutex_acquire_t,
    /// A mutex was acquired or released.
    pub mutex: ompt_record_mutex_t,
    /// The owner of a nestable lock sets it once more, or unsets it.
    pub nest_lock: ompt_record_nest_lock_t,
    /// A flush.
    pub flush: ompt_record_flush_t,
    /// A region is cancelled.
    pub cancel: ompt_record_cancel_t,
    /// A target construct begins or ends.
    pub target: ompt_record_target_t,
    /// Something was done with a device's memory.
    pub target_data_op: ompt_record_target_data_op_t,
    /// Data was mapped.
    pub target_map: ompt_record_target_map_t,
    /// A kernel has run.
    pub target_kernel: ompt_record_target_kernel_t,
    /// A call of `omp_control_tool`.
    pub control_tool: ompt_record_control_tool_t,
}

/// One record of a device's trace.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_ompt_t {
    /// The callback that would have told it.
    pub r#type: ompt_callbacks_t,
    /// When.
    pub time: ompt_device_time_t,
    /// On which thread of the device.
    pub thread_id: ompt_id_t,
    /// In which target region.
    pub target_id: ompt_id_t,
    /// What.
    pub record: ompt_record_any_t,
}

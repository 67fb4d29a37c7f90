//! Records of a device's trace that are about the device, and the record that holds any of them (OpenMP 5.0, 4.4.3 and
//! 4.5.2).

use super::*;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// Record of an operation on a device's memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_target_data_op_t {
    /// Identifier of the operation.
    pub host_op_id: ompt_id_t,
    /// Kind of the operation.
    pub optype: ompt_target_data_op_t,
    /// Address of the source.
    pub src_addr: *mut c_void,
    /// Number of the source's device.
    pub src_device_num: c_int,
    /// Address of the destination.
    pub dest_addr: *mut c_void,
    /// Number of the destination's device.
    pub dest_device_num: c_int,
    /// Size of the data, in bytes.
    pub bytes: usize,
    /// Time of the operation's end, in the device's own unit.
    pub end_time: ompt_device_time_t,
    /// Return address of the program's call of the runtime, or null.
    pub codeptr_ra: *const c_void,
}

/// 6.0: record of an operation on the memory of one or two devices (OpenMP 6.0, 35.7). Its members are those of
/// `ompt_record_target_data_op_t`, some under other names.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_target_data_op_emi_t {
    /// Identifier of the operation.
    pub host_op_id: ompt_id_t,
    /// Kind of the operation.
    pub optype: ompt_target_data_op_t,
    /// Address on the first device: the source of a copy.
    pub dev1_addr: *mut c_void,
    /// Number of the first device.
    pub dev1_device_num: c_int,
    /// Address on the second device: the destination of a copy.
    pub dev2_addr: *mut c_void,
    /// Number of the second device.
    pub dev2_device_num: c_int,
    /// Size of the data, in bytes.
    pub bytes: usize,
    /// Time of the operation's end, in the device's own unit.
    pub end_time: ompt_device_time_t,
    /// Return address of the program's call of the runtime, or null.
    pub codeptr_ra: *const c_void,
}

/// Record of a target construct's start or end.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_target_t {
    /// Kind of the target construct.
    pub kind: ompt_target_t,
    /// Begin or end of the construct.
    pub endpoint: ompt_scope_endpoint_t,
    /// Number of the device.
    pub device_num: c_int,
    /// Identifier of the task that encountered the construct.
    pub task_id: ompt_id_t,
    /// Identifier of the target region.
    pub target_id: ompt_id_t,
    /// Return address of the program's call of the runtime, or null.
    pub codeptr_ra: *const c_void,
}

/// Record of data that was mapped to a device.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_target_map_t {
    /// Identifier of the target region.
    pub target_id: ompt_id_t,
    /// Number of the mapped items; each array has as many elements.
    pub nitems: c_uint,
    /// Addresses of the items on the host.
    pub host_addr: *mut *mut c_void,
    /// Addresses of the items on the device.
    pub device_addr: *mut *mut c_void,
    /// Sizes of the items, in bytes.
    pub bytes: *mut usize,
    /// An `ompt_target_map_flag_t` of each item, or-ed together.
    pub mapping_flags: *mut c_uint,
    /// Return address of the program's call of the runtime, or null.
    pub codeptr_ra: *const c_void,
}

/// Record of a kernel's execution.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_target_kernel_t {
    /// Identifier of the operation.
    pub host_op_id: ompt_id_t,
    /// Number of teams that the kernel requests.
    pub requested_num_teams: c_uint,
    /// Number of teams that executed the kernel.
    pub granted_num_teams: c_uint,
    /// Time of the kernel's end, in the device's own unit.
    pub end_time: ompt_device_time_t,
}

/// OpenMP 6.0's name of `ompt_record_target_t`.
pub type ompt_record_target_emi_t = ompt_record_target_t;

/// OpenMP 6.0's name of `ompt_record_target_map_t`.
pub type ompt_record_target_map_emi_t = ompt_record_target_map_t;

/// OpenMP 6.0's name of `ompt_record_target_kernel_t`.
pub type ompt_record_target_submit_emi_t = ompt_record_target_kernel_t;

/// Part that all records of a device's own tracing share (OpenMP 5.0, 4.4.3.3).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_abstract_t {
    /// Kind of the record.
    pub rclass: ompt_record_native_t,
    /// Type of the record, as a string.
    pub r#type: *const c_char,
    /// Time of the event's start, in the device's own unit.
    pub start_time: ompt_device_time_t,
    /// Time of the event's end, in the device's own unit.
    pub end_time: ompt_device_time_t,
    /// Identifier of the hardware unit on the device.
    pub hwid: ompt_hwid_t,
}

/// Particulars of an `ompt_record_ompt_t`: the member that belongs to the record's `type` (OpenMP 5.0, 4.4.3.4, where it has no
/// name; 6.0, 33.2).
#[repr(C)]
#[derive(Clone, Copy)]
pub union ompt_any_record_ompt_t {
    /// Record of a thread's start.
    pub thread_begin: ompt_record_thread_begin_t,
    /// Record of a parallel or teams region's start.
    pub parallel_begin: ompt_record_parallel_begin_t,
    /// Record of a parallel or teams region's end.
    pub parallel_end: ompt_record_parallel_end_t,
    /// Record of a work-sharing region's start or end.
    pub work: ompt_record_work_t,
    /// Record of a share of a work-sharing region.
    pub dispatch: ompt_record_dispatch_t,
    /// Record of a task's creation.
    pub task_create: ompt_record_task_create_t,
    /// Record of a task's dependences.
    pub dependences: ompt_record_dependences_t,
    /// Record of a dependence between two tasks.
    pub task_dependence: ompt_record_task_dependence_t,
    /// Record of a switch from one task to another.
    pub task_schedule: ompt_record_task_schedule_t,
    /// Record of an implicit or initial task's start or end.
    pub implicit_task: ompt_record_implicit_task_t,
    /// 5.1: record of a masked (master) region's start or end.
    pub masked: ompt_record_masked_t,
    /// Record of a master region's start or end: 5.0's name of `masked`.
    pub master: ompt_record_master_t,
    /// Record of a synchronization region's start or end.
    pub sync_region: ompt_record_sync_region_t,
    /// Record of a request of a mutex.
    pub mutex_acquire: ompt_record_mutex_acquire_t,
    /// Record of a mutex that was acquired or released.
    pub mutex: ompt_record_mutex_t,
    /// Record of a nestable lock that its owner sets once more, or unsets.
    pub nest_lock: ompt_record_nest_lock_t,
    /// Record of a flush.
    pub flush: ompt_record_flush_t,
    /// Record of a cancellation.
    pub cancel: ompt_record_cancel_t,
    /// Record of a target construct's start or end.
    pub target: ompt_record_target_t,
    /// Record of an operation on a device's memory.
    pub target_data_op: ompt_record_target_data_op_t,
    /// Record of data that was mapped to a device.
    pub target_map: ompt_record_target_map_t,
    /// Record of a kernel's execution.
    pub target_kernel: ompt_record_target_kernel_t,
    /// 6.0: record of a target construct's start or end: another name of `target`.
    pub target_emi: ompt_record_target_emi_t,
    /// 6.0: record of an operation on the memory of one or two devices.
    pub target_data_op_emi: ompt_record_target_data_op_emi_t,
    /// 6.0: record of data that was mapped to a device: another name of `target_map`.
    pub target_map_emi: ompt_record_target_map_emi_t,
    /// 6.0: record of a kernel's execution: another name of `target_kernel`.
    pub target_submit_emi: ompt_record_target_submit_emi_t,
    /// Record of a call of `omp_control_tool`.
    pub control_tool: ompt_record_control_tool_t,
    /// 5.1: record of an error directive.
    pub error: ompt_record_error_t,
}

/// One record of a device's trace (OpenMP 5.0, 4.4.3.4).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_record_ompt_t {
    /// Number of the callback that reports such an event on the host.
    pub r#type: ompt_callbacks_t,
    /// Time of the event, in the device's own unit.
    pub time: ompt_device_time_t,
    /// Identifier of the device's thread.
    pub thread_id: ompt_id_t,
    /// Identifier of the target region.
    pub target_id: ompt_id_t,
    /// Particulars of the event.
    pub record: ompt_any_record_ompt_t,
}

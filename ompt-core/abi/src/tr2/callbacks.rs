//! Signatures of the tool's functions (TR2, section 6.1.1 and appendix A.3).

use super::*;
use std::ffi::{c_char, c_void};

/// An entry point whose signature has to be put on.
pub type ompt_interface_fn_t = Option<unsafe extern "C-unwind" fn()>;

/// Finds an entry point by its name; null if there is none of that name.
pub type ompt_function_lookup_t =
    Option<unsafe extern "C-unwind" fn(entry_point: *const c_char) -> ompt_interface_fn_t>;

/// The runtime shuts down; also a callback whose signature was taken off.
pub type ompt_callback_t = Option<unsafe extern "C-unwind" fn()>;

/// A thread goes idle or stops being it, or has executed a flush. (LLVM's old header passes nothing for a flush: such a
/// callback can be registered, too.)
pub type ompt_thread_callback_t = Option<unsafe extern "C-unwind" fn(thread_id: ompt_thread_id_t)>;

/// A thread begins or ends.
pub type ompt_thread_type_callback_t =
    Option<unsafe extern "C-unwind" fn(thread_type: ompt_thread_type_t, thread_id: ompt_thread_id_t)>;

/// Something happens to a lock, critical section, atomic update or ordered region.
pub type ompt_wait_callback_t = Option<unsafe extern "C-unwind" fn(wait_id: ompt_wait_id_t)>;

/// Something happens in a parallel region, on one of its tasks.
pub type ompt_parallel_callback_t =
    Option<unsafe extern "C-unwind" fn(parallel_id: ompt_parallel_id_t, task_id: ompt_task_id_t)>;

/// A work-sharing region begins.
pub type ompt_new_workshare_callback_t = Option<
    unsafe extern "C-unwind" fn(
        parallel_id: ompt_parallel_id_t,
        task_id: ompt_task_id_t,
        workshare_function: *mut c_void,
    ),
>;

/// A parallel region begins. `parallel_function` is the compiler's function that holds the region's code.
pub type ompt_new_parallel_callback_t = Option<
    unsafe extern "C-unwind" fn(
        parent_task_id: ompt_task_id_t,
        parent_task_frame: *mut ompt_frame_t,
        parallel_id: ompt_parallel_id_t,
        requested_team_size: u32,
        parallel_function: *mut c_void,
    ),
>;

/// A task ends, or an initial task begins or ends. (LLVM's old header has the initial task's as
/// `ompt_parallel_callback_t`; the report's is this one.)
pub type ompt_task_callback_t = Option<unsafe extern "C-unwind" fn(task_id: ompt_task_id_t)>;

/// A thread leaves one task for another; the first id is 0 if that task is complete.
pub type ompt_task_switch_callback_t =
    Option<unsafe extern "C-unwind" fn(suspended_task_id: ompt_task_id_t, resumed_task_id: ompt_task_id_t)>;

/// A task is created. `new_task_function` is the compiler's function that holds its code.
pub type ompt_new_task_callback_t = Option<
    unsafe extern "C-unwind" fn(
        parent_task_id: ompt_task_id_t,
        parent_task_frame: *mut ompt_frame_t,
        new_task_id: ompt_task_id_t,
        new_task_function: *mut c_void,
    ),
>;

/// The program has called `ompt_control`.
pub type ompt_control_callback_t = Option<unsafe extern "C-unwind" fn(command: u64, modifier: u64)>;

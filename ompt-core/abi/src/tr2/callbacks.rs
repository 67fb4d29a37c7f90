//! Signatures of the tool's functions (TR2, 6.1.1 and appendix A.3).

use super::*;
use std::ffi::{c_char, c_void};

/// Entry point without its signature: to be converted to the type of its name (TR2, 6.1).
pub type ompt_interface_fn_t = Option<unsafe extern "C-unwind" fn()>;

/// Function that finds an entry point by its name; null if there is none of that name (TR2, 6.1).
///
/// - `entry_point`: name of the entry point, such as `ompt_set_callback`.
pub type ompt_function_lookup_t =
    Option<unsafe extern "C-unwind" fn(entry_point: *const c_char) -> ompt_interface_fn_t>;

/// Callback of `ompt_event_runtime_shutdown`; also the type of any callback without its signature (TR2, appendix A.3).
pub type ompt_callback_t = Option<unsafe extern "C-unwind" fn()>;

/// Callback of a worker that goes idle or has work again, and of a flush (TR2, appendix A.3). (LLVM's old header passes
/// nothing for a flush: such a callback can also be registered.)
///
/// - `thread_id`: the thread.
pub type ompt_thread_callback_t = Option<unsafe extern "C-unwind" fn(thread_id: ompt_thread_id_t)>;

/// Callback of a thread that begins or ends (TR2, appendix A.3).
///
/// - `thread_type`: kind of the thread.
/// - `thread_id`: the thread.
pub type ompt_thread_type_callback_t =
    Option<unsafe extern "C-unwind" fn(thread_type: ompt_thread_type_t, thread_id: ompt_thread_id_t)>;

/// Callback of an event of a mutex: a lock, critical section, atomic update or ordered region (TR2, appendix A.3).
///
/// - `wait_id`: the mutex.
pub type ompt_wait_callback_t = Option<unsafe extern "C-unwind" fn(wait_id: ompt_wait_id_t)>;

/// Callback of an event in a parallel region, of one of its tasks (TR2, appendix A.3).
///
/// - `parallel_id`: the parallel region; 0: none.
/// - `task_id`: the task.
pub type ompt_parallel_callback_t =
    Option<unsafe extern "C-unwind" fn(parallel_id: ompt_parallel_id_t, task_id: ompt_task_id_t)>;

/// Callback of a work-sharing region that begins (TR2, appendix A.3).
///
/// - `parallel_id`: the parallel region; 0: none.
/// - `task_id`: the task that executes the work-sharing region.
/// - `workshare_function`: the compiler's function that has the region's code.
pub type ompt_new_workshare_callback_t = Option<
    unsafe extern "C-unwind" fn(
        parallel_id: ompt_parallel_id_t,
        task_id: ompt_task_id_t,
        workshare_function: *mut c_void,
    ),
>;

/// Callback of a parallel region that begins (TR2, appendix A.3).
///
/// - `parent_task_id`: the task that encountered the construct.
/// - `parent_task_frame`: frames of that task.
/// - `parallel_id`: the new region.
/// - `requested_team_size`: number of threads that the construct requests; 0: not known.
/// - `parallel_function`: the compiler's function that has the region's code.
pub type ompt_new_parallel_callback_t = Option<
    unsafe extern "C-unwind" fn(
        parent_task_id: ompt_task_id_t,
        parent_task_frame: *mut ompt_frame_t,
        parallel_id: ompt_parallel_id_t,
        requested_team_size: u32,
        parallel_function: *mut c_void,
    ),
>;

/// Callback of a task that ends, or of an initial task that begins or ends (TR2, appendix A.3). (LLVM's old header has
/// the initial task's as `ompt_parallel_callback_t`; the report's is this one.)
///
/// - `task_id`: the task.
pub type ompt_task_callback_t = Option<unsafe extern "C-unwind" fn(task_id: ompt_task_id_t)>;

/// Callback of a thread that switches from one task to another (TR2, appendix A.3).
///
/// - `suspended_task_id`: the task that the thread leaves; 0 if that is complete.
/// - `resumed_task_id`: the task that the thread executes from now on.
pub type ompt_task_switch_callback_t =
    Option<unsafe extern "C-unwind" fn(suspended_task_id: ompt_task_id_t, resumed_task_id: ompt_task_id_t)>;

/// Callback of a task's creation (TR2, appendix A.3).
///
/// - `parent_task_id`: the task that encountered the construct.
/// - `parent_task_frame`: frames of that task.
/// - `new_task_id`: the new task.
/// - `new_task_function`: the compiler's function that has the new task's code.
pub type ompt_new_task_callback_t = Option<
    unsafe extern "C-unwind" fn(
        parent_task_id: ompt_task_id_t,
        parent_task_frame: *mut ompt_frame_t,
        new_task_id: ompt_task_id_t,
        new_task_function: *mut c_void,
    ),
>;

/// Callback of a call of `ompt_control` by the program (TR2, 7).
///
/// - `command`, `modifier`: the numbers that the program passes.
pub type ompt_control_callback_t = Option<unsafe extern "C-unwind" fn(command: u64, modifier: u64)>;

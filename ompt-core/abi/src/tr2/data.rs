//! Ids and frames (TR2, section 4), and the kinds of threads and answers.

use std::ffi::c_void;

/// Names a thread; 0 is none.
pub type ompt_thread_id_t = u64;
/// Names a parallel region; 0 is none.
pub type ompt_parallel_id_t = u64;
/// Names a task; 0 is none.
pub type ompt_task_id_t = u64;
/// Says what a thread waits for; 0 is nothing.
pub type ompt_wait_id_t = u64;

/// Where a task's frames begin and end on the stack (TR2, section 4.5).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ompt_frame_t {
    /// The runtime's frame that called the task's code; null until then.
    pub exit_runtime_frame: *mut c_void,
    /// The runtime's frame that the task's code called last to create a region or task; null when that is over.
    pub reenter_runtime_frame: *mut c_void,
}
const _: () = assert!(size_of::<ompt_frame_t>() == 16 && align_of::<ompt_frame_t>() == 8);

/// The kind of a thread (TR2, appendix A.3).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_thread_type_t {
    /// Executes an initial task.
    ompt_thread_initial = 1,
    /// From the runtime's pool.
    ompt_thread_worker = 2,
    /// The runtime's own, and none that executes the program's code.
    ompt_thread_other = 3,
}

/// What becomes of a registration: what `ompt_set_callback` returns (TR2, table 3). The report has the numbers only; the
/// names are ours, made like OpenMP 5's, which has other numbers.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_tr2_set_result_t {
    /// Refused: no such event, or not now.
    ompt_tr2_set_error = 0,
    /// The event may happen, and is never reported.
    ompt_tr2_set_impossible = 1,
    /// The event never happens.
    ompt_tr2_set_never = 2,
    /// It is reported now and then.
    ompt_tr2_set_sometimes = 3,
    /// It is reported whenever it happens.
    ompt_tr2_set_always = 4,
}

//! Identifiers and frames (TR2, section 4), kinds of threads, and answers.

use std::ffi::c_void;

/// Identifier of a thread; 0: none (TR2, section 4).
pub type ompt_thread_id_t = u64;
/// Identifier of a parallel region; 0: none (TR2, section 4).
pub type ompt_parallel_id_t = u64;
/// Identifier of a task; 0: none (TR2, section 4).
pub type ompt_task_id_t = u64;
/// Identifier of the mutex that a thread waits for; 0: none (TR2, section 4).
pub type ompt_wait_id_t = u64;

/// Frames of a task on the stack of its thread (TR2, 4.5).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ompt_frame_t {
    /// The runtime's frame that called the task's code; null until then.
    pub exit_runtime_frame: *mut c_void,
    /// The runtime's frame that the task's code called last to create a region or task; null when that call is over.
    pub reenter_runtime_frame: *mut c_void,
}
const _: () = assert!(size_of::<ompt_frame_t>() == 16 && align_of::<ompt_frame_t>() == 8);

/// Kind of a thread (TR2, appendix A.3).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_thread_type_t {
    /// A thread that executes an initial task.
    ompt_thread_initial = 1,
    /// A thread of the runtime's pool.
    ompt_thread_worker = 2,
    /// A thread of the runtime that executes no code of the program.
    ompt_thread_other = 3,
}

/// Answer of `ompt_set_callback`: how often the callback will be called (TR2, table 3). The report has the numbers
/// only. The names follow OpenMP 5's, which has other numbers.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_tr2_set_result_t {
    /// The registration is refused: there is no such event, or the call is not inside `ompt_initialize`.
    ompt_tr2_set_error = 0,
    /// The event may happen, and is never reported.
    ompt_tr2_set_impossible = 1,
    /// The event never happens.
    ompt_tr2_set_never = 2,
    /// The event is reported, but not at each occurrence.
    ompt_tr2_set_sometimes = 3,
    /// The event is reported at each occurrence.
    ompt_tr2_set_always = 4,
}

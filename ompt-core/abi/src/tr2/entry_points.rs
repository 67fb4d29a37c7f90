//! Signatures of what the tool's `lookup` finds, each named for its entry point (TR2, section 5 and appendix A.4).

use super::*;
use std::ffi::{c_char, c_int, c_void};

/// Registers a callback, inside of `ompt_initialize` only: an `ompt_tr2_set_result_t`.
pub type ompt_set_callback_t =
    Option<unsafe extern "C-unwind" fn(event: ompt_event_t, callback: ompt_callback_t) -> c_int>;

/// The callback that is registered; returns 0 if there is none.
pub type ompt_get_callback_t =
    Option<unsafe extern "C-unwind" fn(event: ompt_event_t, callback: *mut ompt_callback_t) -> c_int>;

/// The state that comes after `current_state`, and its name; returns 0 after the last one. States are numbers of
/// `ompt_state_t`, and `int` as tools were compiled with; the report has `ompt_state_t` itself.
pub type ompt_enumerate_state_t = Option<
    unsafe extern "C-unwind" fn(
        current_state: c_int,
        next_state: *mut c_int,
        next_state_name: *mut *const c_char,
    ) -> c_int,
>;

/// The calling thread's id; 0 if it is no thread of OpenMP's. Async-signal-safe, as all that follow.
pub type ompt_get_thread_id_t = Option<unsafe extern "C-unwind" fn() -> ompt_thread_id_t>;

/// The calling thread's state, and what it waits for.
pub type ompt_get_state_t = Option<unsafe extern "C-unwind" fn(wait_id: *mut ompt_wait_id_t) -> ompt_state_t>;

/// The frame that the calling worker waits for work in; null on other threads.
pub type ompt_get_idle_frame_t = Option<unsafe extern "C-unwind" fn() -> *mut c_void>;

/// A parallel region around the caller, 0 the innermost; returns 0 if there is none.
pub type ompt_get_parallel_id_t = Option<unsafe extern "C-unwind" fn(ancestor_level: c_int) -> ompt_parallel_id_t>;

/// The size of its team; returns -1 if there is none.
pub type ompt_get_parallel_team_size_t = Option<unsafe extern "C-unwind" fn(ancestor_level: c_int) -> c_int>;

/// A task around the caller, 0 the one that runs; returns 0 if there is none. Depths count the tasks that lie on the
/// thread's stack, as those of frames do, and then those around its implicit task: below an explicit task is the task that
/// it interrupts, which need not be its creator. (The report's `ompt_task_id_t *` is a misprint.)
pub type ompt_get_task_id_t = Option<unsafe extern "C-unwind" fn(depth: c_int) -> ompt_task_id_t>;

/// Its frames; null if there is none.
pub type ompt_get_task_frame_t = Option<unsafe extern "C-unwind" fn(depth: c_int) -> *mut ompt_frame_t>;

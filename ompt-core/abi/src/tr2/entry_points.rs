//! Signatures of the entry points that the tool's `lookup` finds, each named for its entry point (TR2, section 5 and
//! appendix A.4).

use super::*;
use std::ffi::{c_char, c_int, c_void};

/// Entry point: registers a callback, only inside `ompt_initialize`; returns an `ompt_tr2_set_result_t` (TR2,
/// 6.1.2).
///
/// - `event`: the event.
/// - `callback`: the tool's function, converted from its own type; null removes the registration.
pub type ompt_set_callback_t =
    Option<unsafe extern "C-unwind" fn(event: ompt_event_t, callback: ompt_callback_t) -> c_int>;

/// Entry point: the registered callback; 1, or 0 if there is none (TR2, 6.1.2).
///
/// - `event`: the event.
/// - `callback`: to be set to the tool's function; may be null.
pub type ompt_get_callback_t =
    Option<unsafe extern "C-unwind" fn(event: ompt_event_t, callback: *mut ompt_callback_t) -> c_int>;

/// Entry point: the thread state after another one; 1, or 0 after the last one (TR2, 5.1). States are numbers of
/// `ompt_state_t`, and `int` as tools were compiled with; the report has `ompt_state_t` itself.
///
/// - `current_state`: a state; `ompt_state_first` starts the enumeration.
/// - `next_state`: to be set to the state.
/// - `next_state_name`: to be set to the state's name, which stays valid.
pub type ompt_enumerate_state_t = Option<
    unsafe extern "C-unwind" fn(
        current_state: c_int,
        next_state: *mut c_int,
        next_state_name: *mut *const c_char,
    ) -> c_int,
>;

/// Entry point: the calling thread's identifier; 0 if it is not an OpenMP thread (TR2, 5.2). Async-signal-safe.
pub type ompt_get_thread_id_t = Option<unsafe extern "C-unwind" fn() -> ompt_thread_id_t>;

/// Entry point: the calling thread's state (TR2, 5.2). Async-signal-safe.
///
/// - `wait_id`: to be set to the identifier of the wait, 0 if there is none; may be null.
pub type ompt_get_state_t = Option<unsafe extern "C-unwind" fn(wait_id: *mut ompt_wait_id_t) -> ompt_state_t>;

/// Entry point: the frame in which the calling worker waits for work; null on other threads (TR2, 5.2).
/// Async-signal-safe.
pub type ompt_get_idle_frame_t = Option<unsafe extern "C-unwind" fn() -> *mut c_void>;

/// Entry point: a parallel region around the calling thread's task; 0 if there is none (TR2, 5.3). Async-signal-safe.
///
/// - `ancestor_level`: 0 for the innermost region.
pub type ompt_get_parallel_id_t = Option<unsafe extern "C-unwind" fn(ancestor_level: c_int) -> ompt_parallel_id_t>;

/// Entry point: the number of threads in the team of a parallel region; -1 if there is none (TR2, 5.3).
/// Async-signal-safe.
///
/// - `ancestor_level`: 0 for the innermost region.
pub type ompt_get_parallel_team_size_t = Option<unsafe extern "C-unwind" fn(ancestor_level: c_int) -> c_int>;

/// Entry point: a task around the calling thread; 0 if there is none (TR2, 5.4). Async-signal-safe. (The report's
/// `ompt_task_id_t *` is a misprint.)
///
/// - `depth`: 0 for the task that the thread executes. Depths count the tasks that lie on the thread's stack, as those
///   of frames do, and then those around its implicit task. Below an explicit task is the task that it interrupts,
///   which need not be its creator.
pub type ompt_get_task_id_t = Option<unsafe extern "C-unwind" fn(depth: c_int) -> ompt_task_id_t>;

/// Entry point: the frames of a task around the calling thread; null if there is none (TR2, 5.4). Async-signal-safe.
///
/// - `depth`: as for `ompt_get_task_id_t`.
pub type ompt_get_task_frame_t = Option<unsafe extern "C-unwind" fn(depth: c_int) -> *mut ompt_frame_t>;

//! Entry points of `lookup` (TR2, sections 5 and 6.1). All may be called at any time. All except `ompt_set_callback`
//! are async-signal-safe: loads of the core's records, no lock, no allocation, no system call.
#![allow(unsafe_code)] // FFI boundary: pointers of C callers

use super::types::*;
use super::{call, callbacks, states};
use crate::region::Region;
use crate::state::State;
use crate::task::{Task, flag};
use crate::thread::is_initial;
use crate::{query, tls};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::transmute;

/// `lookup`: the entry point of this name; null for any other name.
///
/// # Safety
/// `name` is null or a C string.
pub(super) unsafe extern "C-unwind" fn lookup(name: *const c_char) -> ompt_interface_fn_t {
    if name.is_null() {
        return None;
    }
    // SAFETY: not null, so a C string, by this function's `# Safety`.
    let name = unsafe { CStr::from_ptr(name) };
    let code = match name.to_bytes() {
        b"ompt_enumerate_state" => ompt_enumerate_state as *const c_void,
        b"ompt_set_callback" => ompt_set_callback as *const c_void,
        b"ompt_get_callback" => ompt_get_callback as *const c_void,
        b"ompt_get_idle_frame" => ompt_get_idle_frame as *const c_void,
        b"ompt_get_task_frame" => ompt_get_task_frame as *const c_void,
        b"ompt_get_state" => ompt_get_state as *const c_void,
        b"ompt_get_parallel_id" => ompt_get_parallel_id as *const c_void,
        b"ompt_get_parallel_team_size" => ompt_get_parallel_team_size as *const c_void,
        b"ompt_get_task_id" => ompt_get_task_id as *const c_void,
        b"ompt_get_thread_id" => ompt_get_thread_id as *const c_void,
        b"ompt_get_num_devices" => ompt_get_num_devices as *const c_void,
        _ => return None,
    };
    // SAFETY: a function of ours; callers cast it back to the type that belongs to the name (TR2, 6.1).
    unsafe { transmute::<*const c_void, ompt_interface_fn_t>(code) }
}

/// Registers a callback (TR2, 6.1.2); returns 0 for a number that is not an event, and outside of `ompt_initialize`. A
/// null callback removes an earlier one.
unsafe extern "C-unwind" fn ompt_set_callback(event: c_int, callback: usize) -> c_int {
    let event = u32::try_from(event).ok().and_then(ompt_event_t::from_raw);
    event.map_or(0, |event| callbacks::register(event, callback) as c_int)
}

/// Writes the registered callback (TR2, 6.1.2) and returns 1, or 0 if there is none.
///
/// # Safety
/// `callback` is null or the caller's, to be written.
unsafe extern "C-unwind" fn ompt_get_callback(event: c_int, callback: *mut usize) -> c_int {
    let event = u32::try_from(event).ok().and_then(ompt_event_t::from_raw);
    let Some(address) = event.and_then(callbacks::registered) else { return 0 };
    // SAFETY: `callback` is null or may be written, by this function's `# Safety`.
    unsafe { give(callback, address) };
    1
}

/// Writes number and name of the state after `current` (TR2, 5.1) and returns 1; 0 after the last one.
///
/// # Safety
/// Pointers are null or the caller's, to be written.
unsafe extern "C-unwind" fn ompt_enumerate_state(current: c_int, next: *mut c_int, name: *mut *const c_char) -> c_int {
    let Some((state, text)) = states::after(current) else { return 0 };
    // SAFETY: `next` is null or may be written, by this function's `# Safety`.
    unsafe { give(next, state as c_int) };
    // SAFETY: `name` is null or may be written, by this function's `# Safety`.
    unsafe { give(name, text.as_ptr()) };
    1
}

/// The number of devices other than the host: 0. An entry point of a draft of 2016. Tools that were written for that
/// draft call it without checking `lookup`'s result.
extern "C-unwind" fn ompt_get_num_devices() -> c_int {
    0
}

/// The calling thread's id (TR2, 5.2); 0 for a thread without a record.
extern "C-unwind" fn ompt_get_thread_id() -> u64 {
    tls::get().map_or(0, |thread| thread.id())
}

/// The calling thread's state (TR2, 5.2). Writes the id of its wait, or 0 if it doesn't wait.
///
/// # Safety
/// `wait_id` is null or the caller's, to be written.
unsafe extern "C-unwind" fn ompt_get_state(wait_id: *mut u64) -> ompt_state_t {
    let now = query::now();
    // SAFETY: `wait_id` is null or may be written, by this function's `# Safety`.
    unsafe { give(wait_id, if states::waits(now.state) { now.wait_id } else { 0 }) };
    if now.state == State::WorkSerial && tls::get().is_none() && !is_initial() {
        // The thread may never have executed OpenMP code.
        return ompt_state_t::ompt_state_undefined;
    }
    states::state(now.state)
}

/// The frame in which the calling worker waits for its next region (TR2, 5.2); null on other threads.
extern "C-unwind" fn ompt_get_idle_frame() -> *mut c_void {
    tls::get().map_or(0, |thread| thread.adapter.idle_frame()) as *mut c_void
}

/// The id of the region at an ancestor level of the calling thread's task (TR2, 5.3); 0 outside of all regions, in the
/// thread pool, and above the outermost region.
extern "C-unwind" fn ompt_get_parallel_id(level: c_int) -> u64 {
    usize::try_from(level).map_or(0, query::region_id_at)
}

/// The size of the team of the region at an ancestor level (TR2, 5.3); -1 if there is none.
extern "C-unwind" fn ompt_get_parallel_team_size(level: c_int) -> c_int {
    let size = usize::try_from(level).ok().and_then(|level| query::of_parallel_region_at(level, Region::size));
    size.and_then(|size| c_int::try_from(size).ok()).unwrap_or(-1)
}

/// The id of the task at a depth on the calling thread, counted outward (TR2, 5.4); 0 past the initial task.
extern "C-unwind" fn ompt_get_task_id(depth: c_int) -> u64 {
    let Some(thread) = tls::get() else { return 0 };
    task_at(depth).map_or(0, |task| thread.task_ids.id_of(task))
}

/// The task at a depth. Target tasks, which this interface does not know, are left out.
fn task_at(depth: c_int) -> Option<&'static Task> {
    let (task, _) = query::counted_task_at(usize::try_from(depth).ok()?, flag::TARGET)?;
    Some(task)
}

/// The frames of the task at a depth (TR2, 5.4); null past the initial task.
extern "C-unwind" fn ompt_get_task_frame(depth: c_int) -> *mut ompt_frame_t {
    call::frames(task_at(depth).map(Task::frame))
}

/// Writes `value` to `place`, unless that is null.
///
/// # Safety
/// `place` is null or may be written.
unsafe fn give<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: not null, so it may be written, by this function's `# Safety`.
        unsafe { place.write(value) };
    }
}

//! Entry points of a tool's `lookup` (OpenMP 5.0, 4.6.1), and those that act on the tool itself.
#![allow(unsafe_code)] // takes and gives pointers

use super::types::ompt_set_result_t::ompt_set_error;
use super::types::*;
use super::{callbacks, mutex_impls, queries, session, states};
use std::ffi::{CStr, c_char, c_int};
use std::mem::transmute;
use std::ptr;

/// An entry point without its signature.
///
/// # Safety
/// Like the entry point.
type Plain = unsafe extern "C-unwind" fn();

// The types that `omp-tools.h` declares. `set_callback` and `get_callback` accept any number as an event.
const _: ompt_function_lookup_t = Some(lookup);
const _: ompt_enumerate_states_t = Some(enumerate_states);
const _: ompt_enumerate_mutex_impls_t = Some(enumerate_mutex_impls);
const _: ompt_get_thread_data_t = Some(queries::get_thread_data);
const _: ompt_get_num_procs_t = Some(queries::get_num_procs);
const _: ompt_get_num_places_t = Some(queries::get_num_places);
const _: ompt_get_place_proc_ids_t = Some(queries::get_place_proc_ids);
const _: ompt_get_place_num_t = Some(queries::get_place_num);
const _: ompt_get_partition_place_nums_t = Some(queries::get_partition_place_nums);
const _: ompt_get_proc_id_t = Some(queries::get_proc_id);
const _: ompt_get_state_t = Some(queries::get_state);
const _: ompt_get_parallel_info_t = Some(queries::get_parallel_info);
const _: ompt_get_task_info_t = Some(queries::get_task_info);
const _: ompt_get_task_memory_t = Some(queries::get_task_memory);
const _: ompt_get_target_info_t = Some(queries::get_target_info);
const _: ompt_get_num_devices_t = Some(queries::get_num_devices);
const _: ompt_get_unique_id_t = Some(queries::get_unique_id);
const _: ompt_finalize_tool_t = Some(finalize_tool);

/// Entry points, by name.
const ENTRY_POINTS: [(&[u8], *const ()); 19] = [
    (b"ompt_enumerate_states", enumerate_states as *const ()),
    (b"ompt_enumerate_mutex_impls", enumerate_mutex_impls as *const ()),
    (b"ompt_set_callback", set_callback as *const ()),
    (b"ompt_get_callback", get_callback as *const ()),
    (b"ompt_get_thread_data", queries::get_thread_data as *const ()),
    (b"ompt_get_num_procs", queries::get_num_procs as *const ()),
    (b"ompt_get_num_places", queries::get_num_places as *const ()),
    (b"ompt_get_place_proc_ids", queries::get_place_proc_ids as *const ()),
    (b"ompt_get_place_num", queries::get_place_num as *const ()),
    (b"ompt_get_partition_place_nums", queries::get_partition_place_nums as *const ()),
    (b"ompt_get_proc_id", queries::get_proc_id as *const ()),
    (b"ompt_get_state", queries::get_state as *const ()),
    (b"ompt_get_parallel_info", queries::get_parallel_info as *const ()),
    (b"ompt_get_task_info", queries::get_task_info as *const ()),
    (b"ompt_get_task_memory", queries::get_task_memory as *const ()),
    (b"ompt_get_target_info", queries::get_target_info as *const ()),
    (b"ompt_get_num_devices", queries::get_num_devices as *const ()),
    (b"ompt_get_unique_id", queries::get_unique_id as *const ()),
    (b"ompt_finalize_tool", finalize_tool as *const ()),
];

/// Finds an entry point by its name; null if there is none of that name (OpenMP 5.0, 4.6.3).
///
/// # Safety
/// `name` is null or a C string.
pub(super) unsafe extern "C-unwind" fn lookup(name: *const c_char) -> ompt_interface_fn_t {
    if name.is_null() {
        return None;
    }
    // SAFETY: not null, so a C string, by this function's `# Safety`.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    let (_, address) = ENTRY_POINTS.iter().find(|(known, _)| *known == name)?;
    // SAFETY: a function of ours; OpenMP 5.0, 4.6.3 requires the tool to cast it back to the type that belongs to the
    // name.
    Some(unsafe { transmute::<*const (), Plain>(*address) })
}

/// Registers a callback, or removes it (null), and returns the answer (4.6.1.3). Allowed at any time while the tool is
/// attached.
///
/// # Safety
/// The callback has the signature of its event.
unsafe extern "C-unwind" fn set_callback(event: c_int, callback: ompt_callback_t) -> ompt_set_result_t {
    let Some(event) = ompt_callbacks_t::from_raw(event.cast_unsigned()).filter(|_| session::is_open()) else {
        return ompt_set_error;
    };
    callbacks::register(event, callback.map_or(0, |callback| callback as usize))
}

/// Writes the registered callback and returns 1, or 0 if there is none (4.6.1.4).
///
/// # Safety
/// `callback` is null or may be written.
unsafe extern "C-unwind" fn get_callback(event: c_int, callback: *mut ompt_callback_t) -> c_int {
    let address = ompt_callbacks_t::from_raw(event.cast_unsigned()).map_or(0, callbacks::registered);
    if address == 0 {
        return 0;
    }
    if !callback.is_null() {
        // SAFETY: `set_callback` took this address from a function pointer, and `ompt_callback_t` is as large.
        let function = unsafe { transmute::<usize, ompt_callback_t>(address) };
        // SAFETY: not null, so it may be written, by this function's `# Safety`.
        unsafe { callback.write(function) };
    }
    1
}

/// Detaches the tool (4.6.1.19). Ends that can still be reported here are reported, then the tool's finalizer is
/// called; no callback comes after it.
extern "C-unwind" fn finalize_tool() {
    session::close();
}

/// Writes number and name of the state after `current_state` and returns 1; 0 after the last one (4.6.1.1).
///
/// # Safety
/// `next_state` and `next_state_name` are null or may be written.
unsafe extern "C-unwind" fn enumerate_states(
    current_state: c_int,
    next_state: *mut c_int,
    next_state_name: *mut *const c_char,
) -> c_int {
    // SAFETY: `next_state` and `next_state_name` are null or may be written, by this function's `# Safety`.
    unsafe { list(states::after(current_state), next_state, next_state_name) }
}

/// Writes number and name of the mutex implementation after `current_impl` and returns 1; 0 after the last one
/// (4.6.1.2).
///
/// # Safety
/// `next_impl` and `next_impl_name` are null or may be written.
unsafe extern "C-unwind" fn enumerate_mutex_impls(
    current_impl: c_int,
    next_impl: *mut c_int,
    next_impl_name: *mut *const c_char,
) -> c_int {
    // SAFETY: `next_impl` and `next_impl_name` are null or may be written, by this function's `# Safety`.
    unsafe { list(mutex_impls::after(current_impl), next_impl, next_impl_name) }
}

/// Writes the next entry of a list and returns 1; 0 at its end.
///
/// # Safety
/// `number` and `name` are null or may be written.
unsafe fn list(next: Option<(c_int, &'static CStr)>, number: *mut c_int, name: *mut *const c_char) -> c_int {
    let Some((next, called)) = next else { return 0 };
    if !number.is_null() {
        // SAFETY: `number` may be written, by this function's `# Safety`: it is not null.
        unsafe { number.write(next) };
    }
    if !name.is_null() {
        // SAFETY: `name` may be written, by this function's `# Safety`: it is not null.
        unsafe { name.write(ptr::from_ref(called).cast()) };
    }
    1
}

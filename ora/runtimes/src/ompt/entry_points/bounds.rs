//! Entry points with arguments that LLVM's runtime does not check: null pointers, sizes of arrays that it puts on the stack, and
//! levels that it counts down. What it can't take is answered here, as the standard has it.
#![allow(unsafe_code)] // functions that tools call, with their pointers

use super::{own, runtime_for};
use crate::ompt::runtime::Function;
use std::ffi::{CStr, c_char, c_int};
use std::mem::transmute;
use std::ptr::{null, null_mut};

/// No thread's stack has as many nested regions and tasks: each takes more than a hundred bytes of it.
const MAX_LEVEL: c_int = 1 << 24;

/// True for an ancestor level that a thread may have.
pub(super) fn is_level(level: c_int) -> bool {
    (0..MAX_LEVEL).contains(&level)
}

pub(super) unsafe extern "C-unwind" fn enumerate_states<const TOOL: usize>(
    current: c_int,
    next: *mut c_int,
    name: *mut *const c_char,
) -> c_int {
    enumerate::<TOOL>(c"ompt_enumerate_states", current, next, name)
}

pub(super) unsafe extern "C-unwind" fn enumerate_mutex_impls<const TOOL: usize>(
    current: c_int,
    next: *mut c_int,
    name: *mut *const c_char,
) -> c_int {
    enumerate::<TOOL>(c"ompt_enumerate_mutex_impls", current, next, name)
}

/// The state or kind of mutex after `current`; null pointers of the tool's are left out.
fn enumerate<const TOOL: usize>(what: &CStr, current: c_int, next: *mut c_int, name: *mut *const c_char) -> c_int {
    type Enumerate = unsafe extern "C-unwind" fn(c_int, *mut c_int, *mut *const c_char) -> c_int;
    let Some(enumerate) = runtime_for(TOOL).and_then(|runtime| own(runtime, what)) else { return 0 };
    // SAFETY: both entry points take these (OpenMP 5.0, 4.6.1.1 and 4.6.1.2).
    let enumerate = unsafe { transmute::<Function, Enumerate>(enumerate) };
    let (mut following, mut its_name) = (0, null());
    // SAFETY: the runtime's entry point; it writes to the two variables.
    let answer = unsafe { enumerate(current, &raw mut following, &raw mut its_name) };
    if answer != 0 {
        put(next, following);
        put(name, its_name);
    }
    answer
}

/// Writes a value to the tool's place for it, if there is one.
fn put<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: not null, so the tool's place for the value, which needs no alignment here.
        unsafe { place.write_unaligned(value) };
    }
}

pub(super) unsafe extern "C-unwind" fn get_place_proc_ids<const TOOL: usize>(
    place: c_int,
    size: c_int,
    ids: *mut c_int,
) -> c_int {
    type Get = unsafe extern "C-unwind" fn(c_int, c_int, *mut c_int) -> c_int;
    let Some(get) = runtime_for(TOOL).and_then(|runtime| own(runtime, c"ompt_get_place_proc_ids")) else { return 0 };
    // SAFETY: the entry point of that name takes these (OpenMP 5.0, 4.6.1.8).
    let get = unsafe { transmute::<Function, Get>(get) };
    // SAFETY: the runtime's entry point writes nothing where there is no room (`ompt_get_place_proc_ids` of LLVM's runtime).
    let count = unsafe { get(place, 0, null_mut()) };
    if count > 0 && count <= size && !ids.is_null() {
        // SAFETY: the tool's array is not null and has room for `size` numbers, `count` at least.
        unsafe { get(place, count, ids) };
    }
    count
}

/// LLVM's runtime up to 19 at least writes one number more than there is room for where that is the last one.
pub(super) unsafe extern "C-unwind" fn get_partition_place_nums<const TOOL: usize>(
    size: c_int,
    places: *mut c_int,
) -> c_int {
    type Get = unsafe extern "C-unwind" fn(c_int, *mut c_int) -> c_int;
    let get = runtime_for(TOOL).and_then(|runtime| own(runtime, c"ompt_get_partition_place_nums"));
    let Some(get) = get else { return 0 };
    // SAFETY: the entry point of that name takes these (OpenMP 5.0, 4.6.1.10).
    let get = unsafe { transmute::<Function, Get>(get) };
    // SAFETY: the runtime's entry point writes nothing where the room is less than none.
    let count = unsafe { get(-1, null_mut()) };
    if count > 0 && count <= size && !places.is_null() {
        // SAFETY: the tool's array is not null and has room for `size` numbers, `count` at least.
        unsafe { get(size, places) };
    }
    count
}

//! Queries of a tool, at any time, also in a signal handler (OpenMP 5.0, 4.6.1.5 to 4.6.1.18). All are
//! async-signal-safe: loads, stores through the caller's pointers, and for processors a system call.
#![allow(unsafe_code)] // writes through the caller's pointers

use super::deliver::{frame, word};
use super::types::*;
use super::{places, states};
use crate::device;
use crate::identity::Identity;
use crate::query;
use crate::task::{Ids, flag};
use crate::tls;
use std::ffi::{c_int, c_void};
use std::ptr::{self, null_mut};
use std::sync::atomic::Ordering::*;

/// Answer: the result is complete.
const KNOWN: c_int = 2;
/// Answer: there is a region or task, but nothing is known about it.
const UNKNOWN: c_int = 1;
const NOTHING: c_int = 0;

/// Writes a result through the caller's pointer, unless it is null.
///
/// # Safety
/// `place` is null or may be written.
#[inline(always)]
unsafe fn put<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: not null, so it may be written, by this function's `# Safety`.
        unsafe { place.write(value) };
    }
}

/// Writes `count` numbers if there is room for all. Returns `count`.
///
/// # Safety
/// `room` is null or may be written `size` times.
unsafe fn put_all(room: *mut c_int, size: c_int, count: c_int, numbers: impl Iterator<Item = c_int>) -> c_int {
    if count <= size && !room.is_null() {
        let room = (0..count).map(|i| room.wrapping_offset(i as isize));
        for (place, number) in room.zip(numbers) {
            // SAFETY: `room` may be written `size` times, by this function's `# Safety`, and `count` is at most `size`.
            unsafe { place.write(number) };
        }
    }
    count
}

/// The calling thread's data word; null for a thread without a record (4.6.1.5).
pub(super) extern "C-unwind" fn get_thread_data() -> *mut ompt_data_t {
    tls::get().map_or(null_mut(), |thread| word(thread.identity.data()))
}

/// The calling thread's state (4.6.1.12). Writes the id of its wait.
///
/// # Safety
/// `wait_id` is null or may be written.
pub(super) unsafe extern "C-unwind" fn get_state(wait_id: *mut ompt_wait_id_t) -> c_int {
    let now = query::now();
    // SAFETY: `wait_id` is null or may be written, by this function's `# Safety` (OpenMP 5.0, 4.6.1.12).
    unsafe { put(wait_id, if now.state.waits() { now.wait_id } else { ompt_wait_id_none }) };
    (states::v5_state(now.state) as u32).cast_signed()
}

/// Writes data word and team size of the region at an ancestor level (4.6.1.13). The outermost one is the implicit
/// parallel region around an initial task. Returns 2 if the result is complete, 1 if nothing is known about the region,
/// 0 if there is none.
///
/// # Safety
/// `parallel_data` and `team_size` are null or may be written.
pub(super) unsafe extern "C-unwind" fn get_parallel_info(
    ancestor_level: c_int,
    parallel_data: *mut *mut ompt_data_t,
    team_size: *mut c_int,
) -> c_int {
    let Ok(level) = usize::try_from(ancestor_level) else { return NOTHING };
    let (data, size) = match query::of_region_at(level, |region| (region.data(), region.size())) {
        Some((data, size)) => (data, size.cast_signed()),
        None => match around(level) {
            Ok(thread) => (thread.outside(), 1),
            Err(answer) => return answer,
        },
    };
    if size == 0 && !team_size.is_null() {
        // The region is just starting.
        return UNKNOWN;
    }
    // SAFETY: `parallel_data` is null or may be written, by this function's `# Safety` (OpenMP 5.0, 4.6.1.13).
    unsafe { put(parallel_data, word(data)) };
    // SAFETY: `team_size` is null or may be written, by this function's `# Safety`.
    unsafe { put(team_size, size) };
    KNOWN
}

/// The initial thread whose implicit parallel region is at this level; otherwise the query's answer.
fn around(level: usize) -> Result<&'static Identity, c_int> {
    let thread = tls::get().ok_or(NOTHING)?;
    let now = thread.activity.now();
    if now.is_unseen() || query::is_region_gone() {
        // It executes a region about which nothing is known.
        return Err(if level == 0 { UNKNOWN } else { NOTHING });
    }
    if now.is_leaving() || now.is_idle() {
        return Err(NOTHING);
    }
    let outermost = match level.checked_sub(1) {
        None => true,
        Some(below) => query::region_at(below).is_some(),
    };
    if outermost { query::initial_thread().ok_or(NOTHING) } else { Err(NOTHING) }
}

/// Writes the properties of the task at an ancestor level (4.6.1.14). The region is null if it is gone, and only the
/// thread's implicit task in it is left. Returns 2, 1 or 0 like [`get_parallel_info`].
///
/// # Safety
/// Each pointer is null or may be written.
pub(super) unsafe extern "C-unwind" fn get_task_info(
    ancestor_level: c_int,
    flags: *mut c_int,
    task_data: *mut *mut ompt_data_t,
    task_frame: *mut *mut ompt_frame_t,
    parallel_data: *mut *mut ompt_data_t,
    thread_num: *mut c_int,
) -> c_int {
    let Ok(level) = usize::try_from(ancestor_level) else { return NOTHING };
    if tls::get().is_some_and(|thread| thread.activity.now().is_unseen()) {
        return if level == 0 { UNKNOWN } else { NOTHING };
    }
    let Some((task, region)) = query::task_at(level) else { return NOTHING };
    let around = || query::initial_thread().filter(|_| !query::is_region_gone()).map(Identity::outside);
    let region_data = match region.map(|region| region.data()).or_else(around) {
        Some(data) => word(data),
        None if level == 0 => null_mut(),
        // The primary thread has ended the region since the tasks were read: nothing is known about what encloses it.
        None => return NOTHING,
    };
    // Like LLVM's runtime, in which an implicit task is undeferred.
    let undeferred = if task.flags() & flag::IMPLICIT != 0 { flag::UNDEFERRED } else { 0 };
    // SAFETY: `flags` is null or may be written, by this function's `# Safety` (OpenMP 5.0, 4.6.1.14).
    unsafe { put(flags, (task.flags() | undeferred).cast_signed()) };
    // SAFETY: `task_data` is null or may be written, by this function's `# Safety`.
    unsafe { put(task_data, word(task.data())) };
    // SAFETY: `task_frame` is null or may be written, by this function's `# Safety`.
    unsafe { put(task_frame, frame(task)) };
    // SAFETY: `parallel_data` is null or may be written, by this function's `# Safety`.
    unsafe { put(parallel_data, region_data) };
    // SAFETY: `thread_num` is null or may be written, by this function's `# Safety`.
    unsafe { put(thread_num, task.thread_number().cast_signed()) };
    KNOWN
}

/// Writes address and size, in bytes, of the current task's copies of variables, if it was queued with any (4.6.1.15).
/// They are one block, so the result is 0.
///
/// # Safety
/// `addr` and `size` are null or may be written.
pub(super) unsafe extern "C-unwind" fn get_task_memory(
    addr: *mut *mut c_void,
    size: *mut usize,
    block: c_int,
) -> c_int {
    let task = (block == 0).then(|| query::task_at(0)).flatten();
    let (start, bytes) = task.and_then(|(task, _)| task.memory()).unwrap_or_default();
    // SAFETY: `addr` is null or may be written, by this function's `# Safety` (OpenMP 5.0, 4.6.1.15).
    unsafe { put(addr, ptr::with_exposed_provenance_mut(start)) };
    // SAFETY: `size` is null or may be written, by this function's `# Safety`.
    unsafe { put(size, bytes) };
    0
}

/// The number of processors that are available at the time of the call (4.6.1.6).
pub(super) extern "C-unwind" fn get_num_procs() -> c_int {
    places::processors()
}

/// The number of places (4.6.1.7).
pub(super) extern "C-unwind" fn get_num_places() -> c_int {
    places::places()
}

/// The number of a place's processors; writes their ids if they fit (4.6.1.8).
///
/// # Safety
/// `ids` may be written `ids_size` times.
pub(super) unsafe extern "C-unwind" fn get_place_proc_ids(place_num: c_int, ids_size: c_int, ids: *mut c_int) -> c_int {
    let list = places::processors_of(place_num);
    let all = list.iter().map(|id| id.load(Relaxed));
    // SAFETY: `ids` may be written `ids_size` times, by this function's `# Safety` (OpenMP 5.0, 4.6.1.8).
    unsafe { put_all(ids, ids_size, c_int::try_from(list.len()).unwrap_or(0), all) }
}

/// The place that the calling thread is bound to, or -1 (4.6.1.9).
pub(super) extern "C-unwind" fn get_place_num() -> c_int {
    places::place()
}

/// The number of places in the calling thread's partition; writes their numbers if they fit (4.6.1.10).
///
/// # Safety
/// `place_nums` may be written `place_nums_size` times.
pub(super) unsafe extern "C-unwind" fn get_partition_place_nums(
    place_nums_size: c_int,
    place_nums: *mut c_int,
) -> c_int {
    let (first, count) = places::partition();
    // SAFETY: `place_nums` may be written `place_nums_size` times, by this function's `# Safety` (OpenMP 5.0,
    // 4.6.1.10).
    unsafe { put_all(place_nums, place_nums_size, count, first..) }
}

/// The processor on which the calling thread runs (4.6.1.11): glibc reads it from a page that the kernel shares. -1 on a thread that has
/// not used OpenMP, like LLVM's runtime.
pub(super) extern "C-unwind" fn get_proc_id() -> c_int {
    if tls::get().is_none() {
        return -1;
    }
    // SAFETY: sched_getcpu(3) takes no argument and writes no memory of ours.
    unsafe { libc::sched_getcpu() }
}

/// Writes the properties of the current target construct and returns 1; 0 if there is none (4.6.1.16).
///
/// # Safety
/// Each pointer is null or may be written.
pub(super) unsafe extern "C-unwind" fn get_target_info(
    device_num: *mut u64,
    target_id: *mut ompt_id_t,
    host_op_id: *mut ompt_id_t,
) -> c_int {
    let Some((number, device)) = query::target() else { return 0 };
    let operation = tls::get().map_or(ompt_id_none, |thread| thread.target.operation().load(Relaxed));
    // SAFETY: `device_num` is null or may be written, by this function's `# Safety` (OpenMP 5.0, 4.6.1.16).
    unsafe { put(device_num, u64::from(device.cast_unsigned())) };
    // SAFETY: `target_id` is null or may be written, by this function's `# Safety`.
    unsafe { put(target_id, number) };
    // SAFETY: `host_op_id` is null or may be written, by this function's `# Safety`.
    unsafe { put(host_op_id, operation) };
    1
}

/// The number of devices (4.6.1.17), 0 before the program's first target construct: asking a runtime for its devices
/// would load their drivers.
pub(super) extern "C-unwind" fn get_num_devices() -> c_int {
    device::devices()
}

/// A number that was never returned before (4.6.1.18), from a block that the thread has reserved.
pub(super) extern "C-unwind" fn get_unique_id() -> u64 {
    static OF_OTHERS: Ids = Ids::shared();
    tls::get().map_or(&OF_OTHERS, |thread| &thread.task_ids).next_late()
}

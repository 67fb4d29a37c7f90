//! Callback functions that the runtime invokes: each converts its arguments to an event. Unsafe: the pointers among
//! them.
//!
//! The safety conditions are the same for all of them: the runtime calls them with arguments as specified in OpenMP
//! 5.0, 4.5.2. Pointers are null or point to data that doesn't change while the callback runs.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint, c_void};

use validate_layout::event::{Event, Mutex, Sync};

use super::deliver::deliver;
use super::raw::{self, Data, RawDependence, RawFrame, address};

pub(super) unsafe extern "C-unwind" fn thread_begin(kind: c_int, thread: *mut Data) {
    // SAFETY: null or valid while the callback runs (OpenMP 5.0, 4.5.2; module documentation).
    let mark = deliver(Event::ThreadBegin { kind, thread: unsafe { raw::word(thread) } });
    // SAFETY: null or the tool's own word while the callback runs (module documentation).
    unsafe { raw::mark(thread, mark) };
}

pub(super) unsafe extern "C-unwind" fn thread_end(thread: *mut Data) {
    // SAFETY: null or valid while the callback runs (OpenMP 5.0, 4.5.2; module documentation).
    deliver(Event::ThreadEnd { thread: unsafe { raw::word(thread) } });
}

pub(super) unsafe extern "C-unwind" fn parallel_begin(
    encountering: *mut Data,
    frame: *const RawFrame,
    parallel: *mut Data,
    requested: c_uint,
    flags: c_int,
    code: *const c_void,
) {
    let mark = deliver(Event::ParallelBegin {
        // SAFETY: null or valid while the callback runs (OpenMP 5.0, 4.5.2; module documentation).
        encountering: unsafe { raw::word(encountering) },
        // SAFETY: null or valid while the callback runs (OpenMP 5.0, 4.5.2; module documentation).
        frame: unsafe { raw::frame(frame) },
        // SAFETY: null or valid while the callback runs (OpenMP 5.0, 4.5.2; module documentation).
        parallel: unsafe { raw::word(parallel) },
        requested,
        flags,
        code: address(code),
    });
    // SAFETY: null or the tool's own word while the callback runs (module documentation).
    unsafe { raw::mark(parallel, mark) };
}

pub(super) unsafe extern "C-unwind" fn parallel_end(
    parallel: *mut Data,
    encountering: *mut Data,
    flags: c_int,
    code: *const c_void,
) {
    deliver(Event::ParallelEnd {
        // SAFETY: null or valid while the callback runs (OpenMP 5.0, 4.5.2; module documentation).
        parallel: unsafe { raw::word(parallel) },
        // SAFETY: null or valid while the callback runs (OpenMP 5.0, 4.5.2; module documentation).
        encountering: unsafe { raw::word(encountering) },
        flags,
        code: address(code),
    });
}

pub(super) unsafe extern "C-unwind" fn work(
    kind: c_int,
    endpoint: c_int,
    parallel: *mut Data,
    task: *mut Data,
    count: u64,
    code: *const c_void,
) {
    // SAFETY: null or valid while the callback runs (OpenMP 5.0, 4.5.2; module documentation).
    let (parallel, task) = (unsafe { raw::word(parallel) }, unsafe { raw::word(task) });
    deliver(Event::Work { kind, endpoint, parallel, task, count, code: address(code) });
}

pub(super) unsafe extern "C-unwind" fn dispatch(parallel: *mut Data, task: *mut Data, kind: c_int, instance: Data) {
    // SAFETY: null or valid while the callback runs (OpenMP 5.0, 4.5.2; module documentation).
    let (parallel, task) = (unsafe { raw::word(parallel) }, unsafe { raw::word(task) });
    // SAFETY: null or valid while the callback runs (OpenMP 5.0, 4.5.2; module documentation).
    let chunk = unsafe { raw::chunk(kind, instance) };
    deliver(Event::Dispatch { parallel, task, kind, instance, chunk });
}

pub(super) unsafe extern "C-unwind" fn task_create(
    encountering: *mut Data,
    frame: *const RawFrame,
    task: *mut Data,
    flags: c_int,
    has_dependences: c_int,
    code: *const c_void,
) {
    let mark = deliver(Event::TaskCreate {
        // SAFETY: null or valid while the callback runs (OpenMP 5.0, 4.5.2; module documentation).
        encountering: unsafe { raw::word(encountering) },
        // SAFETY: null or valid while the callback runs (OpenMP 5.0, 4.5.2; module documentation).
        frame: unsafe { raw::frame(frame) },
        // SAFETY: null or valid while the callback runs (OpenMP 5.0, 4.5.2; module documentation).
        task: unsafe { raw::word(task) },
        flags,
        has_dependences,
        code: address(code),
    });
    // SAFETY: null or the tool's own word while the callback runs (module documentation).
    unsafe { raw::mark(task, mark) };
}

pub(super) unsafe extern "C-unwind" fn dependences(task: *mut Data, list: *const RawDependence, count: c_int) {
    // SAFETY: null or valid while the callback runs (OpenMP 5.0, 4.5.2; module documentation).
    let task = unsafe { raw::word(task) };
    // SAFETY: null or `count` of them while the callback runs (OpenMP 5.0, 4.5.2.8; module documentation).
    let dependences = unsafe { raw::dependences(list, count) };
    deliver(Event::Dependences { task, dependences, count });
}

pub(super) unsafe extern "C-unwind" fn task_dependence(source: *mut Data, sink: *mut Data) {
    // SAFETY: null or valid while the callback runs (OpenMP 5.0, 4.5.2; module documentation).
    let (source, sink) = (unsafe { raw::word(source) }, unsafe { raw::word(sink) });
    deliver(Event::TaskDependence { source, sink });
}

pub(super) unsafe extern "C-unwind" fn task_schedule(prior: *mut Data, status: c_int, next: *mut Data) {
    // SAFETY: null or valid while the callback runs (OpenMP 5.0, 4.5.2; module documentation).
    let (prior, next) = (unsafe { raw::word(prior) }, unsafe { raw::word(next) });
    deliver(Event::TaskSchedule { prior, status, next });
}

pub(super) unsafe extern "C-unwind" fn implicit_task(
    endpoint: c_int,
    parallel: *mut Data,
    task: *mut Data,
    actual: c_uint,
    index: c_uint,
    flags: c_int,
) {
    let mark = deliver(Event::ImplicitTask {
        endpoint,
        // SAFETY: null or valid while the callback runs (OpenMP 5.0, 4.5.2; module documentation).
        parallel: unsafe { raw::word(parallel) },
        // SAFETY: null or valid while the callback runs (OpenMP 5.0, 4.5.2; module documentation).
        task: unsafe { raw::word(task) },
        actual,
        index,
        flags,
    });
    // SAFETY: null or the tool's own word while the callback runs (module documentation).
    unsafe { raw::mark(task, mark) };
}

pub(super) unsafe extern "C-unwind" fn masked(
    endpoint: c_int,
    parallel: *mut Data,
    task: *mut Data,
    code: *const c_void,
) {
    // SAFETY: null or valid while the callback runs (OpenMP 5.0, 4.5.2; module documentation).
    let (parallel, task) = (unsafe { raw::word(parallel) }, unsafe { raw::word(task) });
    deliver(Event::Masked { endpoint, parallel, task, code: address(code) });
}

/// # Safety
/// As for all callbacks.
unsafe fn sync(which: Sync, kind: c_int, endpoint: c_int, parallel: *mut Data, task: *mut Data, code: *const c_void) {
    // SAFETY: null or valid while the callback runs (OpenMP 5.0, 4.5.2; module documentation).
    let (parallel, task) = (unsafe { raw::word(parallel) }, unsafe { raw::word(task) });
    deliver(Event::Sync { which, kind, endpoint, parallel, task, code: address(code) });
}

pub(super) unsafe extern "C-unwind" fn sync_region(
    kind: c_int,
    endpoint: c_int,
    parallel: *mut Data,
    task: *mut Data,
    code: *const c_void,
) {
    // SAFETY: null or valid while the callback runs (OpenMP 5.0, 4.5.2; module documentation).
    unsafe { sync(Sync::Region, kind, endpoint, parallel, task, code) };
}

pub(super) unsafe extern "C-unwind" fn sync_region_wait(
    kind: c_int,
    endpoint: c_int,
    parallel: *mut Data,
    task: *mut Data,
    code: *const c_void,
) {
    // SAFETY: null or valid while the callback runs (OpenMP 5.0, 4.5.2; module documentation).
    unsafe { sync(Sync::Wait, kind, endpoint, parallel, task, code) };
}

pub(super) unsafe extern "C-unwind" fn reduction(
    kind: c_int,
    endpoint: c_int,
    parallel: *mut Data,
    task: *mut Data,
    code: *const c_void,
) {
    // SAFETY: null or valid while the callback runs (OpenMP 5.0, 4.5.2; module documentation).
    unsafe { sync(Sync::Reduction, kind, endpoint, parallel, task, code) };
}

pub(super) unsafe extern "C-unwind" fn lock_init(
    kind: c_int,
    hint: c_uint,
    implementation: c_uint,
    wait: u64,
    code: *const c_void,
) {
    deliver(Event::MutexAcquire { init: true, kind, hint, implementation, wait, code: address(code) });
}

pub(super) unsafe extern "C-unwind" fn mutex_acquire(
    kind: c_int,
    hint: c_uint,
    implementation: c_uint,
    wait: u64,
    code: *const c_void,
) {
    deliver(Event::MutexAcquire { init: false, kind, hint, implementation, wait, code: address(code) });
}

pub(super) unsafe extern "C-unwind" fn lock_destroy(kind: c_int, wait: u64, code: *const c_void) {
    deliver(Event::Mutex { which: Mutex::Destroy, kind, wait, code: address(code) });
}

pub(super) unsafe extern "C-unwind" fn mutex_acquired(kind: c_int, wait: u64, code: *const c_void) {
    deliver(Event::Mutex { which: Mutex::Acquired, kind, wait, code: address(code) });
}

pub(super) unsafe extern "C-unwind" fn mutex_released(kind: c_int, wait: u64, code: *const c_void) {
    deliver(Event::Mutex { which: Mutex::Released, kind, wait, code: address(code) });
}

pub(super) unsafe extern "C-unwind" fn nest_lock(endpoint: c_int, wait: u64, code: *const c_void) {
    deliver(Event::NestLock { endpoint, wait, code: address(code) });
}

pub(super) unsafe extern "C-unwind" fn flush(thread: *mut Data, code: *const c_void) {
    // SAFETY: null or valid while the callback runs (OpenMP 5.0, 4.5.2; module documentation).
    deliver(Event::Flush { thread: unsafe { raw::word(thread) }, code: address(code) });
}

pub(super) unsafe extern "C-unwind" fn cancel(task: *mut Data, flags: c_int, code: *const c_void) {
    // SAFETY: null or valid while the callback runs (OpenMP 5.0, 4.5.2; module documentation).
    deliver(Event::Cancel { task: unsafe { raw::word(task) }, flags, code: address(code) });
}

/// `control_tool`. Its result is returned by `omp_control_tool`. 0: success.
pub(super) unsafe extern "C-unwind" fn control_tool(
    command: u64,
    modifier: u64,
    argument: *mut c_void,
    code: *const c_void,
) -> c_int {
    deliver(Event::ControlTool { command, modifier, argument: address(argument), code: address(code) });
    0
}

pub(super) unsafe extern "C-unwind" fn error(
    severity: c_int,
    _message: *const std::ffi::c_char,
    _length: usize,
    code: *const c_void,
) {
    deliver(Event::Error { severity, code: address(code) });
}

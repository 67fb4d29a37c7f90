//! Functions exported in place of the C library's: thread creation, and the end of the process without exit handlers. Unsafe: calls
//! of the program's functions and the C library's.
//!
//! The new thread runs [`run`] or [`run_c11`], which assigns the record to the thread and calls the program's
//! function. One of our frames stays on the thread's stack; it holds nothing that cancellation or `pthread_exit`
//! would have to clean up.
#![allow(unsafe_code)]
// Unit tests use the C library's own functions.
#![cfg_attr(test, allow(dead_code))]

use std::ffi::{c_int, c_void};
use std::mem::{MaybeUninit, transmute};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::next_definition::next;
use crate::stack_bounds::Stack;
use crate::thread_record::Thread;
use crate::{session, setting, threads};

type Routine = unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void;
type Create =
    unsafe extern "C" fn(*mut libc::pthread_t, *const libc::pthread_attr_t, Option<Routine>, *mut c_void) -> c_int;
type C11Routine = unsafe extern "C-unwind" fn(*mut c_void) -> c_int;
type C11Create = unsafe extern "C" fn(*mut libc::pthread_t, Option<C11Routine>, *mut c_void) -> c_int;

/// `pthread_getattr_default_np(3)`, which came with glibc 2.18.
type DefaultAttributes = unsafe extern "C" fn(*mut libc::pthread_attr_t) -> c_int;

/// Addresses of the next definitions; 0: not looked up yet.
static CREATE: AtomicUsize = AtomicUsize::new(0);
static C11_CREATE: AtomicUsize = AtomicUsize::new(0);
static DEFAULT_ATTRIBUTES: AtomicUsize = AtomicUsize::new(0);
/// `thrd_error` of `<threads.h>` (C11, 7.26.1).
const THRD_ERROR: c_int = 2;

/// `pthread_create` of POSIX (pthread_create(3)); the thread is sampled.
///
/// # Safety
/// As for the C library's function.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn pthread_create(
    thread: *mut libc::pthread_t,
    attributes: *const libc::pthread_attr_t,
    routine: Option<Routine>,
    argument: *mut c_void,
) -> c_int {
    let create = next(&CREATE, c"pthread_create");
    if create == 0 {
        return libc::EAGAIN;
    }
    // SAFETY: the C library's function of this name has this type.
    let create = unsafe { transmute::<usize, Create>(create) };
    let Some(record) = routine.and_then(|routine| record(routine as usize, argument)) else {
        // SAFETY: all arguments are as pthread_create(3) requires, by this function's `# Safety`.
        return unsafe { create(thread, attributes, routine, argument) };
    };
    // SAFETY: `attributes` is null or as pthread_create(3) requires, by this function's `# Safety`.
    record.length.store(unsafe { stack_length(attributes) }, Relaxed);
    let record_pointer = ptr::from_ref(record).cast_mut().cast();
    // SAFETY: `thread` and `attributes` are as pthread_create(3) requires, by this function's `# Safety`; `run` takes a
    // record.
    let answer = unsafe { create(thread, attributes, Some(run), record_pointer) };
    if answer != 0 {
        record.give_back();
    }
    answer
}

/// `thrd_create` of C11 (7.26.5.1); the thread is sampled. The C library's version doesn't call `pthread_create`.
///
/// # Safety
/// As for the C library's function.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn thrd_create(
    thread: *mut libc::pthread_t,
    routine: Option<C11Routine>,
    argument: *mut c_void,
) -> c_int {
    let create = next(&C11_CREATE, c"thrd_create");
    if create == 0 {
        return THRD_ERROR;
    }
    // SAFETY: the C library's function of this name has this type.
    let create = unsafe { transmute::<usize, C11Create>(create) };
    let Some(record) = routine.and_then(|routine| record(routine as usize, argument)) else {
        // SAFETY: all arguments are as C11, 7.26.5.1 requires, by this function's `# Safety`.
        return unsafe { create(thread, routine, argument) };
    };
    // SAFETY: null is allowed by the `# Safety` of `stack_length`.
    record.length.store(unsafe { stack_length(ptr::null()) }, Relaxed);
    let record_pointer = ptr::from_ref(record).cast_mut().cast();
    // SAFETY: `thread` is as C11, 7.26.5.1 requires, by this function's `# Safety`; `run_c11` takes a record.
    let answer = unsafe { create(thread, Some(run_c11), record_pointer) };
    if answer != 0 {
        record.give_back();
    }
    answer
}

/// The record for a new thread, if it is to be sampled.
fn record(routine: usize, argument: *mut c_void) -> Option<&'static Thread> {
    if !threads::are_kept() || setting::get().is_none() {
        return None;
    }
    let record = threads::take()?;
    record.routine.store(routine, Relaxed);
    record.argument.store(argument, Relaxed);
    Some(record)
}

/// Stack size that a thread with these attributes gets, in bytes.
///
/// # Safety
/// Null, or attributes that are valid for `pthread_create`.
unsafe fn stack_length(attributes: *const libc::pthread_attr_t) -> usize {
    let mut length = 0;
    if !attributes.is_null() {
        // SAFETY: not null, so attributes that are initialised, by this function's `# Safety`; `length` may be written.
        unsafe { libc::pthread_attr_getstacksize(attributes, &raw mut length) };
        return length;
    }
    let default = next(&DEFAULT_ATTRIBUTES, c"pthread_getattr_default_np");
    if default == 0 {
        return length;
    }
    // SAFETY: the C library's function of this name has this type.
    let default = unsafe { transmute::<usize, DefaultAttributes>(default) };
    let mut usual = MaybeUninit::<libc::pthread_attr_t>::uninit();
    // SAFETY: `usual` has space for the attributes that are written (pthread_getattr_default_np(3)).
    if unsafe { default(usual.as_mut_ptr()) } == 0 {
        // SAFETY: `pthread_getattr_default_np` has initialised `usual`: it returned 0.
        unsafe { libc::pthread_attr_getstacksize(usual.as_ptr(), &raw mut length) };
        // SAFETY: `pthread_getattr_default_np` has initialised `usual`, which is no longer used.
        unsafe { libc::pthread_attr_destroy(usual.as_mut_ptr()) };
    }
    length
}

unsafe extern "C-unwind" fn run(record: *mut c_void) -> *mut c_void {
    // SAFETY: `pthread_create` passes the record that it took for this thread.
    let (routine, argument) = unsafe { begin(record) };
    // SAFETY: `record` stored the program's `Routine` as this number, and `pthread_create` passed the record.
    let routine = unsafe { transmute::<usize, Routine>(routine) };
    // SAFETY: the routine and its argument belong together: the program gave both to one `pthread_create`.
    unsafe { routine(argument) }
}

unsafe extern "C-unwind" fn run_c11(record: *mut c_void) -> c_int {
    // SAFETY: `thrd_create` passes the record that it took for this thread.
    let (routine, argument) = unsafe { begin(record) };
    // SAFETY: `record` stored the program's `C11Routine` as this number, and `thrd_create` passed the record.
    let routine = unsafe { transmute::<usize, C11Routine>(routine) };
    // SAFETY: the routine and its argument belong together: the program gave both to one `thrd_create`.
    unsafe { routine(argument) }
}

/// Makes `record` the calling new thread's. Returns the address of the program's function and its argument.
///
/// # Safety
/// A record that was taken for this thread.
unsafe fn begin(record: *mut c_void) -> (usize, *mut c_void) {
    // SAFETY: a record, by this function's `# Safety`; `Thread::map` maps records forever.
    let record = unsafe { &*record.cast::<Thread>() };
    let wanted = (record.routine.load(Relaxed), record.argument.load(Relaxed));
    threads::begin(record, Stack::Long(record.length.load(Relaxed)));
    wanted
}

::system::before_quick_exit!(session::on_quick_exit);

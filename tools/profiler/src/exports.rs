//! What the library exports in place of the C library: the begin of threads, and what happens at signals. Unsafe: calls of
//! the program's functions and the C library's.
//!
//! The new thread runs [`run`], which makes the thread's record its own and calls the program's function. A frame of ours
//! stays on the thread's stack; there is nothing in it that cancellation or `pthread_exit` would have to clean up.
#![allow(unsafe_code)]
// The unit tests keep the C library's own.
#![cfg_attr(test, allow(dead_code))]

use std::ffi::{c_int, c_void};
use std::mem::{MaybeUninit, transmute};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::threads::{self, Stack, Thread};
use crate::{disposition, setting};

type Routine = unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void;
type Create =
    unsafe extern "C" fn(*mut libc::pthread_t, *const libc::pthread_attr_t, Option<Routine>, *mut c_void) -> c_int;

unsafe extern "C" {
    fn pthread_getattr_default_np(attributes: *mut libc::pthread_attr_t) -> c_int;
}

/// The next definition; 0: not looked for.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// As POSIX has it (pthread_create(3)); the thread is sampled.
///
/// # Safety
/// As for the C library's.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn pthread_create(
    thread: *mut libc::pthread_t,
    attributes: *const libc::pthread_attr_t,
    routine: Option<Routine>,
    argument: *mut c_void,
) -> c_int {
    let Some(create) = next() else { return libc::EAGAIN };
    let profiled = threads::are_kept() && setting::get().is_some();
    let Some((record, routine)) = routine.filter(|_| profiled).and_then(|routine| Some((threads::take()?, routine)))
    else {
        // SAFETY: the caller's promise.
        return unsafe { create(thread, attributes, routine, argument) };
    };
    record.routine.store(routine as usize, Relaxed);
    record.argument.store(argument, Relaxed);
    // SAFETY: the caller's promise.
    record.length.store(unsafe { stack_length(attributes) }, Relaxed);
    let record_pointer = ptr::from_ref(record).cast_mut().cast();
    // SAFETY: the caller's promise for the first two; `run` takes a record.
    let answer = unsafe { create(thread, attributes, Some(run), record_pointer) };
    if answer != 0 {
        record.give_back();
    }
    answer
}

/// How long the stack of a thread with these attributes is.
///
/// # Safety
/// Null, or attributes as `pthread_create` wants them.
unsafe fn stack_length(attributes: *const libc::pthread_attr_t) -> usize {
    let mut length = 0;
    if !attributes.is_null() {
        // SAFETY: the caller's promise.
        unsafe { libc::pthread_attr_getstacksize(attributes, &raw mut length) };
        return length;
    }
    let mut usual = MaybeUninit::<libc::pthread_attr_t>::uninit();
    // SAFETY: room for attributes.
    if unsafe { pthread_getattr_default_np(usual.as_mut_ptr()) } == 0 {
        // SAFETY: filled in above.
        unsafe { libc::pthread_attr_getstacksize(usual.as_ptr(), &raw mut length) };
        // SAFETY: filled in above, and used for the last time.
        unsafe { libc::pthread_attr_destroy(usual.as_mut_ptr()) };
    }
    length
}

unsafe extern "C-unwind" fn run(record: *mut c_void) -> *mut c_void {
    // SAFETY: `pthread_create` passes a record, which stays for good and is this thread's.
    let record = unsafe { &*record.cast::<Thread>() };
    let (routine, argument) = (record.routine.load(Relaxed), record.argument.load(Relaxed));
    record.begin(Stack::Long(record.length.load(Relaxed)));
    // SAFETY: the program's function, as it came to `pthread_create`.
    let routine = unsafe { transmute::<usize, Routine>(routine) };
    // SAFETY: the program's promise to `pthread_create`.
    unsafe { routine(argument) }
}

fn next() -> Option<Create> {
    let mut found = NEXT.load(Relaxed);
    if found == 0 {
        // SAFETY: a constant C string; the call only looks it up.
        found = unsafe { libc::dlsym(libc::RTLD_NEXT, c"pthread_create".as_ptr()) }.expose_provenance();
        NEXT.store(found, Relaxed);
    }
    // SAFETY: the C library's function of this name has this type.
    (found != 0).then(|| unsafe { transmute::<usize, Create>(found) })
}

/// As POSIX has it (sigaction(3p)); the program doesn't see that a signal is ours.
///
/// # Safety
/// As for the C library's.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn sigaction(signal: c_int, new: *const libc::sigaction, old: *mut libc::sigaction) -> c_int {
    // SAFETY: the caller's promise.
    if unsafe { disposition::concern(signal, new, old) } {
        return 0;
    }
    let Some(next) = disposition::next() else { return -1 };
    // SAFETY: the caller's promise.
    unsafe { next(signal, new, old) }
}

/// As the C library has it (signal(3)): a handler that stays, and calls that go on.
///
/// # Safety
/// As for the C library's.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn signal(number: c_int, handler: libc::sighandler_t) -> libc::sighandler_t {
    // SAFETY: all zero is a valid action with an empty mask.
    let (mut new, mut old): (libc::sigaction, libc::sigaction) = unsafe { std::mem::zeroed() };
    new.sa_sigaction = handler;
    new.sa_flags = libc::SA_RESTART;
    // SAFETY: the caller's promise for the handler; both actions are there.
    if unsafe { sigaction(number, &raw const new, &raw mut old) } == 0 { old.sa_sigaction } else { libc::SIG_ERR }
}

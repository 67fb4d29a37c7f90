//! The ends of libgomp's workers, reported while their thread-local objects still exist.
//!
//! The C library destroys a thread's C++ `thread_local` objects after its start routine has returned. Only then does it call the
//! destructors of pthread keys, which report the ends of other threads: a tool with such objects would be called after their destruction.
//! So libgomp's GOT is patched when a tool attaches: its calls of `pthread_create` come here, and workers start in a function of ours. It
//! reports the end when libgomp's start routine returns, and when it is unwound (`pthread_exit`, cancellation). The ends of workers that
//! existed before are reported by the key's destructor.
#![allow(unsafe_code)] // replaces libgomp's start routine

use super::entry::Code;
use super::exports::RUNTIMES;
use super::runtime::{MAX_LIBGOMPS, Runtime};
use ompt_core::thread;
use std::ffi::{c_int, c_void};
use std::mem::{MaybeUninit, transmute};
use std::ptr::null_mut;
use std::sync::atomic::{Ordering::*, fence};

/// A thread's start routine, which may be unwound.
type Start = unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void;
type Create =
    unsafe extern "C" fn(*mut libc::pthread_t, *const libc::pthread_attr_t, Option<Start>, *mut c_void) -> c_int;

/// `struct _pthread_cleanup_buffer`
#[repr(C)]
struct Cleanup {
    routine: Option<unsafe extern "C-unwind" fn(*mut c_void)>,
    argument: *mut c_void,
    cancel_type: c_int,
    previous: *mut Cleanup,
}

unsafe extern "C-unwind" {
    /// Registers the routine. glibc calls it when the calling frame, which contains the buffer, is left by `pthread_exit` or cancellation.
    fn _pthread_cleanup_push(
        buffer: *mut Cleanup,
        routine: unsafe extern "C-unwind" fn(*mut c_void),
        argument: *mut c_void,
    );
    /// Unregisters the buffer and, if `execute` is not 0, calls the routine.
    fn _pthread_cleanup_pop(buffer: *mut Cleanup, execute: c_int);
}

/// Replacements of `pthread_create`, one for each runtime instance.
pub(super) const CREATE: [Code; MAX_LIBGOMPS] = [
    Code(create::<0> as *const ()),
    Code(create::<1> as *const ()),
    Code(create::<2> as *const ()),
    Code(create::<3> as *const ()),
    Code(create::<4> as *const ()),
    Code(create::<5> as *const ()),
    Code(create::<6> as *const ()),
    Code(create::<7> as *const ()),
];

/// Instance `B`.
fn runtime<const B: usize>() -> &'static Runtime {
    #[allow(clippy::indexing_slicing)] // a wrong number does not compile
    const {
        &RUNTIMES.all[B]
    }
}

/// # Safety
/// As for `pthread_create`.
unsafe extern "C" fn create<const B: usize>(
    thread: *mut libc::pthread_t,
    attributes: *const libc::pthread_attr_t,
    start: Option<Start>,
    argument: *mut c_void,
) -> c_int {
    let workers = &runtime::<B>().workers;
    // Acquire: pairs with the store in `Import::redirect`. libgomp's call came through that word, which its jump loads without any
    // ordering; what `lead_calls_of` stored before is seen from here on.
    fence(Acquire);
    // Acquire: pairs with the store in `lead_calls_of`.
    // SAFETY: `lead_calls_of` stored the address before libgomp was led here, by a relocation for `pthread_create`, which has
    // this type (pthread.h).
    let real = unsafe { transmute::<*mut c_void, Create>(workers.create.load(Acquire)) };
    let is_worker = workers.begin_at(start.map_or(0, |start| start as usize));
    // SAFETY: libgomp calls `pthread_create` with these arguments, by this function's `# Safety`; `worker` calls the same start
    // routine with the same argument.
    unsafe { real(thread, attributes, if is_worker { Some(worker::<B>) } else { start }, argument) }
}

/// Start routine of workers.
///
/// # Safety
/// As for libgomp's own start routine.
unsafe extern "C-unwind" fn worker<const B: usize>(argument: *mut c_void) -> *mut c_void {
    // SAFETY: `create` stored the address of libgomp's start routine (`begin_at`), never 0, before the thread was created.
    let start = unsafe { transmute::<usize, Start>(runtime::<B>().workers.start.load(Relaxed)) };
    let mut cleanup = MaybeUninit::<Cleanup>::uninit();
    // SAFETY: the buffer is in this frame until it is popped below, or the frame is unwound, which ends its use. Nothing in this frame
    // needs to be dropped: a forced unwinding may pass it (a guard with a destructor would be undefined behaviour then), and glibc itself
    // calls the routine.
    unsafe { _pthread_cleanup_push(cleanup.as_mut_ptr(), end, null_mut()) };
    // SAFETY: libgomp passed this start routine with this argument to `pthread_create` (`create`).
    let result = unsafe { start(argument) };
    // SAFETY: `_pthread_cleanup_push` got the buffer above, in this frame, and everything pushed since has been popped.
    unsafe { _pthread_cleanup_pop(cleanup.as_mut_ptr(), 1) };
    result
}

/// Reports the end of the calling worker, which has left libgomp's start routine.
unsafe extern "C-unwind" fn end(_: *mut c_void) {
    thread::end();
}

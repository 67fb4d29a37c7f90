//! Entry point of the collectors' library (its constructor), and the system calls that all collectors need. Unsafe:
//! these calls.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{self, without_provenance_mut};
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use stat_layout::area::{self, Shared};
use stat_layout::roll::Roll;

unsafe extern "C" {
    fn secure_getenv(name: *const c_char) -> *const c_char;
}

/// Runs when the library is loaded, before `main` and before the constructors of the program's own libraries.
#[unsafe(no_mangle)]
extern "C" fn ora_collectors_attach() {
    if let Some((area, _)) = shared(c"ORA_STAT_FILE") {
        crate::stat::attach(area);
    } else if let Some((area, instances)) = shared(c"ORA_TASKS_FILE") {
        crate::tasks::attach(area, instances);
    }
}

/// The shared memory that an environment variable names.
fn shared<T: Shared>(variable: &CStr) -> Option<(&'static T, &'static [T::Item])> {
    // Not honoured in a program that runs with another user's rights.
    // SAFETY: a C string; nobody changes the environment while libraries are being loaded.
    let path = unsafe { secure_getenv(variable.as_ptr()) };
    if path.is_null() {
        return None;
    }
    // SAFETY: the environment's strings end in a zero and stay as they are while libraries are being loaded.
    let found = area::open::<T>(unsafe { CStr::from_ptr(path) })?;
    ROLL.store(ptr::from_ref(found.0.roll()).cast_mut(), Relaxed);
    Some(found)
}

/// The process table in the shared memory, or null.
static ROLL: AtomicPtr<Roll> = AtomicPtr::new(ptr::null_mut());

/// Adds to the count of programs that this process has executed and that can't be watched. The guard finds it by its name.
/// Async-signal-safe.
#[unsafe(no_mangle)]
extern "C" fn ora_collectors_unwatched(more: c_int) {
    // SAFETY: null, or shared memory that is never unmapped, all of atomics.
    if let Some(roll) = unsafe { ROLL.load(Relaxed).as_ref() } {
        roll.header.unwatched.fetch_add(more.cast_unsigned(), Relaxed);
    }
}

/// Something to be done when a thread ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadEnd(libc::pthread_key_t);

impl ThreadEnd {
    /// `then` is called with the number that the thread has set, in turn with the destructors of others.
    pub(crate) fn new(then: extern "C" fn(*mut c_void)) -> Option<Self> {
        let mut key = 0;
        // SAFETY: `key` is there to be written; this library, and so the destructor, is never unloaded.
        let made = unsafe { libc::pthread_key_create(&raw mut key, Some(then)) };
        (made == 0).then_some(Self(key))
    }

    /// Asks for a call at this thread's end, or for one more of them from within a call.
    pub(crate) fn set(self, number: usize) {
        // SAFETY: the key was made in `new` and is never deleted.
        unsafe { libc::pthread_setspecific(self.0, without_provenance_mut(number)) };
    }
}

/// Asks for a call in each forked child. Other handlers may not have run then, and locks may be held.
pub(crate) fn at_fork(then: extern "C" fn()) {
    // SAFETY: the handler is a function of this library, which is never unloaded.
    unsafe { libc::pthread_atfork(None, None, Some(then)) };
}

/// Asks for a call among the exit handlers.
pub(crate) fn at_exit(then: extern "C" fn()) {
    // SAFETY: the handler is a function of this library, which is never unloaded.
    unsafe { libc::atexit(then) };
}

/// Address of the program's entry point.
pub(crate) fn entry_of_program() -> u64 {
    // SAFETY: reads the auxiliary vector that the kernel passed to the process at its start.
    unsafe { libc::getauxval(libc::AT_ENTRY) }
}

/// The address of a function or variable that the program sees under this name; 0: there is none.
pub(crate) fn address(name: &CStr) -> u64 {
    // SAFETY: a C string; the call only looks it up.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }.addr() as u64
}

/// True if a runtime is loaded that is known by its symbols' versions: libgomp has this one, and LLVM's runtime for its
/// sake.
pub(crate) fn has_known_runtime() -> bool {
    // SAFETY: C strings; the call only looks the symbol up.
    let found = unsafe { libc::dlvsym(libc::RTLD_DEFAULT, c"omp_get_num_threads".as_ptr(), c"OMP_1.0".as_ptr()) };
    !found.is_null()
}

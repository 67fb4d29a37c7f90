//! Entry point of the collectors' library (its constructor). Unsafe: reading the environment, and shared memory.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use stat_layout::area::{self, Shared};
use stat_layout::process_table::ProcessTable;

unsafe extern "C" {
    fn secure_getenv(name: *const c_char) -> *const c_char;
}

/// Runs when the library is loaded, before `main` and before the constructors of the program's own libraries.
#[unsafe(no_mangle)]
extern "C" fn ora_collectors_attach() {
    system::quick_exit::prepare();
    if let Some((area, _)) = shared(c"ORA_STAT_FILE") {
        crate::stat::attach(area);
    } else if let Some((area, instances)) = shared(c"ORA_TASKS_FILE") {
        crate::tasks::attach(area, instances);
    }
}

/// The shared memory that an environment variable names.
fn shared<T: Shared>(variable: &CStr) -> Option<(&'static T, &'static [T::Item])> {
    // The variable is ignored in a program that runs with another user's rights. SAFETY: a C string; nobody changes
    // the environment while libraries are being loaded.
    let path = unsafe { secure_getenv(variable.as_ptr()) };
    if path.is_null() {
        return None;
    }
    // SAFETY: the environment's strings end in a zero and stay as they are while libraries are being loaded.
    let found = area::open::<T>(unsafe { CStr::from_ptr(path) })?;
    PROCESS_TABLE.store(ptr::from_ref(found.0.process_table()).cast_mut(), Relaxed);
    Some(found)
}

/// The process table in the shared memory, or null.
static PROCESS_TABLE: AtomicPtr<ProcessTable> = AtomicPtr::new(ptr::null_mut());

/// Adds to the count of programs that this process has executed and that can't be watched. The guard finds it by its name.
/// Async-signal-safe.
#[unsafe(no_mangle)]
extern "C" fn ora_collectors_unwatched(more: c_int) {
    // SAFETY: null, or shared memory that is never unmapped, all of atomics.
    if let Some(process_table) = unsafe { PROCESS_TABLE.load(Relaxed).as_ref() } {
        process_table.header.unwatched.fetch_add(more.cast_unsigned(), Relaxed);
    }
}

/// The process ends without exit handlers. Async-signal-safe.
fn on_quick_exit() {
    crate::stat::on_quick_exit();
    crate::tasks::on_quick_exit();
}

system::before_quick_exit!(on_quick_exit);

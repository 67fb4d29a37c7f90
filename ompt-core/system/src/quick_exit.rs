//! The end of a process without exit handlers: `_exit` and `_Exit`, which a library exports in place of the C library's.
//! Unsafe: the next functions of these names.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int};
use std::mem::transmute;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

type Exit = unsafe extern "C" fn(c_int) -> !;

/// Address of the next `_exit`; 0: not looked up, or none.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// Looks the next function up, since that is not async-signal-safe. Before that, a process ends by the system call.
pub fn prepare() {
    const NAME: &CStr = c"_exit";
    // SAFETY: a C string; the call only looks it up.
    let next = unsafe { libc::dlsym(libc::RTLD_NEXT, NAME.as_ptr()) };
    NEXT.store(next.expose_provenance(), Relaxed);
}

/// Ends the process. Async-signal-safe: a load and the next function, or a system call.
pub fn leave(status: c_int) -> ! {
    let next = NEXT.load(Relaxed);
    if next != 0 {
        // SAFETY: `prepare` found this address under the name `_exit`, whose type this is (_exit(2)).
        let exit = unsafe { transmute::<usize, Exit>(next) };
        // SAFETY: takes a number, and touches no memory of the caller's (_exit(2)).
        unsafe { exit(status) };
    }
    loop {
        // SAFETY: takes a number: no memory is touched (exit_group(2)).
        unsafe { libc::syscall(libc::SYS_exit_group, status) };
    }
}

/// Exports `_exit` (POSIX) and `_Exit` (C99, 7.20.4.4), which call `$then` first. That must be async-signal-safe, and do nothing in a
/// child that shares the process's memory (vfork(2)).
#[macro_export]
macro_rules! before_quick_exit {
    ($then:path) => {
        /// `_exit` of POSIX.
        ///
        /// # Safety
        /// As for the C library's.
        #[cfg_attr(not(test), unsafe(no_mangle))]
        #[cfg_attr(test, allow(dead_code))]
        unsafe extern "C" fn _exit(status: ::core::ffi::c_int) -> ! {
            $then();
            $crate::quick_exit::leave(status)
        }

        /// `_Exit` of C99, which is the same.
        ///
        /// # Safety
        /// As for the C library's.
        #[cfg_attr(not(test), unsafe(no_mangle))]
        #[cfg_attr(test, allow(dead_code))]
        #[allow(non_snake_case, reason = "the standard's name")]
        unsafe extern "C" fn _Exit(status: ::core::ffi::c_int) -> ! {
            $then();
            $crate::quick_exit::leave(status)
        }
    };
}

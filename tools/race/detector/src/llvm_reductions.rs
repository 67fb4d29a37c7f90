//! Task reductions of a whole region, on LLVM's runtime: the first thread that starts one initializes the copies of all threads, and
//! the last one that ends it combines them. The runtime orders both by its own atomics.
#![allow(unsafe_code)] // exports the runtime's name, and calls the runtime's function

use std::ffi::{CStr, c_int, c_void};
use std::mem::transmute;
use std::ptr::null_mut;

use system::linker::Scope;

use crate::calls;
use crate::sanitizer::sanitizer;

type Start = unsafe extern "C" fn(*mut c_void, c_int, c_int, c_int, *mut c_void) -> *mut c_void;

macro_rules! starts {
    ($($name:ident)*) => {$(
        /// Starts the reduction: its initializations are ignored.
        ///
        /// # Safety
        /// As required by the runtime's function of that name.
        #[unsafe(no_mangle)]
        #[allow(unreachable_pub)] // exported by its name, not by its path
        pub unsafe extern "C" fn $name(
            location: *mut c_void,
            thread: c_int,
            is_shared: c_int,
            count: c_int,
            data: *mut c_void,
        ) -> *mut c_void {
            const NAME: &CStr = match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => c"",
            };
            let Some(start) = Scope::Next.symbol(NAME) else { return null_mut() };
            // SAFETY: `void *FUNCTION (ident_t *, int, int, int, void *)`, both of them (kmp.h).
            let start = unsafe { transmute::<*mut c_void, Start>(start) };
            let sanitizer = sanitizer().filter(|_| calls::is_on());
            sanitizer.inspect(|sanitizer| sanitizer.ignore(true));
            // SAFETY: the program's own arguments.
            let group = unsafe { start(location, thread, is_shared, count, data) };
            sanitizer.inspect(|sanitizer| sanitizer.ignore(false));
            group
        }
    )*};
}

// The second one is that of older releases of clang.
starts! { __kmpc_taskred_modifier_init __kmpc_task_reduction_modifier_init }

//! A program that was linked to `libora.so` and therefore to no OpenMP runtime. This library defines all that gcc's code calls.
//! With `--as-needed`, the default on Debian and Ubuntu, the linker then drops libgomp: nothing needs it any more.
#![allow(unsafe_code)] // asks the dynamic linker for a library

use super::entry::calls_openmp;
use system::objects::any_object;
use system::warning::Warning;

/// Loads the libgomp that gcc would have linked, into the global scope, where a program calls OpenMP functions and has no
/// runtime because it was linked to this library. Returns true if there is one now. To be called while libraries are loaded.
pub(super) fn bring_runtime() -> bool {
    if !any_object(&mut |object| {
        let mut calls = false;
        if object.needed().any(|name| name.to_bytes().starts_with(b"libora.so")) {
            object.imports(calls_openmp, &mut |_| calls = true);
        }
        calls
    }) {
        return false;
    }
    // SAFETY: the name is a C string (dlopen(3)); libgomp's initialisation is what the program would have got at its start.
    let handle = unsafe { libc::dlopen(c"libgomp.so.1".as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
    if handle.is_null() {
        // SAFETY: `dlerror` takes no arguments (dlerror(3)); the call only clears the message, which the program must not find.
        unsafe { libc::dlerror() };
        static ALONE: Warning = Warning::new();
        ALONE.say(&[
            b"ora: this program runs on one thread: it is linked to libora.so only, and there is no libgomp.so.1\n",
        ]);
    }
    !handle.is_null()
}

//! Addresses in the program, and of symbols that it sees. Unsafe: the C library's functions.
#![allow(unsafe_code)]

use std::ffi::CStr;

/// Address of the program's entry point.
pub(crate) fn entry_of_program() -> u64 {
    // SAFETY: reads the auxiliary vector that the kernel passed to the process at its start.
    unsafe { libc::getauxval(libc::AT_ENTRY) }
}

/// The address of a function or variable that the program sees under this name; 0 if there is none.
pub(crate) fn address(name: &CStr) -> u64 {
    // SAFETY: a C string; the call only looks it up.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }.addr() as u64
}

/// True if a runtime is loaded that is recognized by its symbols' versions: libgomp has this version, and LLVM's
/// runtime has it for compatibility.
pub(crate) fn has_known_runtime() -> bool {
    // SAFETY: C strings; the call only looks the symbol up.
    let found = unsafe { libc::dlvsym(libc::RTLD_DEFAULT, c"omp_get_num_threads".as_ptr(), c"OMP_1.0".as_ptr()) };
    !found.is_null()
}

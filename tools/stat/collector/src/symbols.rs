//! Addresses in the program, and of symbols that it sees. Unsafe: the C library's functions.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Address of the description of a runtime that embeds the library; 0 if there is none.
static OWN_RUNTIME: AtomicU64 = AtomicU64::new(0);

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

/// Finds the description that a runtime which embeds the library exports. 0: there is none.
pub(crate) fn find_own_runtime() -> u64 {
    let found = address(c"ora_embed_about");
    OWN_RUNTIME.store(found, Relaxed);
    found
}

/// Address that [`find_own_runtime`] has found last. Does not ask the dynamic linker.
pub(crate) fn own_runtime() -> u64 {
    OWN_RUNTIME.load(Relaxed)
}

/// True if a runtime is loaded that is recognized by its symbols' versions: libgomp has this version, and LLVM's
/// runtime has it for compatibility.
pub(crate) fn has_known_runtime() -> bool {
    // SAFETY: C strings; the call only looks the symbol up.
    let found = unsafe { libc::dlvsym(libc::RTLD_DEFAULT, c"omp_get_num_threads".as_ptr(), c"OMP_1.0".as_ptr()) };
    !found.is_null()
}

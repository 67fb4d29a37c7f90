//! Environment variables that name tools (OpenMP 5.0, 6.19 and 6.20) and the log of the search for them. They are read
//! without Rust's lock and copies.
#![allow(unsafe_code)] // C's environment

use std::ffi::CStr;

/// The value of a variable; `None` if it isn't set, or is empty.
pub fn variable(name: &CStr) -> Option<&'static CStr> {
    value(name).filter(|value| !value.is_empty())
}

/// The value of a variable as a number; `None` if it isn't one.
pub fn number(name: &CStr) -> Option<u64> {
    variable(name)?.to_str().ok()?.parse().ok()
}

/// The value of a variable; `None` if it isn't set. Allocates nothing.
pub fn value(name: &CStr) -> Option<&'static CStr> {
    // SAFETY: `name` is a C string, which the call only reads (getenv(3)).
    let value = unsafe { libc::getenv(name.as_ptr()) };
    if value.is_null() {
        return None;
    }
    // SAFETY: a C string in the environment; the C library never frees what it has put there.
    Some(unsafe { CStr::from_ptr(value) })
}

/// True if the process has more privileges than its user (`AT_SECURE`; getauxval(3)).
pub fn is_secure() -> bool {
    // SAFETY: getauxval(3) takes a number, and touches no memory of ours.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

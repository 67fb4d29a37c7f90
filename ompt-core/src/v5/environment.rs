//! The variables that say which tools start (OpenMP 5.0, 6.18 to 6.20). Read without Rust's own lock and copies.
#![allow(unsafe_code)] // C's environment

use super::verbose::write_line;
use std::ffi::CStr;

/// The value of a variable; `None` if it isn't set, or empty.
pub(super) fn variable(name: &CStr) -> Option<&'static CStr> {
    // SAFETY: a C string.
    let value = unsafe { libc::getenv(name.as_ptr()) };
    if value.is_null() {
        return None;
    }
    // SAFETY: a C string in the environment; the C library never frees what it has put there.
    let value = unsafe { CStr::from_ptr(value) };
    (!value.is_empty()).then_some(value)
}

/// Whether the process has more rights than its user.
pub(super) fn is_secure() -> bool {
    // SAFETY: takes a number.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// Whether `OMP_TOOL` lets tools start. What it can't be is said on stderr, and lets none start.
pub(super) fn are_tools_enabled() -> bool {
    let Some(value) = variable(c"OMP_TOOL") else { return true };
    let is = |word: &[u8]| value.to_bytes().eq_ignore_ascii_case(word);
    if !is(b"enabled") && !is(b"disabled") {
        let words = b" starts no tool of OpenMP 5: it can be enabled or disabled";
        write_line(libc::STDERR_FILENO, &[b"OMP_TOOL=", value.to_bytes(), words]);
    }
    is(b"enabled")
}

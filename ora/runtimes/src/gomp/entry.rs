//! Entries by their symbols, and the addresses of functions.
#![allow(unsafe_code)] // pointers that are no data

use super::names::SYMBOLS;
use std::ffi::CStr;

/// Address of a function of any signature.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct Code(pub(super) *const ());

// SAFETY: the pointer is never changed, and never read or written through as data: it is compared, copied and called.
unsafe impl Sync for Code {}

// SAFETY: as for `Sync`: the address means the same on every thread.
unsafe impl Send for Code {}

/// Symbol and, where it isn't the default one, version of an entry.
pub(super) fn symbol(entry: usize) -> Option<(&'static CStr, Option<&'static CStr>)> {
    let (name, version) = SYMBOLS.get(entry)?;
    let text = |text: &'static str| CStr::from_bytes_with_nul(text.as_bytes()).ok();
    Some((text(name)?, version.and_then(text)))
}

/// True for the names of OpenMP functions: gcc's code imports no others of its runtime.
pub(super) fn calls_openmp(name: &CStr) -> bool {
    let name = name.to_bytes();
    name.starts_with(b"GOMP_") || name.starts_with(b"omp_")
}

//! Entries by their symbols.

use super::names::SYMBOLS;
use std::ffi::CStr;
pub(super) use system::code::Code;

/// Symbol of an entry, and its version unless that is the default one.
pub(super) fn symbol(entry: usize) -> Option<(&'static CStr, Option<&'static CStr>)> {
    let (name, version) = SYMBOLS.get(entry)?;
    let text = |text: &'static str| CStr::from_bytes_with_nul(text.as_bytes()).ok();
    Some((text(name)?, version.and_then(text)))
}

/// True for the names of OpenMP functions: gcc's code imports no other functions from its runtime.
pub(super) fn calls_openmp(name: &CStr) -> bool {
    let name = name.to_bytes();
    name.starts_with(b"GOMP_") || name.starts_with(b"omp_")
}

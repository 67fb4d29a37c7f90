//! Functions for the recorder of events (`libora_tracer.so`), if both write to one folder: then this library's file has the facts and
//! the code of the process.
#![allow(unsafe_code)] // called by another library

use std::ffi::{CStr, c_char};
use std::ptr;

use profile_format::Record;

use crate::file::FILE;
use crate::{attach, file_state, modules, setting, system};

/// Path of this process's records in the recording `folder`; null if none are written there. Starts the file if
/// necessary.
///
/// # Safety
/// A C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn ora_profiler_records(folder: *const c_char) -> *const c_char {
    // The runtime, and with it the recorder, may start before the dynamic linker has initialized this library.
    attach::begin();
    // SAFETY: a C string, by this function's `# Safety`.
    let folder = unsafe { CStr::from_ptr(folder) };
    let is_same = setting::get().is_some_and(|setting| setting.folder.bytes() == folder.to_bytes());
    if is_same && file_state::wait() { FILE.path().map_or(ptr::null(), CStr::as_ptr) } else { ptr::null() }
}

/// Writes a fact about the process.
///
/// # Safety
/// Two texts with their lengths.
#[unsafe(no_mangle)]
unsafe extern "C" fn ora_profiler_fact(key: *const u8, key_length: usize, value: *const u8, length: usize) {
    // SAFETY: a text with its length, by this function's `# Safety`.
    let key = unsafe { std::slice::from_raw_parts(key, key_length) };
    // SAFETY: a text with its length, by this function's `# Safety`.
    let value = unsafe { std::slice::from_raw_parts(value, length) };
    FILE.write(Record::Info { key, value });
}

/// Writes the code that has been loaded since the last call: with `is_urgent` even if that was a short time ago.
#[unsafe(no_mangle)]
extern "C" fn ora_profiler_code(is_urgent: bool) {
    if is_urgent {
        modules::expire();
    }
    modules::refresh(system::monotonic_ns(), true);
}

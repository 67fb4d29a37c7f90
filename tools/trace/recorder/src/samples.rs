//! The library that takes samples of this process (`libora_profiler.so`), if its records and the events share a
//! folder.
#![allow(unsafe_code)] // functions of another library

use std::ffi::{CStr, c_char, c_void};
use std::mem::transmute;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// `ora_profiler_records`, `ora_profiler_fact` and `ora_profiler_code` (tools/profile/collector/src/shared_folder.rs).
type Records = unsafe extern "C" fn(*const c_char) -> *const c_char;
type Fact = unsafe extern "C" fn(*const u8, usize, *const u8, usize);
type Code = extern "C" fn(bool);

#[derive(Clone, Copy)]
struct Profiler {
    records: Records,
    fact: Fact,
    code: Code,
}

/// True while the process's folder is the profiler's.
static IS_SHARED: AtomicBool = AtomicBool::new(false);

/// The library, if it is loaded. Looked up once, by a process's first recording.
fn profiler() -> Option<Profiler> {
    static FOUND: OnceLock<Option<Profiler>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let [records, fact, code] = [c"ora_profiler_records", c"ora_profiler_fact", c"ora_profiler_code"].map(function);
        // SAFETY: this is the type of the library's symbol of this name.
        let records = unsafe { transmute::<*mut c_void, Records>(records?) };
        // SAFETY: this is the type of the library's symbol of this name.
        let fact = unsafe { transmute::<*mut c_void, Fact>(fact?) };
        // SAFETY: this is the type of the library's symbol of this name.
        let code = unsafe { transmute::<*mut c_void, Code>(code?) };
        Some(Profiler { records, fact, code })
    })
}

/// A function of another preloaded library.
pub(crate) fn function(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: a C string; the call only looks it up (dlsym(3)).
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

/// The process's folder, if the profiler has created one in the recording `folder`.
pub(crate) fn process_folder(folder: &CStr) -> Option<Vec<u8>> {
    let profiler = profiler()?;
    // SAFETY: a C string.
    let records = unsafe { (profiler.records)(folder.as_ptr()) };
    if records.is_null() {
        return None;
    }
    // SAFETY: not null, so the path, a C string that the profiler never frees.
    let records = unsafe { CStr::from_ptr(records) }.to_bytes();
    let end = records.iter().rposition(|byte| *byte == b'/')?;
    IS_SHARED.store(true, Relaxed);
    Some(records.get(..end)?.to_owned())
}

/// True if the profiler writes the description of the process and its code.
pub(crate) fn are_beside() -> bool {
    IS_SHARED.load(Relaxed)
}

/// Makes the profiler write a fact about the process.
pub(crate) fn fact(key: &[u8], value: &[u8]) {
    if let Some(profiler) = profiler().filter(|_| are_beside()) {
        // SAFETY: two slices and their lengths.
        unsafe { (profiler.fact)(key.as_ptr(), key.len(), value.as_ptr(), value.len()) };
    }
}

/// Makes the profiler write the code that has been loaded: with `is_urgent` even if it did so a short time ago.
pub(crate) fn note_code(is_urgent: bool) {
    if let Some(profiler) = profiler().filter(|_| are_beside()) {
        (profiler.code)(is_urgent);
    }
}

/// Drops the folder in a forked child, and at the end of a session.
pub(crate) fn forget() {
    IS_SHARED.store(false, Relaxed);
}

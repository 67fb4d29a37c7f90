//! The library that takes samples of this process (`libora_profiler.so`), where its records and the events share a folder.
#![allow(unsafe_code)] // functions of another library

use std::ffi::{CStr, c_char, c_void};
use std::mem::transmute;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// `ora_profiler_records`, `ora_profiler_fact` and `ora_profiler_code` (tools/profile/collector/src/shared_folder.rs).
type Records = unsafe extern "C" fn(*const c_char) -> *const c_char;
type Fact = unsafe extern "C" fn(*const u8, usize, *const u8, usize);
type Code = extern "C" fn();

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
        // SAFETY: the library gives the symbol of this name this type.
        let records = unsafe { transmute::<*mut c_void, Records>(records?) };
        // SAFETY: the library gives the symbol of this name this type.
        let fact = unsafe { transmute::<*mut c_void, Fact>(fact?) };
        // SAFETY: the library gives the symbol of this name this type.
        let code = unsafe { transmute::<*mut c_void, Code>(code?) };
        Some(Profiler { records, fact, code })
    })
}

fn function(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: a C string; the call only looks it up (dlsym(3)).
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

/// The process's folder, if the profiler has made one in the recording `folder`.
pub(crate) fn process_folder(folder: &CStr) -> Option<Vec<u8>> {
    let profiler = profiler()?;
    // SAFETY: a C string.
    let records = unsafe { (profiler.records)(folder.as_ptr()) };
    if records.is_null() {
        return None;
    }
    // SAFETY: not null, so the path, a C string that the profiler keeps for good.
    let records = unsafe { CStr::from_ptr(records) }.to_bytes();
    let end = records.iter().rposition(|byte| *byte == b'/')?;
    IS_SHARED.store(true, Relaxed);
    Some(records.get(..end)?.to_owned())
}

/// True if the profiler writes what the process and its code are.
pub(crate) fn are_beside() -> bool {
    IS_SHARED.load(Relaxed)
}

/// Has the profiler write a fact about the process.
pub(crate) fn fact(key: &[u8], value: &[u8]) {
    if let Some(profiler) = profiler().filter(|_| are_beside()) {
        // SAFETY: two slices and their lengths.
        unsafe { (profiler.fact)(key.as_ptr(), key.len(), value.as_ptr(), value.len()) };
    }
}

/// Has the profiler write the code that has come.
pub(crate) fn note_code() {
    if let Some(profiler) = profiler().filter(|_| are_beside()) {
        (profiler.code)();
    }
}

/// Drops the folder in a forked child, and at the end of a session.
pub(crate) fn forget() {
    IS_SHARED.store(false, Relaxed);
}

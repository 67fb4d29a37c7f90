//! The exported function, and the definition that it passes calls on to. Unsafe: calls through the pointer that
//! `dlsym` returns.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs;
use std::mem::{transmute, zeroed};
use std::os::unix::ffi::OsStrExt;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering::*};

use request_format::{Head, kind};

use crate::record::{self, Buffer};
use crate::walk;

type Api = unsafe extern "C-unwind" fn(*mut c_void) -> c_int;

/// The next definition of the function in the process.
static NEXT: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static ATTACHED: AtomicBool = AtomicBool::new(false);
static CALLS: AtomicU64 = AtomicU64::new(0);

unsafe extern "C" {
    fn secure_getenv(name: *const c_char) -> *const c_char;
}

/// Records the call, and passes it on.
///
/// Async-signal-safe if the next definition is, once the library is loaded (or a collector's constructor, which may run
/// before that, has made its first call). `errno` is as the next definition has set it.
///
/// # Safety
/// As for the next definition: `arg` is null, or points to entries of `sz` bytes each, ended by an `int` 0, that nobody
/// else accesses meanwhile.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C-unwind" fn __omp_collector_api(arg: *mut c_void) -> c_int {
    // Acquire: pairs with the swap in `attach`; publishes `NEXT` and the file's path.
    if !ATTACHED.load(Acquire) {
        attach();
    }
    if !record::wanted() {
        // SAFETY: `arg` is as the next definition asks for, by this function's `# Safety`.
        return unsafe { pass_on(arg) };
    }
    // SAFETY: `arg` is null or points to entries of `sz` bytes with an end, by this function's `# Safety`.
    let (length, end) = unsafe { walk::extent(arg) };
    let buffer = Buffer { address: arg, length, end };
    let call = CALLS.fetch_add(1, Relaxed) + 1;
    record::write(Head { call, ..record::head(kind::CALL) }, buffer);
    // SAFETY: `arg` is as the next definition asks for, by this function's `# Safety`.
    let result = unsafe { pass_on(arg) };
    // The same length as before: even if the call has changed the sizes, only these bytes belong to the collector.
    record::write(Head { call, result, ..record::head(kind::RETURN) }, buffer);
    result
}

/// # Safety
/// As for [`__omp_collector_api`].
#[inline]
unsafe fn pass_on(arg: *mut c_void) -> c_int {
    // Acquire: pairs with the store in `attach`; publishes the definition's code only, which `dlsym` has made
    // visible.
    let next = NEXT.load(Acquire);
    if next.is_null() {
        return -1;
    }
    // SAFETY: the white paper specifies this type for the symbol of this name.
    let next = unsafe { transmute::<*mut c_void, Api>(next) };
    // SAFETY: `arg` is as the next definition asks for, by this function's `# Safety`.
    unsafe { next(arg) }
}

/// Runs when the library is loaded, or at the first call of a collector's constructor, if that comes first.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn ora_request_log_attach() {
    attach();
}

fn attach() {
    // SAFETY: a constant C string; the call only looks it up.
    let next = unsafe { libc::dlsym(libc::RTLD_NEXT, c"__omp_collector_api".as_ptr()) };
    // Release: pairs with the load in `pass_on`.
    NEXT.store(next, Release);
    if let Some(path) = path() {
        record::to(path);
    }
    // Release: pairs with the load in `__omp_collector_api`; publishes `NEXT` and the path. Acquire: with another thread's
    // swap.
    if !ATTACHED.swap(true, AcqRel) && record::wanted() {
        let mut text = library(next);
        text.push(0);
        text.extend_from_slice(fs::read_link("/proc/thread-self/exe").unwrap_or_default().as_os_str().as_bytes());
        text.push(0);
        record::write(record::head(kind::PROGRAM), Buffer::text(&text));
    }
}

/// The file that the environment names. The string is kept for the rest of the process.
fn path() -> Option<&'static CStr> {
    // Ignored in a program that runs with another user's rights. SAFETY: a constant C string; nobody changes the
    // environment while libraries are being loaded.
    let path = unsafe { secure_getenv(c"ORA_REQUEST_LOG".as_ptr()) };
    if path.is_null() || record::wanted() {
        return None;
    }
    // SAFETY: the environment's strings end in a zero byte and don't change while libraries are being loaded.
    let path: CString = unsafe { CStr::from_ptr(path) }.to_owned();
    (!path.is_empty()).then(|| &*Box::leak(path.into_boxed_c_str()))
}

/// The file that a function comes from.
fn library(function: *mut c_void) -> Vec<u8> {
    // SAFETY: all zero is a valid `Dl_info`.
    let mut about: libc::Dl_info = unsafe { zeroed() };
    // SAFETY: `about` is writable; the address may be any.
    let found = unsafe { libc::dladdr(function, &raw mut about) };
    if found == 0 || about.dli_fname.is_null() {
        return Vec::new();
    }
    // SAFETY: `dladdr` gives the name of a loaded object.
    unsafe { CStr::from_ptr(about.dli_fname) }.to_bytes().to_vec()
}

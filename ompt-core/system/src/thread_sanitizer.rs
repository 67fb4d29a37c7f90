//! ThreadSanitizer in the program: annotates synchronisation that it can't see by itself.
#![allow(unsafe_code)] // calls ThreadSanitizer

use crate::linker::Scope;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering::*};

/// Functions that ThreadSanitizer exports for annotations; null without it.
static BEFORE: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
static AFTER: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

type Annotate = unsafe extern "C" fn(file: *const c_char, line: c_int, address: *const c_void);

/// Addresses that represent keys; they are never touched, so they take no memory.
const KEYS: usize = 1 << 17;
static PLACES: [AtomicU64; KEYS] = [const { AtomicU64::new(0) }; KEYS];

/// Looks up the functions. Called before a tool attaches, or when it does. Only the first call counts: ThreadSanitizer is in a program from
/// its start or never.
pub fn look() {
    static LOOKED: Once = Once::new();
    LOOKED.call_once(|| {
        if !find(c"__tsan_init").is_null() {
            // Release: pairs with the loads in `is_there` and `annotate`. `AFTER`, which is stored last, also publishes `BEFORE`.
            BEFORE.store(find(c"AnnotateHappensBefore"), Release);
            AFTER.store(find(c"AnnotateHappensAfter"), Release);
        }
    });
}

fn find(name: &CStr) -> *mut c_void {
    Scope::Default.symbol(name).unwrap_or(null_mut())
}

/// True if the program contains ThreadSanitizer.
pub fn is_there() -> bool {
    // Acquire: pairs with the store of `AFTER` in `look`: `BEFORE` is visible after it.
    !AFTER.load(Acquire).is_null()
}

/// Annotates that what the thread has done happens before what follows [`has_waited_for`] of the same key. `file` is the name of the place
/// in reports.
pub fn releases(file: &CStr, key: u64) {
    annotate(&BEFORE, file, key);
}

/// Annotates a completed wait for that key.
pub fn has_waited_for(file: &CStr, key: u64) {
    annotate(&AFTER, file, key);
}

fn annotate(function: &AtomicPtr<c_void>, file: &CStr, key: u64) {
    // Acquire: pairs with the stores in `look`.
    let function = function.load(Acquire);
    // The high bits are mixed best.
    let place = usize::try_from(key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 47).ok().and_then(|i| PLACES.get(i));
    if let (Some(place), false) = (place, function.is_null()) {
        // SAFETY: ThreadSanitizer's `AnnotateHappensBefore` and `AnnotateHappensAfter` are `void (char *, int, uptr)`
        // (compiler-rt's tsan_interface_ann.cpp); null was ruled out above.
        let annotate = unsafe { std::mem::transmute::<*mut c_void, Annotate>(function) };
        // SAFETY: the file is a C string, and ThreadSanitizer uses only the address of the last argument, as a key.
        unsafe { annotate(file.as_ptr(), 0, std::ptr::from_ref(place).cast()) };
    }
}

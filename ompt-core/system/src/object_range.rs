//! The address range of a loaded object, for signal handlers: glibc's `_dl_find_object`, which takes no lock.
#![allow(unsafe_code)] // asks the dynamic linker

use crate::linker::Scope;
use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering::*};

/// `struct dl_find_object` of glibc 2.35 and newer.
#[repr(C)]
struct Found {
    flags: u64,
    start: *const c_void,
    end: *const c_void,
    link_map: *const c_void,
    unwinding: *const c_void,
    reserved: [u64; 7],
}

type FindObject = unsafe extern "C" fn(*const c_void, *mut Found) -> c_int;

/// `_dl_find_object`, which takes no lock and is async-signal-safe; null before glibc 2.35.
static FIND_OBJECT: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// Looks up `_dl_find_object`. Called once, before the first [`find`].
pub fn load() {
    let find = Scope::Default.symbol(c"_dl_find_object");
    // Release: pairs with the load in `find`. It publishes nothing but the address.
    FIND_OBJECT.store(find.unwrap_or(null_mut()), Release);
}

/// Start and end of the object that contains this address, and the address of its unwind tables: no two objects share all three by chance.
/// `None` if they can't be determined. Async-signal-safe.
pub fn find(address: usize) -> Option<[usize; 3]> {
    // Acquire: pairs with the store in `load`.
    let find = FIND_OBJECT.load(Acquire);
    if find.is_null() {
        return None;
    }
    // SAFETY: not null, so this is glibc's `int _dl_find_object (void *, struct dl_find_object *)` (dlfcn.h, since
    // 2.35).
    let find: FindObject = unsafe { transmute(find) };
    let mut found =
        Found { flags: 0, start: null(), end: null(), link_map: null(), unwinding: null(), reserved: [0; 7] };
    // SAFETY: `_dl_find_object` only compares the address, and fills `found`, which has the layout of `struct dl_find_object`
    // (dlfcn.h).
    let result = unsafe { find(address as *const c_void, &raw mut found) };
    (result == 0).then_some([found.start, found.end, found.unwinding].map(|p| p as usize))
}

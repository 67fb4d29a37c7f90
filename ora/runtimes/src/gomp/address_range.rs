//! Address range of a libgomp, and the test that it is still mapped there. Signal handlers ask, and a libgomp may be unloaded
//! at any time without notice: so the linker is asked each time.
#![allow(unsafe_code)] // asks the dynamic linker

use super::entry::Code;
use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::*};
use system::linker::Scope;

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

/// Looks up `_dl_find_object`. To be called once, before the first range is set.
pub(super) fn load() {
    let find = Scope::Default.symbol(c"_dl_find_object");
    // Release: pairs with the load in `find`. It publishes nothing but the address.
    FIND_OBJECT.store(find.unwrap_or(null_mut()), Release);
}

/// Address range of one libgomp.
pub(super) struct AddressRange {
    /// An address in it; 0 if the range is unknown.
    inside: AtomicUsize,
    /// Start, end, and address of its unwind tables: no other object has all three by chance.
    is: [AtomicUsize; 3],
}

impl AddressRange {
    pub(super) const fn unknown() -> Self {
        Self { inside: AtomicUsize::new(0), is: [const { AtomicUsize::new(0) }; 3] }
    }

    /// Records the range of the libgomp that contains this function.
    pub(super) fn set(&self, function: Option<Code>) {
        let Some((function, found)) = function.and_then(|function| Some((function, find(function.0 as usize)?))) else {
            return self.clear();
        };
        self.is.iter().zip(found).for_each(|(place, found)| place.store(found, Relaxed));
        // Release: pairs with the load in `is_there`; publishes `is`.
        self.inside.store(function.0 as usize, Release);
    }

    /// Forgets the range.
    pub(super) fn clear(&self) {
        // Release: pairs with the load in `is_there`, which reads nothing else after a 0.
        self.inside.store(0, Release);
    }

    /// True if the libgomp is still mapped there; false where that can't be known. Async-signal-safe.
    pub(super) fn is_there(&self) -> bool {
        // Acquire: pairs with the store in `set`, before which `is` was written.
        let inside = self.inside.load(Acquire);
        inside != 0 && find(inside).is_some_and(|found| self.is.iter().zip(found).all(|(is, f)| is.load(Relaxed) == f))
    }
}

fn find(address: usize) -> Option<[usize; 3]> {
    // Acquire: pairs with the store in `load`.
    let find = FIND_OBJECT.load(Acquire);
    if find.is_null() {
        return None;
    }
    // SAFETY: not null, and so glibc's `int _dl_find_object (void *, struct dl_find_object *)` (dlfcn.h, since 2.35).
    let find: FindObject = unsafe { transmute(find) };
    let mut found =
        Found { flags: 0, start: null(), end: null(), link_map: null(), unwinding: null(), reserved: [0; 7] };
    // SAFETY: `_dl_find_object` only compares the address, and fills `found`, which has the layout of `struct dl_find_object`
    // (dlfcn.h).
    let result = unsafe { find(address as *const c_void, &raw mut found) };
    (result == 0).then_some([found.start, found.end, found.unwinding].map(|p| p as usize))
}

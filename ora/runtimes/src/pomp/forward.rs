//! Another measurement library that follows this one: all of the program's calls are passed on to it, with its own handles and task values.

use super::names::{Entry, NAMES};
use std::ffi::CStr;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering::*};
use system::code::Code;
use system::linker::Scope;

/// True if there is another library.
static ON: AtomicBool = AtomicBool::new(false);
/// Functions of the other library.
static NEXT: [AtomicPtr<()>; NAMES.len()] = [const { AtomicPtr::new(null_mut()) }; NAMES.len()];

/// True if calls are passed on to another library.
#[inline(always)]
pub(super) fn is_on() -> bool {
    ON.load(Relaxed)
}

/// Finds the other library's functions, if there is one. Called once while the library is being loaded.
pub(super) fn look() -> bool {
    let mut any = false;
    if cfg!(feature = "linked") {
        return any;
    }
    for (place, name) in NEXT.iter().zip(NAMES) {
        let Ok(name) = CStr::from_bytes_with_nul(name.as_bytes()) else { continue };
        if let Some(found) = Scope::Next.symbol(name) {
            any = true;
            place.store(found.cast(), Relaxed);
        }
    }
    // Release: no load pairs with it, as `is_on` and `next` are Relaxed. Threads that start after the library was loaded see `NEXT`,
    // because a thread's creation happens before what it executes.
    ON.store(any, Release);
    any
}

/// The other library's function of that name.
pub(super) fn next(entry: Entry) -> Option<Code> {
    let next = NEXT.get(entry as usize)?.load(Relaxed);
    (!next.is_null()).then_some(Code(next))
}

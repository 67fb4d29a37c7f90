//! Another measurement library behind us: whatever the program calls goes on to it, with handles and task values of its own.
#![allow(unsafe_code)] // addresses become functions

use super::entry::{Entry, NAMES};
use super::sites::{Handle, Site};
use std::ffi::CStr;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::*};
use system::linker::Scope;
use system::memory::Link;

/// Whether there is one.
static ON: AtomicBool = AtomicBool::new(false);
/// Its functions.
static NEXT: [AtomicPtr<()>; NAMES.len()] = [const { AtomicPtr::new(null_mut()) }; NAMES.len()];

/// What each of its handles stands for, by the handle's address: a table in which whoever finds his place taken goes on to
/// the next one. Constructs for which there is no place go unreported.
static SITES: [(AtomicUsize, Link<Site>); PLACES] = [const { (AtomicUsize::new(0), Link::none()) }; PLACES];
const PLACES: usize = 1 << 12;
/// For those.
static NOWHERE: Link<Site> = Link::none();

/// Whether calls go on to another library.
#[inline(always)]
pub(super) fn is_on() -> bool {
    ON.load(Relaxed)
}

/// Finds the other library's functions, if there is one. To be called once while the library is being loaded.
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
    ON.store(any, Release);
    any
}

/// The other library's function, of five arguments at most.
pub(super) fn next(entry: Entry) -> Option<unsafe extern "C-unwind" fn(usize, usize, usize, usize, usize) -> usize> {
    let next = NEXT.get(entry as usize)?.load(Relaxed);
    // SAFETY: null is `None`; else a function that gets the arguments that the program has passed to ours of that name.
    unsafe { std::mem::transmute(next) }
}

/// What a handle stands for.
#[cold]
pub(super) fn known(handle: &Handle) -> Option<&'static Site> {
    site(handle).get()
}

/// The place for that.
pub(super) fn site(handle: &Handle) -> &'static Link<Site> {
    let key = std::ptr::from_ref(handle).addr();
    let start = (key >> 3).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52;
    let places = SITES.iter().cycle().skip(start % PLACES).take(PLACES);
    for (taken, link) in places {
        let before = match taken.load(Acquire) {
            0 => taken.compare_exchange(0, key, AcqRel, Acquire).err().unwrap_or(key),
            other => other,
        };
        if before == key {
            return link;
        }
    }
    &NOWHERE
}

//! Rewrites addresses that the dynamic linker has put into objects, where our unversioned names caught calls that are not
//! for the libgomp of the global scope, or for another version.
#![allow(unsafe_code)] // writes into relocated places of other objects

use super::elf::{Import, Object, any_object};
use super::entry::{Code, stub};
use super::table::{EXPORTED, EXPORTS, Entry, SYMBOLS};
use std::ffi::CStr;
use std::sync::atomic::{AtomicUsize, Ordering::*};

/// How many steps from an object to the libgomp that it needs.
const STEPS: u32 = 4;

/// Leads objects that ask for locks of version OMP_1.0 to entries for these: other locks have other sizes.
pub(super) fn old_locks() {
    any_object(&mut |object| {
        object.imports(&mut |import| {
            if import.version != Some(c"OMP_1.0") {
                return;
            }
            let old = match import.name.to_bytes() {
                b"omp_set_lock" => stub::<{ Entry::old_set_lock as usize }> as *const (),
                b"omp_set_lock_" => stub::<{ Entry::old_set_lock_ as usize }> as *const (),
                b"omp_set_nest_lock" => stub::<{ Entry::old_set_nest_lock as usize }> as *const (),
                b"omp_set_nest_lock_" => stub::<{ Entry::old_set_nest_lock_ as usize }> as *const (),
                _ => return,
            };
            write(&object, &import, Code(old));
        });
        false
    });
}

/// Leads every object that needs a private libgomp straight to it, and says where the call at hand goes: to the libgomp of
/// the object that holds the return address, else to the first one found.
pub(super) fn private(entry: usize, return_address: usize) -> Option<Code> {
    let (mut found, mut callers) = (None, None);
    any_object(&mut |object| {
        if let Some(libgomp) = libgomp_of(&object, STEPS) {
            relink(&object, &libgomp);
            let function = symbol(entry).and_then(|name| libgomp.function(name));
            found = found.or(function);
            if object.contains(return_address) {
                callers = function;
            }
        }
        false
    });
    callers.or(found)
}

fn symbol(entry: usize) -> Option<&'static CStr> {
    CStr::from_bytes_with_nul(SYMBOLS.get(entry)?.0.as_bytes()).ok()
}

/// The libgomp that the dynamic linker would have found for the object in the object's own scope.
fn libgomp_of(object: &Object, steps: u32) -> Option<Object> {
    let mut result = None;
    for name in object.needed() {
        any_object(&mut |needed| {
            if !needed.is_named(name) {
                return false;
            }
            if needed.function(c"GOMP_parallel").is_some() && !is_ours(&needed) {
                result = Some(needed);
            } else if steps > 0 {
                result = libgomp_of(&needed, steps - 1);
            }
            true
        });
        if result.is_some() {
            break;
        }
    }
    result
}

fn is_ours(object: &Object) -> bool {
    object.contains(stub::<0> as *const () as usize)
}

fn relink(object: &Object, libgomp: &Object) {
    object.imports(&mut |import| {
        let entry = (0..EXPORTED).find(|e| symbol(*e) == Some(import.name));
        if let Some(real) = entry.and(libgomp.function(import.name)) {
            write(object, &import, real);
        }
    });
}

/// Writes the function's address if the place holds an entry of ours, or is still to be resolved at its first call. Pages
/// that were read-only stay writable: to protect them again could hit a linker that is still at work on the object.
fn write(object: &Object, import: &Import<'_>, function: Code) {
    const PAGE: usize = 4096;
    // SAFETY: the linker's relocation says that an aligned address stands there.
    let place = unsafe { AtomicUsize::from_ptr(import.place) };
    let now = place.load(Relaxed);
    let ours = EXPORTS.iter().any(|export| std::ptr::addr_eq(export.0, now as *const ()));
    if !ours && !object.contains(now) {
        return;
    }
    if object.is_relro(import.place as usize) {
        let page = import.place as usize & !(PAGE - 1);
        // SAFETY: a page of the object's data, as writable as the linker itself had it.
        if unsafe { libc::mprotect(page as *mut _, PAGE, libc::PROT_READ | libc::PROT_WRITE) } != 0 {
            return;
        }
    }
    place.store(function.0 as usize, Release);
}

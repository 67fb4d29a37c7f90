//! Collectors' libraries stay loaded once they have given a callback, and those of `OMP_TOOL_LIBRARIES`: one that closes itself,
//! or that the program closes, would be called where nothing is any more. That holds also after it has taken the callback back,
//! as a thread may just be in it.
#![allow(unsafe_code)] // asks the dynamic linker

use crate::linker::Object;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering::*};

/// So many libraries are remembered, so that the linker is asked once for each.
const MOST: usize = 8;

/// Where the code of libraries lies that stay: its begin and its end.
static KEPT: [[AtomicUsize; 2]; MOST] = [const { [const { AtomicUsize::new(0) }; 2] }; MOST];
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// Keeps the library loaded that has this function. Takes the linker's lock; call it without any other. The linker may run the
/// library's constructors first, if they are still to come: so not while this library is being loaded.
pub fn keep(function: usize) {
    if is_kept(function) {
        return;
    }
    let Some(found) = find(function) else { return };
    if !found.is_executable {
        let Some(_stays) = found.object.hold(libc::RTLD_NODELETE) else { return };
    }
    if let Some([begin, end]) = KEPT.get(NEXT.fetch_add(1, Relaxed) % MOST) {
        end.store(0, Relaxed);
        begin.store(found.begin, Release);
        end.store(found.end, Release);
    }
}

fn is_kept(function: usize) -> bool {
    KEPT.iter().any(|[begin, end]| function < end.load(Acquire) && function >= begin.load(Acquire))
}

/// The object that has a function, and where its code is.
struct Found {
    object: Object,
    function: usize,
    begin: usize,
    end: usize,
    is_executable: bool,
}

fn find(function: usize) -> Option<Found> {
    #[allow(clippy::cast_possible_truncation)] // addresses have 64 bits here
    unsafe extern "C" fn one(info: *mut libc::dl_phdr_info, _: usize, found: *mut c_void) -> c_int {
        // SAFETY: `found` below, which lives until the call returns.
        let found = unsafe { &mut *found.cast::<Found>() };
        // SAFETY: the linker's description of one object, valid during this call.
        let info = unsafe { &*info };
        // SAFETY: the linker's array of program headers, of the length it says.
        let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        let code = headers.iter().filter(|h| h.p_type == libc::PT_LOAD && h.p_flags & libc::PF_X != 0).map(|h| {
            let begin = info.dlpi_addr.wrapping_add(h.p_vaddr) as usize;
            (begin, begin.wrapping_add(h.p_memsz as usize))
        });
        for (begin, end) in code {
            if (begin..end).contains(&found.function) {
                (found.begin, found.end) = (begin, end);
                found.object = Object { base: info.dlpi_addr as usize, name: info.dlpi_name };
                return 1;
            }
        }
        found.is_executable = false;
        0
    }
    // The linker shows the executable first.
    let nothing = Object { base: 0, name: ptr::null() };
    let mut found = Found { object: nothing, function, begin: 0, end: 0, is_executable: true };
    // SAFETY: `one` gets what it is written for.
    let hit = unsafe { libc::dl_iterate_phdr(Some(one), (&raw mut found).cast()) } != 0;
    (hit && !found.object.name.is_null()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_of_a_function_is_found_with_its_code() {
        let own = find(find as *const () as usize).unwrap();
        assert!(own.is_executable && (own.begin..own.end).contains(&(keep as *const () as usize)));
        let other = find(libc::getpid as *const () as usize).unwrap();
        assert!(!other.is_executable);
        assert!(other.object.name().windows(7).any(|part| part == b"libc.so"), "{:?}", other.object);
        assert!(find(16).is_none() && find(&raw const KEPT as usize).is_none());
    }

    #[test]
    fn what_is_kept_is_asked_for_once() {
        let function = libc::getppid as *const () as usize;
        assert!(!is_kept(function));
        keep(function);
        assert!(is_kept(function) && !is_kept(&raw const KEPT as usize));
    }
}

//! Pins the shared object of a callback (`RTLD_NODELETE`), so that a later `dlclose` leaves no dangling pointer. The
//! pin stays when the callback is withdrawn: a thread may be executing it.

use crate::linker::LoadedObject;
use crate::objects::any_image;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::*};

/// Number of libraries that are cached. The linker is asked once for each of them, and every time for others.
const CACHE_SIZE: usize = 8;

/// Start and end of the code of pinned libraries.
static PINNED: [[AtomicUsize; 2]; CACHE_SIZE] = [const { [const { AtomicUsize::new(0) }; 2] }; CACHE_SIZE];
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// Pins the library that has this function. Takes the linker's lock, so call it without holding any other. The linker
/// may first run constructors of the library that are still pending, so don't call it while this library is being
/// loaded.
pub fn pin(function: usize) {
    if is_pinned(function) {
        return;
    }
    let Some(found) = find(function) else { return };
    if !found.is_executable {
        let Some(_stays) = found.object.hold(libc::RTLD_NODELETE) else { return };
    }
    // Each entry is written once, so a reader can't combine the start of one library with the end of another.
    if let Some([begin, end]) = PINNED.get(NEXT.fetch_add(1, Relaxed)) {
        begin.store(found.code.start, Relaxed);
        // Release: pairs with the load of `end` in `is_pinned`; publishes `begin`.
        end.store(found.code.end, Release);
    }
}

fn is_pinned(function: usize) -> bool {
    // Acquire: pairs with the store in `pin`, which publishes `begin`.
    PINNED.iter().any(|[begin, end]| function < end.load(Acquire) && function >= begin.load(Relaxed))
}

/// The image that has a function, and the address range of its code.
struct Found {
    object: LoadedObject,
    code: Range<usize>,
    is_executable: bool,
}

fn find(function: usize) -> Option<Found> {
    let (mut found, mut is_executable) = (None, true);
    any_image(&mut |image, _| {
        found = image.code_around(function).map(|code| Found {
            object: LoadedObject::of_image(&image),
            code,
            is_executable,
        });
        // The linker lists the executable first.
        is_executable = false;
        found.is_some()
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_of_a_function_is_found_with_its_code() {
        let own = find(find as *const () as usize).unwrap();
        assert!(own.is_executable && own.code.contains(&(pin as *const () as usize)));
        let other = find(libc::getpid as *const () as usize).unwrap();
        assert!(!other.is_executable);
        assert!(other.object.name().windows(7).any(|part| part == b"libc.so"), "{:?}", other.object);
        assert!(find(16).is_none() && find(&raw const PINNED as usize).is_none());
    }

    #[test]
    fn a_pinned_library_is_asked_for_once() {
        let function = libc::getppid as *const () as usize;
        assert!(!is_pinned(function));
        pin(function);
        assert!(is_pinned(function) && !is_pinned(&raw const PINNED as usize));
    }
}

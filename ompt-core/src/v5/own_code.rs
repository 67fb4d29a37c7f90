//! Where our own code lies. Where a compiler ends a function with a jump to the runtime, that call returns to whoever called
//! the function: to us, if it is one that runtimes call by way of us. A tool wants addresses of the program's.
#![allow(unsafe_code)] // looks at the library that we are in

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering::*};

/// Where our own code starts, and how long it is; nothing where it lies among the program's, in its executable.
static START: AtomicUsize = AtomicUsize::new(0);
static LENGTH: AtomicUsize = AtomicUsize::new(0);

/// Whether the address is one of ours.
#[inline(always)]
pub(super) fn has(address: usize) -> bool {
    address.wrapping_sub(START.load(Relaxed)) < LENGTH.load(Relaxed)
}

/// Finds our own code. To be called when a tool starts.
pub(super) fn find() {
    // SAFETY: the function takes what it is called with.
    unsafe { libc::dl_iterate_phdr(Some(look), ptr::null_mut()) };
}

unsafe extern "C" fn look(object: *mut libc::dl_phdr_info, _: usize, _: *mut c_void) -> c_int {
    // SAFETY: the linker describes an object that is loaded.
    let object = unsafe { &*object };
    // SAFETY: null, or a C string: empty for the executable.
    if unsafe { object.dlpi_name.as_ref() }.is_none_or(|first| *first == 0) {
        return 0;
    }
    // SAFETY: as many headers as the object has.
    let headers = unsafe { std::slice::from_raw_parts(object.dlpi_phdr, usize::from(object.dlpi_phnum)) };
    let code = headers.iter().filter(|header| header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_X != 0);
    #[allow(clippy::cast_possible_truncation)] // addresses have 64 bits here
    let mut code = code.map(|header| ((object.dlpi_addr + header.p_vaddr) as usize, header.p_memsz as usize));
    let own = find as *const () as usize;
    let Some((start, length)) = code.find(|(start, length)| own.wrapping_sub(*start) < *length) else { return 0 };
    START.store(start, Relaxed);
    LENGTH.store(length, Relaxed);
    1
}

/// As if our code lay there.
#[cfg(test)]
pub(super) fn pretend(start: usize, length: usize) {
    START.store(start, Relaxed);
    LENGTH.store(length, Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_part_of_the_executable_is_none_of_ours() {
        let _alone = crate::v5::tests::runtime::alone();
        find();
        for address in [find as *const () as usize, 0, 1, usize::MAX] {
            assert!(!has(address), "{address:#x}");
        }
    }
}

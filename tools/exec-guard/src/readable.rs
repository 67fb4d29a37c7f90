//! A check of whether an environment that a program passes can be read: the system answers EFAULT where a read would crash. Unsafe: C
//! pointers.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};
use std::io::Error;
use std::ptr;

/// Smallest size of a page.
const PAGE: usize = 4096;

/// True if the environment is null, or if it and all of its strings can be read to their ends. May change `errno`.
pub(crate) fn is_environment(environment: *const *const c_char) -> bool {
    let (mut entries, mut strings) = (LastPage::NONE, LastPage::NONE);
    let mut entry = environment;
    while !entry.is_null() {
        let next = entry.wrapping_add(1);
        if !entries.is_readable(entry.addr()) || !entries.is_readable(next.addr().wrapping_sub(1)) {
            return false;
        }
        // SAFETY: all bytes of the entry are readable, as checked above.
        let variable: *const c_char = unsafe { entry.read_unaligned() };
        if variable.is_null() {
            return true;
        }
        if !is_string(variable, &mut strings) {
            return false;
        }
        entry = next;
    }
    true
}

fn is_string(text: *const c_char, pages: &mut LastPage) -> bool {
    let mut part = text;
    while pages.is_readable(part.addr()) {
        let rest = PAGE - part.addr() % PAGE;
        // SAFETY: the page is readable, as checked above, and `rest` is what it has from here.
        let length = unsafe { libc::strnlen(part, rest) };
        if length < rest {
            return true;
        }
        part = part.wrapping_add(rest);
    }
    false
}

/// The page that was last found readable, so that each one costs a single system call while memory is read in order.
struct LastPage(usize);

impl LastPage {
    /// Not the start of a page.
    const NONE: Self = Self(1);

    fn is_readable(&mut self, address: usize) -> bool {
        let page = address - address % PAGE;
        if page != self.0 && can_be_read(address) {
            self.0 = page;
        }
        page == self.0
    }
}

/// Asks the system to read a signal set there. As it refuses the operation, the call has no effect.
fn can_be_read(address: usize) -> bool {
    const NO_OPERATION: c_int = -1;
    const SIZE: usize = 8;
    let set = ptr::without_provenance::<u8>(address - address % SIZE);
    // A null pointer means no set, and isn't read.
    if set.is_null() {
        return false;
    }
    // SAFETY: only the kernel reads the set, and it answers EFAULT if it can't; EINVAL comes after that (sigprocmask(2)).
    let answer = unsafe { libc::syscall(libc::SYS_rt_sigprocmask, NO_OPERATION, set, ptr::null_mut::<u8>(), SIZE) };
    answer != -1 || Error::last_os_error().raw_os_error() != Some(libc::EFAULT)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two pages, of which the second one can't be read.
    fn pages() -> *mut u8 {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping.
        let start = unsafe { libc::mmap(ptr::null_mut(), 2 * PAGE, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        // SAFETY: the second page of the mapping.
        assert_eq!(unsafe { libc::mprotect(start.wrapping_byte_add(PAGE), PAGE, libc::PROT_NONE) }, 0);
        start.cast()
    }

    #[test]
    fn an_environment_is_read_to_its_end() {
        let whole = [c"A=1".as_ptr(), c"B=2".as_ptr(), ptr::null()];
        assert!(is_environment(whole.as_ptr()));
        assert!(is_environment(ptr::null()));
        assert!(!is_environment(ptr::without_provenance(8)));
        assert!(!is_environment(ptr::without_provenance(usize::MAX - 6)));
        assert!(!is_environment([c"A=1".as_ptr(), ptr::without_provenance(9), ptr::null()].as_ptr()));
    }

    #[test]
    fn what_reaches_into_memory_that_cannot_be_read_is_no_environment() {
        let pages = pages();
        // SAFETY: the first page, which can be written.
        unsafe { pages.write_bytes(b'x', PAGE) };
        let string = pages.wrapping_add(PAGE - 3).cast::<c_char>();
        assert!(!is_environment([string.cast_const(), ptr::null()].as_ptr()));
        // SAFETY: the last byte of the first page.
        unsafe { pages.wrapping_add(PAGE - 1).write(0) };
        assert!(is_environment([string.cast_const(), ptr::null()].as_ptr()));

        // Neither the end nor half of an entry is in the second page.
        let entries = pages.wrapping_add(PAGE - 8).cast::<*const c_char>();
        // SAFETY: the last entry of the first page.
        unsafe { entries.write(c"A=1".as_ptr()) };
        assert!(!is_environment(entries.cast_const().cast()));
        assert!(!is_environment(entries.wrapping_byte_add(4).cast_const().cast()));
        // SAFETY: the last entry of the first page.
        unsafe { entries.write(ptr::null()) };
        assert!(is_environment(entries.cast_const().cast()));
    }
}

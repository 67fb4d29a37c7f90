//! The size of the system's pages: 4096 bytes on x86-64, up to 65536 elsewhere.
#![allow(unsafe_code)] // a call of the C library

use crate::arch::PAGE_SIZE;

/// The smallest page size of all supported systems, and so the least alignment of mapped memory.
pub const SMALLEST_PAGE: usize = 4096;

/// The size of the system's pages. Async-signal-safe.
#[inline]
pub fn page_size() -> usize {
    PAGE_SIZE.unwrap_or_else(ask)
}

fn ask() -> usize {
    // SAFETY: getauxval(3) takes a number, and reads only the process's auxiliary vector, which never changes.
    let size = unsafe { libc::getauxval(libc::AT_PAGESZ) };
    usize::try_from(size).unwrap_or(SMALLEST_PAGE).max(SMALLEST_PAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_what_the_system_maps() {
        // SAFETY: sysconf(3) takes a number.
        let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let size = usize::try_from(size).unwrap();
        assert_eq!((page_size(), ask()), (size, size));
    }
}

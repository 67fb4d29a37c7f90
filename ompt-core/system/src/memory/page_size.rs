//! The size of the system's pages: 4096 bytes on x86-64, up to 65536 elsewhere.
#![allow(unsafe_code)] // a call of the C library

/// The smallest page that any supported system has, and the least alignment of anything that it maps.
pub const SMALLEST_PAGE: usize = 4096;

/// The size of the system's pages. Async-signal-safe.
pub fn page_size() -> usize {
    // SAFETY: getauxval(3) takes a number, and touches no memory but the process's own vector, which never changes.
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
        assert_eq!(page_size(), usize::try_from(size).unwrap());
    }
}

//! Extent of a collector's buffer. Unsafe: the collector's pointer.
#![allow(unsafe_code)]

use std::ffi::c_void;

use request_format::{ENTRY_HEAD, MAX_BYTES, end};

/// Number of the buffer's bytes that a record keeps, and the reason for the end of the walk (one of [`end`]).
///
/// Async-signal-safe. Reads only the entries' sizes, in the same order as the library: a size is not read before the
/// one before it was checked, and nothing after the closing zero is read.
///
/// # Safety
/// `arg` is null, or points to entries of `sz` bytes each, ended by an `int` 0, that nobody else accesses meanwhile.
pub(crate) unsafe fn extent(arg: *const c_void) -> (usize, u32) {
    if arg.is_null() {
        return (0, end::NULL);
    }
    if !arg.addr().is_multiple_of(4) {
        return (0, end::ALIGNMENT);
    }
    let mut at = 0;
    loop {
        // SAFETY: at the start and after each entry there is another entry or the closing zero, by this function's
        // `# Safety`.
        let sz = unsafe { arg.wrapping_byte_add(at).cast::<i32>().read() };
        let length = match sz {
            0 => return (at + 4, end::ZERO),
            16.. if sz & 3 == 0 => sz.unsigned_abs() as usize,
            _ => return (at + 4, end::SIZE),
        };
        // There must be space for the next size as well.
        if length > MAX_BYTES - 4 - at {
            return ((at + ENTRY_HEAD).min(MAX_BYTES), end::CUT);
        }
        at += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[i32]) -> (usize, u32) {
        // SAFETY: the tests' arrays end where the walk does.
        unsafe { extent(words.as_ptr().cast()) }
    }

    #[test]
    fn a_buffer_goes_to_its_closing_zero() {
        assert_eq!(of(&[0]), (4, end::ZERO));
        assert_eq!(of(&[16, 0, 0, 0, 20, 3, 0, 0, 0, 0]), (40, end::ZERO));
    }

    #[test]
    fn a_bad_size_is_the_last_thing_that_is_kept() {
        for bad in [1, 4, 12, 15, 17, 18, -16, i32::MAX, i32::MIN] {
            assert_eq!(of(&[bad]), (4, end::SIZE), "{bad}");
            assert_eq!(of(&[16, 0, 0, 0, bad]), (20, end::SIZE), "{bad}");
        }
    }

    #[test]
    fn no_buffer_and_an_odd_one_are_not_looked_at() {
        let at = |address: usize| std::ptr::without_provenance(address);
        // SAFETY: null is allowed; an address that is not a multiple of 4 is not read.
        assert_eq!(unsafe { extent(at(0)) }, (0, end::NULL));
        for odd in [1, 2, 3, 4097] {
            // SAFETY: an address that is not a multiple of 4 is not read.
            assert_eq!(unsafe { extent(at(odd)) }, (0, end::ALIGNMENT));
        }
    }

    #[test]
    fn a_long_buffer_is_cut_where_the_record_is_full() {
        let most = i32::try_from(MAX_BYTES).unwrap();
        assert_eq!(of(&[0x7fff_fffc]), (ENTRY_HEAD, end::CUT));
        assert_eq!(of(&[most]), (ENTRY_HEAD, end::CUT));
        assert_eq!(of(&[16, 0, 0, 0, most - 16]), (16 + ENTRY_HEAD, end::CUT));
        let mut fits = vec![0; MAX_BYTES / 4];
        fits[0] = most - 4;
        assert_eq!(of(&fits), (MAX_BYTES, end::ZERO));
        // More entries than fit.
        let many = [16, 0, 0, 0].repeat(MAX_BYTES / 16 + 1);
        assert_eq!(of(&many), (MAX_BYTES, end::CUT));
    }

    #[test]
    fn nothing_is_read_beyond_the_page_that_the_buffer_ends_on() {
        let page = 4096;
        // SAFETY: a new mapping; nothing is replaced.
        let map = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                2 * page,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert_ne!(map, libc::MAP_FAILED);
        // SAFETY: the second page of the mapping above.
        assert_eq!(unsafe { libc::mprotect(map.wrapping_byte_add(page), page, libc::PROT_NONE) }, 0);
        for (words, expected) in [
            (&[0][..], (4, end::ZERO)),
            (&[3], (4, end::SIZE)),
            (&[20, 3, 0, 0, 0, 0], (24, end::ZERO)),
            (&[16, 0, 0, 0, 18], (20, end::SIZE)),
            (&[0x7fff_fffc], (ENTRY_HEAD, end::CUT)),
        ] {
            let at = map.cast::<i32>().wrapping_byte_add(page - size_of_val(words));
            // SAFETY: the last words of the first page, which is ours.
            unsafe { at.copy_from_nonoverlapping(words.as_ptr(), words.len()) };
            // SAFETY: the walk ends at the last word of the page.
            assert_eq!(unsafe { extent(at.cast()) }, expected, "{words:?}");
        }
        // SAFETY: the mapping above, which nothing uses any more.
        unsafe { libc::munmap(map, 2 * page) };
    }
}

//! Accesses that libgfortran makes for the program: what `print`, `write` and `read` transfer. The library is not instrumented, so
//! the accesses are recorded at its calls, as those of the caller.
#![allow(unsafe_code)] // reads array descriptors

use crate::sanitizer::sanitizer;

/// Direction of a transfer, as seen from memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// `print` and `write`.
    Read,
    /// `read`.
    Write,
}

/// Maximum length of a transfer that is recorded as a whole, in bytes.
const LONGEST: usize = 1 << 20;
/// Number of words of an array's descriptor before its dimensions, and of each dimension (libgfortran.h).
const HEAD: usize = 5;
const DIMENSION: usize = 3;
/// Maximum number of dimensions of an array.
const DIMENSIONS: usize = 15;

/// Records a transfer of bytes by a call that returns to `caller`.
pub(crate) fn transfer(access: Access, place: usize, size: usize, caller: usize) {
    if let Some(sanitizer) = sanitizer().filter(|_| place != 0 && size != 0) {
        sanitizer.note_range(access == Access::Write, place, size.min(LONGEST), caller);
    }
}

/// Records a transfer of the array with this descriptor: all of it if it is contiguous, otherwise its first element.
///
/// # Safety
/// `descriptor` is the address of a gfortran descriptor, as of gcc 8.
pub(crate) unsafe fn transfer_array(access: Access, descriptor: usize, caller: usize) {
    let word = |number: usize| {
        let place = std::ptr::with_exposed_provenance::<isize>(descriptor).wrapping_add(number);
        // SAFETY: the caller's promise; only words of the head, and of dimensions up to the rank, are read.
        unsafe { place.read() }
    };
    let [start, size] = [word(0), word(2)].map(isize::cast_unsigned);
    let rank = usize::from(word(3).to_le_bytes()[4]);
    if rank > DIMENSIONS {
        return;
    }
    let extents = (0..rank).map(|number| {
        let at = HEAD + DIMENSION * number;
        (word(at), word(at + 2) - word(at + 1) + 1)
    });
    if let Some(elements) = elements(extents) {
        transfer(access, start, elements.saturating_mul(size), caller);
    }
}

/// Number of contiguous elements, from the stride and the extent of each dimension; `None` for an empty array.
fn elements(extents: impl Iterator<Item = (isize, isize)>) -> Option<usize> {
    let (mut all, mut is_contiguous) = (1_isize, true);
    for (stride, extent) in extents {
        if extent <= 0 {
            return None;
        }
        is_contiguous &= stride == all || extent == 1;
        all = all.saturating_mul(extent);
    }
    usize::try_from(if is_contiguous { all } else { 1 }).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contiguous_arrays_count_as_a_whole_and_others_by_their_first_element() {
        let of = |extents: &[(isize, isize)]| elements(extents.iter().copied());
        assert_eq!(of(&[]), Some(1));
        assert_eq!(of(&[(1, 10), (10, 4)]), Some(40));
        assert_eq!(of(&[(2, 10)]), Some(1));
        assert_eq!(of(&[(1, 10), (20, 4)]), Some(1));
        assert_eq!(of(&[(1, 10), (10, 0)]), None);
        assert_eq!(of(&[(7, 1), (1, 3)]), Some(3));
    }
}

//! Parser of the byte array of requests: entries `{sz, r, ec, rsz, mem}` one after the other, closed by a zero (white
//! paper, layout of `arg`).
//!
//! [`Entries`] is the FFI boundary: the only code that turns the caller's pointer into references. Past it, an entry is
//! a head and at most [`MAX_MEM`] bytes of `mem`, since no answer is longer.
#![allow(unsafe_code)] // the caller's pointer

use crate::codes::ErrorCode;
use std::ffi::c_void;
use thiserror::Error;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// The largest part of `mem` that any request reads or writes, in bytes.
pub const MAX_MEM: usize = 16;

/// The fixed part of an entry.
#[repr(C)]
#[derive(Debug, FromBytes, IntoBytes, KnownLayout, Immutable)]
pub struct Head {
    /// Length of the entry in bytes, head included.
    pub sz: i32,
    /// Number of the request.
    pub r: i32,
    /// Answer: an [`ErrorCode`].
    pub ec: i32,
    /// Answer: bytes of result, or bytes needed.
    pub rsz: i32,
}
const _: () = assert!(size_of::<Head>() == 16 && align_of::<Head>() == 4);

/// Reason why a call ends before the closing zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum WireError {
    /// The array's address is null.
    #[error("the request array is null")]
    Null,
    /// The array does not start at a multiple of 4.
    #[error("the request array at {0:#x} is not aligned to 4 bytes")]
    Alignment(usize),
    /// The next entry's size is not one that an entry can have.
    #[error("entry size {0} is not a multiple of 4 of at least 16")]
    Size(i32),
}

/// One entry: its head, and as much of its `mem` as any request may touch.
#[derive(Debug)]
pub struct Entry<'a> {
    head: &'a mut Head,
    mem: &'a mut [u8],
}

/// Checked length of an entry, from the first word of its head; `None` at the closing zero.
#[inline(always)]
pub fn length(sz: i32) -> Result<Option<usize>, WireError> {
    match sz {
        0 => Ok(None),
        16.. if sz & 3 == 0 => Ok(Some(sz.cast_unsigned() as usize)),
        _ => Err(WireError::Size(sz)),
    }
}

impl<'a> Entry<'a> {
    /// Borrows an entry from its own bytes; `None` if they are too few or not aligned to 4.
    #[inline(always)]
    fn from_bytes(bytes: &'a mut [u8]) -> Option<Self> {
        let (head, mem) = Head::mut_from_prefix(bytes).ok()?;
        Some(Self { head, mem })
    }

    /// Number of the request.
    #[inline]
    pub fn request(&self) -> i32 {
        self.head.r
    }

    /// The number of bytes of `mem` that matter: at most [`MAX_MEM`].
    #[inline]
    pub fn room(&self) -> usize {
        self.mem.len()
    }

    /// The first `N` bytes of `mem`, from `at` on; `None` if it is shorter.
    #[inline]
    pub fn read<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.mem.get(at..)?.first_chunk().copied()
    }

    /// Writes plain data into `mem` at `at`; false, and nothing is written, if it does not fit.
    #[inline(always)]
    pub fn write<T: bytemuck::NoUninit>(&mut self, at: usize, value: T) -> bool {
        let bytes = bytemuck::bytes_of(&value);
        let place = self.mem.get_mut(at..).and_then(|mem| mem.get_mut(..bytes.len()));
        place.is_some_and(|place| {
            place.copy_from_slice(bytes);
            true
        })
    }

    /// Writes error code and result size to the entry's head.
    #[inline]
    pub fn answer(self, code: ErrorCode, size: i32) {
        self.head.ec = code as i32;
        self.head.rsz = size;
    }
}

/// A walk over an array: the address of the next entry.
///
/// ```
/// use ora::codes::ErrorCode;
/// use ora::wire::Entries;
///
/// // OMP_REQ_STATE (3) with 4 bytes of `mem`, then the closing zero.
/// let mut array = [20, 3, 0, 0, 0, 0];
/// // SAFETY: one whole entry and a zero, which only this thread touches.
/// let mut entries = unsafe { Entries::new(array.as_mut_ptr().cast()) }?;
/// let mut entry = entries.next_entry()?.unwrap();
/// assert_eq!((entry.request(), entry.room()), (3, 4));
/// assert!(entry.write(0, 6_i32));
/// entry.answer(ErrorCode::OMP_ERRCODE_OK, 4);
/// assert!(entries.next_entry()?.is_none());
/// assert_eq!(array, [20, 3, 0, 4, 6, 0]);
/// # Ok::<(), ora::wire::WireError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Entries {
    next: *mut u8,
}

impl Entries {
    /// Starts at the beginning of the array.
    ///
    /// # Safety
    /// `arg` is null, or points to entries of `sz` bytes each, ended by an `int` 0, that no other thread touches during
    /// the walk.
    ///
    /// # Errors
    /// The array is missing, or not at a multiple of 4. (Sizes are multiples of 4, so all entries are aligned if the
    /// first one is.)
    #[inline(always)]
    pub unsafe fn new(arg: *mut c_void) -> Result<Self, WireError> {
        if arg.is_null() {
            return Err(WireError::Null);
        }
        if !arg.addr().is_multiple_of(align_of::<Head>()) {
            return Err(WireError::Alignment(arg.addr()));
        }
        Ok(Self { next: arg.cast() })
    }

    /// The next entry; `None` at the closing zero. Nothing of an entry is accessed before its own size was checked.
    ///
    /// # Errors
    /// The size is not one that an entry can have.
    #[inline(always)]
    pub fn next_entry<'a>(&mut self) -> Result<Option<Entry<'a>>, WireError> {
        let at = self.next;
        // SAFETY: there is an entry or the closing zero here (`# Safety` of `new`), aligned, as `new` has checked.
        let sz = unsafe { at.cast::<i32>().read() };
        let Some(length) = length(sz)? else { return Ok(None) };
        // SAFETY: `new` has checked the first address, and `length` passes multiples of 4 only.
        unsafe { std::hint::assert_unchecked(at.addr().is_multiple_of(align_of::<Head>())) };
        self.next = at.wrapping_add(length);
        // SAFETY: the entry's `length` bytes are there, and nobody else touches them during the walk (`# Safety` of `new`).
        let bytes = unsafe { std::slice::from_raw_parts_mut(at, length.min(size_of::<Head>() + MAX_MEM)) };
        Ok(Entry::from_bytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_zero_and_multiples_of_four_from_sixteen_are_sizes() {
        assert_eq!(length(0), Ok(None));
        for bad in [1, 4, 12, 15, 17, 18, 19, -1, -4, -16, i32::MIN, i32::MAX] {
            assert_eq!(length(bad), Err(WireError::Size(bad)));
        }
        for good in [16, 20, 28, 32, 0x7fff_fffc] {
            assert_eq!(length(good), Ok(Some(good as usize)));
        }
    }

    #[test]
    fn a_bad_size_stops_the_walk_where_it_stands() {
        let mut array = [16, 4, -7, -7, 18, 4, -7, -7, 0];
        // SAFETY: the array is ours; its second entry has a bad size.
        let mut entries = unsafe { Entries::new(array.as_mut_ptr().cast()) }.unwrap();
        entries.next_entry().unwrap().unwrap().answer(ErrorCode::OMP_ERRCODE_UNKNOWN, 3);
        assert_eq!(entries.next_entry().unwrap_err(), WireError::Size(18));
        assert_eq!(array, [16, 4, 2, 3, 18, 4, -7, -7, 0]);
    }

    #[test]
    fn an_address_that_is_not_a_multiple_of_four_is_refused() {
        let mut array = [0i32; 8];
        let odd = array.as_mut_ptr().cast::<u8>().wrapping_add(2);
        // SAFETY: the address is within the array.
        assert_eq!(unsafe { Entries::new(odd.cast()) }.unwrap_err(), WireError::Alignment(odd.addr()));
        // SAFETY: null is allowed.
        assert_eq!(unsafe { Entries::new(std::ptr::null_mut()) }.unwrap_err(), WireError::Null);
    }

    #[test]
    fn nothing_is_read_or_written_beyond_mem() {
        let mut array = [20, 3, 0, 0, 0x5555_5555, 0];
        // SAFETY: the array is ours and well-formed.
        let mut entries = unsafe { Entries::new(array.as_mut_ptr().cast()) }.unwrap();
        let mut entry = entries.next_entry().unwrap().unwrap();
        assert_eq!(
            (entry.room(), entry.read::<4>(0), entry.read::<8>(0), entry.read::<4>(1)),
            (4, Some([0x55; 4]), None, None)
        );
        assert!(!entry.write(0, -1i64) && !entry.write(4, -1i32));
        assert_eq!(array, [20, 3, 0, 0, 0x5555_5555, 0]);
    }

    #[test]
    fn messages_carry_the_values() {
        assert_eq!(WireError::Size(18).to_string(), "entry size 18 is not a multiple of 4 of at least 16");
    }
}

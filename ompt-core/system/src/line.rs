//! Lines of several parts, written by one system call, so that lines of different processes and threads don't mix.
//! Async-signal-safe.
#![allow(unsafe_code)] // writes to a file

use std::ffi::c_int;
use std::ptr::null_mut;

/// The largest number of parts of a line.
pub const PARTS: usize = 16;

/// Writes a line of these parts to a file descriptor; only the first [`PARTS`] if there are more. Errors are ignored.
#[inline]
pub fn write(file: c_int, parts: &[&[u8]]) {
    let mut pieces = [libc::iovec { iov_base: null_mut(), iov_len: 0 }; PARTS];
    let mut count = 0;
    for (piece, part) in pieces.iter_mut().zip(parts) {
        *piece = libc::iovec { iov_base: part.as_ptr().cast_mut().cast(), iov_len: part.len() };
        count += 1;
    }
    // SAFETY: `count` of `pieces` were filled from slices that outlive the call, which only reads them (writev(2)).
    unsafe { libc::writev(file, pieces.as_ptr(), count) };
}

/// Writes the digits of a number into `room`, in base `base.len()`, and returns them.
pub fn digits<'room>(mut number: u64, base: &[u8], room: &'room mut [u8; 20]) -> &'room [u8] {
    let radix = (base.len() as u64).max(2);
    let mut length = 0;
    for place in room.iter_mut().rev() {
        #[allow(clippy::cast_possible_truncation)] // less than the base
        let digit = (number % radix) as usize;
        *place = base.get(digit).copied().unwrap_or(b'0');
        number /= radix;
        length += 1;
        if number == 0 {
            break;
        }
    }
    room.get(room.len() - length..).unwrap_or_default()
}

/// The digits of decimal numbers.
pub const DECIMAL: &[u8] = b"0123456789";
/// The digits of hexadecimal numbers.
pub const HEXADECIMAL: &[u8] = b"0123456789abcdef";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_with_all_their_digits() {
        for number in [0, 7, 10, 4711, u64::from(u32::MAX), u64::MAX] {
            assert_eq!(digits(number, DECIMAL, &mut [0; 20]), number.to_string().as_bytes());
        }
        for (number, said) in [(0, "0"), (0xab, "ab"), (u64::MAX, "ffffffffffffffff")] {
            assert_eq!(digits(number, HEXADECIMAL, &mut [0; 20]), said.as_bytes());
        }
    }
}

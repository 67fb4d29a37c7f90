//! Files to which all processes of a program append lines.
#![allow(unsafe_code)] // writes to a file

use std::ffi::{CStr, c_int};

/// No path is longer.
pub const LONGEST: usize = 4096;

/// Such a file, open. It is made if it isn't there.
#[derive(Debug)]
pub struct Appended(c_int);

impl Appended {
    /// Opens it.
    pub fn open(path: &CStr) -> Option<Self> {
        let how = libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND | libc::O_CLOEXEC;
        // SAFETY: a C string.
        let file = unsafe { libc::open(path.as_ptr(), how, 0o666) };
        (file >= 0).then_some(Self(file))
    }

    /// Writes a line in one piece, so that processes don't mix theirs. It has these parts.
    #[inline]
    pub fn write<const N: usize>(&self, parts: [&[u8]; N]) {
        let parts = parts.map(|part| libc::iovec { iov_base: part.as_ptr().cast_mut().cast(), iov_len: part.len() });
        let Ok(count) = c_int::try_from(N) else { return };
        // SAFETY: so many parts, which are only read.
        unsafe { libc::writev(self.0, parts.as_ptr(), count) };
    }
}

impl Drop for Appended {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: opened by `open`.
        unsafe { libc::close(self.0) };
    }
}

/// Where a link of the system's leads to; nothing where that can't be told.
pub fn target<'room>(link: &CStr, room: &'room mut [u8; LONGEST]) -> &'room [u8] {
    // SAFETY: a C string, and room of that length.
    let length = unsafe { libc::readlink(link.as_ptr(), room.as_mut_ptr().cast(), LONGEST) };
    usize::try_from(length).ok().and_then(|length| room.get(..length)).unwrap_or_default()
}

/// Digits of a number, in the base of as many digits as there are.
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
/// Those of hexadecimal ones.
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

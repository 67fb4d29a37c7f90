//! Lines of JSON, written without the heap: a report is made inside ThreadSanitizer. Nor are they on the stack, which may be a
//! coroutine's and small. Unsafe: memory that is mapped for each line.
#![allow(unsafe_code)]

use std::ptr::NonNull;

/// Maximum length of a line, in bytes.
const LONGEST: usize = 24 << 10;

/// A line under construction. Text that doesn't fit is left out; such a line is dropped as a whole.
pub(crate) struct Line {
    /// [`LONGEST`] bytes; `None` without memory.
    bytes: Option<NonNull<u8>>,
    length: usize,
    overflows: bool,
}

impl Line {
    pub(crate) fn new() -> Self {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: mmap(2) of new memory; directly, since ThreadSanitizer intercepts the C library's function.
        let address = unsafe { libc::syscall(libc::SYS_mmap, 0_usize, LONGEST, protection, flags, -1, 0_usize) };
        let address = usize::try_from(address).ok();
        let bytes = address.and_then(|address| NonNull::new(std::ptr::with_exposed_provenance_mut(address)));
        Self { bytes, length: 0, overflows: false }
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the mapping has `LONGEST` bytes, zeros at first, and belongs to this line alone.
        self.bytes.map(|bytes| unsafe { std::slice::from_raw_parts_mut(bytes.as_ptr(), LONGEST) }).unwrap_or_default()
    }

    /// The whole line, with its end; nothing if it was too long.
    pub(crate) fn finished(&mut self) -> &[u8] {
        self.byte(b'\n');
        let length = if self.overflows { 0 } else { self.length };
        self.bytes().get(..length).unwrap_or_default()
    }

    fn byte(&mut self, byte: u8) {
        let length = self.length;
        match self.bytes().get_mut(length) {
            Some(place) => *place = byte,
            None => self.overflows = true,
        }
        self.length += 1;
    }

    /// Appends text unchanged.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        text.bytes().for_each(|byte| self.byte(byte));
        self
    }

    /// Appends a string with its quotes.
    pub(crate) fn string(&mut self, bytes: &[u8]) -> &mut Self {
        self.byte(b'"');
        for byte in bytes {
            match byte {
                b'"' | b'\\' => {
                    self.byte(b'\\');
                    self.byte(*byte);
                }
                0..=31 => {
                    self.text("\\u00");
                    self.hexadecimal_digits(u64::from(*byte), 2);
                }
                _ => self.byte(*byte),
            }
        }
        self.byte(b'"');
        self
    }

    /// Appends a number.
    pub(crate) fn number(&mut self, mut number: u64) -> &mut Self {
        let mut digits = [0_u8; 20];
        let mut count = 0;
        for place in digits.iter_mut().rev() {
            *place = b'0' + u8::try_from(number % 10).unwrap_or(0);
            number /= 10;
            count += 1;
            if number == 0 {
                break;
            }
        }
        digits.iter().skip(20 - count).for_each(|digit| self.byte(*digit));
        self
    }

    pub(crate) fn bool(&mut self, value: bool) -> &mut Self {
        self.text(if value { "true" } else { "false" })
    }

    /// Appends an address.
    pub(crate) fn address(&mut self, address: usize) -> &mut Self {
        self.text("\"0x");
        let digits = (usize::BITS - address.leading_zeros()).div_ceil(4).max(1);
        self.hexadecimal_digits(address as u64, digits);
        self.text("\"")
    }

    /// Appends a list of addresses.
    pub(crate) fn addresses(&mut self, addresses: impl Iterator<Item = usize>) -> &mut Self {
        self.text("[");
        for (number, address) in addresses.enumerate() {
            self.text(if number == 0 { "" } else { "," }).address(address);
        }
        self.text("]")
    }

    fn hexadecimal_digits(&mut self, number: u64, digits: u32) {
        for place in (0..digits).rev() {
            let digit = u8::try_from(number >> (4 * place) & 15).unwrap_or(0);
            self.byte(if digit < 10 { b'0' + digit } else { b'a' + digit - 10 });
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Some(bytes) = self.bytes {
            // SAFETY: mapped by `new`, and nothing refers to it any more.
            unsafe { libc::syscall(libc::SYS_munmap, bytes.as_ptr().addr(), LONGEST) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_json() {
        let mut line = Line::new();
        line.text("{\"a\":").string(b"q\"\\\n\xc3\xa4").text(",\"b\":").number(u64::MAX).text(",\"c\":");
        line.addresses([0, 0x7fff_1234, usize::MAX].into_iter()).text(",\"d\":").bool(false).text("}");
        let expected = concat!(
            "{\"a\":\"q\\\"\\\\\\u000a\u{e4}\",\"b\":18446744073709551615,",
            "\"c\":[\"0x0\",\"0x7fff1234\",\"0xffffffffffffffff\"],\"d\":false}\n",
        );
        assert_eq!(str::from_utf8(line.finished()).unwrap(), expected);
    }

    #[test]
    fn a_line_that_is_too_long_is_dropped() {
        let mut line = Line::new();
        (0..LONGEST).for_each(|_| _ = line.text("x"));
        assert!(line.finished().is_empty());
    }

    #[test]
    fn a_line_takes_no_room_on_the_stack() {
        assert!(size_of::<Line>() <= 64);
    }
}

//! Text of bounded length, built where nothing may be allocated.

use std::ffi::CStr;

/// Text of up to `N - 1` bytes and a zero. What doesn't fit is left out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<const N: usize> {
    bytes: [u8; N],
    length: usize,
}

impl<const N: usize> Text<N> {
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; N], length: 0 }
    }

    /// Appends bytes, as many as fit.
    pub(crate) fn push(&mut self, more: &[u8]) -> &mut Self {
        let room = self.bytes.get_mut(self.length..N - 1).unwrap_or_default();
        let mut put = 0;
        for (to, from) in room.iter_mut().zip(more) {
            *to = *from;
            put += 1;
        }
        self.length += put;
        self
    }

    /// Leaves the first bytes only, at most `length` of them.
    pub(crate) fn cut(&mut self, length: usize) -> &mut Self {
        self.length = self.length.min(length);
        self.bytes.get_mut(self.length..).unwrap_or_default().fill(0);
        self
    }

    /// Appends a number, in decimal.
    pub(crate) fn number(&mut self, number: u64) -> &mut Self {
        let (mut digits, mut rest, mut first) = ([0_u8; 20], number, 20);
        for (place, digit) in digits.iter_mut().enumerate().rev() {
            *digit = b'0' + u8::try_from(rest % 10).unwrap_or(0);
            (rest, first) = (rest / 10, place);
            if rest == 0 {
                break;
            }
        }
        self.push(digits.get(first..).unwrap_or_default())
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// The text as a C string, up to the first zero.
    pub(crate) fn c(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.bytes).unwrap_or(c"")
    }

    /// Appends what a call writes; the call returns the number of bytes it has written.
    pub(crate) fn fill(&mut self, by: impl FnOnce(&mut [u8]) -> usize) -> &mut Self {
        let room = self.bytes.get_mut(self.length..N - 1).unwrap_or_default();
        let put = by(room).min(room.len());
        self.length += put;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_words_stand_behind_each_other() {
        let mut text = Text::<64>::new();
        text.push(b"pid-").number(1203).push(b".").number(0).push(b" ").number(u64::MAX);
        assert_eq!(text.bytes(), b"pid-1203.0 18446744073709551615");
        assert_eq!(text.c().to_bytes(), text.bytes());
    }

    #[test]
    fn a_text_that_is_cut_has_its_first_bytes_only() {
        let mut text = Text::<16>::new();
        text.push(b"pid-1203").cut(4).number(7);
        assert_eq!((text.bytes(), text.c().to_bytes()), (b"pid-7".as_slice(), b"pid-7".as_slice()));
        assert_eq!(text.cut(9).bytes(), b"pid-7");
    }

    #[test]
    fn what_does_not_fit_is_left_out_and_the_zero_stays() {
        let mut text = Text::<5>::new();
        text.push(b"abc").push(b"def");
        assert_eq!(text.bytes(), b"abcd");
        assert_eq!(text.c().to_bytes(), b"abcd");
    }
}

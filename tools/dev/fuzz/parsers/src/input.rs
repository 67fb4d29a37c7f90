//! A file's bytes as numbers and pieces, followed by zeros.

/// Unread rest of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a>(pub(crate) &'a [u8]);

impl<'a> Input<'a> {
    /// Takes up to `length` bytes.
    pub(crate) fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// Takes a byte.
    pub(crate) fn byte(&mut self) -> u8 {
        self.take(1).first().copied().unwrap_or(0)
    }

    /// Takes two bytes as a number.
    pub(crate) fn short(&mut self) -> u16 {
        u16::from_le_bytes([self.byte(), self.byte()])
    }

    /// Takes a number, which is small for most bytes.
    pub(crate) fn number(&mut self) -> u64 {
        match self.byte() {
            0xff => (0..8).fold(0, |number, _| number << 8 | u64::from(self.byte())),
            0xfe => u64::MAX,
            small => small.into(),
        }
    }

    /// Takes a piece that is preceded by its length.
    pub(crate) fn piece(&mut self) -> &'a [u8] {
        let length = self.byte();
        self.take(length.into())
    }

    /// True if nothing is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

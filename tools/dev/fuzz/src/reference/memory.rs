//! Access to the array's bytes, one at a time.

/// Bytes by their offset. An offset that the caller's contract doesn't cover is a bug of the reference, and panics.
pub trait Bytes {
    /// Reads a byte.
    fn byte(&self, at: usize) -> u8;
    /// Writes a byte.
    fn set_byte(&mut self, at: usize, to: u8);

    /// Reads a 32-bit integer.
    fn word(&self, at: usize) -> i32 {
        i32::from_ne_bytes([0, 1, 2, 3].map(|i| self.byte(at + i)))
    }

    /// Reads a 64-bit integer, at any offset.
    fn long(&self, at: usize) -> u64 {
        u64::from_ne_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|i| self.byte(at + i)))
    }

    /// Writes a 32-bit integer.
    fn set_word(&mut self, at: usize, to: i32) {
        to.to_ne_bytes().into_iter().enumerate().for_each(|(i, byte)| self.set_byte(at + i, byte));
    }

    /// Writes a 64-bit integer.
    fn set_long(&mut self, at: usize, to: u64) {
        to.to_ne_bytes().into_iter().enumerate().for_each(|(i, byte)| self.set_byte(at + i, byte));
    }
}

#[allow(clippy::indexing_slicing)] // see the trait
impl Bytes for Vec<u8> {
    fn byte(&self, at: usize) -> u8 {
        self[at]
    }

    fn set_byte(&mut self, at: usize, to: u8) {
        self[at] = to;
    }
}

/// A few pieces of a long array, by offset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sparse(pub Vec<(usize, Vec<u8>)>);

#[allow(clippy::panic, clippy::indexing_slicing)] // see the trait
impl Bytes for Sparse {
    fn byte(&self, at: usize) -> u8 {
        let piece = self.0.iter().find(|(start, bytes)| (*start..start + bytes.len()).contains(&at));
        piece.map(|(start, bytes)| bytes[at - start]).unwrap_or_else(|| panic!("the reference reads at {at}"))
    }

    fn set_byte(&mut self, at: usize, to: u8) {
        let piece = self.0.iter_mut().find(|(start, bytes)| (*start..start + bytes.len()).contains(&at));
        let (start, bytes) = piece.unwrap_or_else(|| panic!("the reference writes at {at}"));
        bytes[at - *start] = to;
    }
}

//! Decoders of machine code: none yet, so nothing is recognised.

use crate::arch::{Epilogue, Target, Word};

/// The bytes that [`call_before`] needs.
pub const CALL_BYTES: usize = 8;

/// The largest number of bytes that an entry of the procedure linkage table has up to its jump's end.
pub const STUB_BYTES: usize = 16;

/// Decodes the call that ends at `end`: not yet.
pub fn call_before(_code: [u8; CALL_BYTES], _end: usize) -> Option<Target> {
    None
}

/// The word through which an entry of the procedure linkage table jumps: not yet.
pub fn linkage_slot(_code: &[u8], _address: usize) -> Option<usize> {
    None
}

/// The frame of a function that ends right behind a call: not yet.
pub fn epilogue(_code: u64) -> Option<Epilogue> {
    None
}

/// The word that the function at `address` compares with 0 and sets to 1: not yet.
pub fn taken(_code: &[u8], _address: usize) -> Option<Word> {
    None
}

/// The word that the function at `address` exchanges for 0: not yet.
pub fn freed(_code: &[u8], _address: usize) -> Option<Word> {
    None
}

//! Tests many words for zero together, on processors without special code for it.
#![allow(unsafe_code)] // reads memory

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Length of the block that `is_zero_block` tests, in bytes.
pub const ZERO_BLOCK: usize = 256;

/// True if a block of [`ZERO_BLOCK`] bytes is zero.
///
/// # Safety
/// The block is readable memory at an address that is a multiple of 16. Other threads may write whole words to it meanwhile.
#[cfg_attr(target_arch = "x86_64", allow(dead_code, unreachable_pub))] // that one has its own
pub unsafe fn is_zero_block(block: *const u8) -> bool {
    let first = block.cast::<AtomicU64>();
    let words = (0..ZERO_BLOCK / 8).map(|number| {
        // SAFETY: a word of the block, which may be read by this function's `# Safety`.
        unsafe { &*first.wrapping_add(number) }.load(Relaxed)
    });
    words.fold(0, |all, word| all | word) == 0
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_block_is_zero_only_if_each_of_its_bytes_is() {
        #[repr(align(16))]
        struct Block([u8; super::ZERO_BLOCK + 16]);
        let mut block = Block([0; super::ZERO_BLOCK + 16]);
        for place in (0..block.0.len()).map(Some).chain([None]) {
            block.0.fill(0);
            if let Some(byte) = place.and_then(|place| block.0.get_mut(place)) {
                *byte = 1;
            }
            let expected = place.is_none_or(|place| place >= super::ZERO_BLOCK);
            // SAFETY: the block is an aligned array of this length.
            let own = unsafe { crate::arch::is_zero_block(block.0.as_ptr()) };
            // SAFETY: the block is an aligned array of this length.
            let by_words = unsafe { super::is_zero_block(block.0.as_ptr()) };
            assert_eq!([own, by_words], [expected; 2], "{place:?}");
        }
    }
}

//! Tests many words for zero together.

use std::arch::asm;

use super::super::ZERO_BLOCK;

/// True if a block of [`ZERO_BLOCK`] bytes is zero; it is read in pieces of 16 bytes.
///
/// # Safety
/// The block is readable memory at an address that is a multiple of 16. Other threads may write to it meanwhile.
pub unsafe fn is_zero_block(block: *const u8) -> bool {
    const _: () = assert!(ZERO_BLOCK == 256);
    let mask: u32;
    // SAFETY: by this function's `# Safety` the bytes may be read; machine code has no data races.
    unsafe {
        asm!(
            "movdqa {sum}, [{block}]",
            "por {sum}, [{block} + 0x10]",
            "movdqa {more}, [{block} + 0x20]",
            "por {more}, [{block} + 0x30]",
            "por {sum}, [{block} + 0x40]",
            "por {more}, [{block} + 0x50]",
            "por {sum}, [{block} + 0x60]",
            "por {more}, [{block} + 0x70]",
            "por {sum}, [{block} + 0x80]",
            "por {more}, [{block} + 0x90]",
            "por {sum}, [{block} + 0xa0]",
            "por {more}, [{block} + 0xb0]",
            "por {sum}, [{block} + 0xc0]",
            "por {more}, [{block} + 0xd0]",
            "por {sum}, [{block} + 0xe0]",
            "por {more}, [{block} + 0xf0]",
            "por {sum}, {more}",
            "pxor {more}, {more}",
            "pcmpeqb {sum}, {more}",
            "pmovmskb {mask:e}, {sum}",
            block = in(reg) block,
            sum = out(xmm_reg) _,
            more = out(xmm_reg) _,
            mask = out(reg) mask,
            options(nostack, readonly, preserves_flags),
        );
    }
    mask == 0xffff
}

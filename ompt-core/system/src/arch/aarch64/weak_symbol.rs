//! Weak references to symbols.

/// The address to which the linker has bound a weak reference to `$symbol`; null if nothing defines it.
#[macro_export]
macro_rules! weak_symbol {
    ($symbol:literal) => {{
        let address;
        // SAFETY: reads the word of the global offset table that the linker fills in for this reference
        // (R_AARCH64_LD64_GOT_LO12_NC).
        unsafe {
            ::std::arch::asm!(
                concat!(".weak ", $symbol),
                concat!("adrp {a}, :got:", $symbol),
                concat!("ldr {a}, [{a}, :got_lo12:", $symbol, "]"),
                a = out(reg) address,
                options(nostack, preserves_flags, readonly),
            );
        }
        address
    }};
}

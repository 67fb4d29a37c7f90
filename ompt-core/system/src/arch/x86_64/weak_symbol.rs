//! Weak references to symbols.

/// The address to which the linker has bound a weak reference to `$symbol`; null if nothing defines it.
#[macro_export]
macro_rules! weak_symbol {
    ($symbol:literal) => {{
        let address;
        // SAFETY: reads the word of the global offset table that the linker fills in for this reference (psABI,
        // R_X86_64_GOTPCREL).
        unsafe {
            ::std::arch::asm!(
                concat!(".weak ", $symbol),
                concat!("mov {a}, qword ptr [rip + ", $symbol, "@GOTPCREL]"),
                a = out(reg) address,
                options(nostack, preserves_flags, readonly),
            );
        }
        address
    }};
}

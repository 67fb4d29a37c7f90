//! Numbers of the psABI and of the kernel.

/// `e_machine` of this architecture's ELF files: `EM_X86_64`.
pub const ELF_MACHINE: u16 = 62;

/// The end of a program's addresses: 2^56 with five levels of page tables, 2^47 with four (Linux,
/// Documentation/arch/x86/x86_64/mm.rst).
pub const ADDRESS_END: u64 = 1 << 56;

/// True for the relocations by which the dynamic linker stores the plain address of a symbol (psABI, "Relocation
/// Types").
pub fn is_symbol_address(relocation: u64) -> bool {
    const R_X86_64_64: u64 = 1;
    const R_X86_64_GLOB_DAT: u64 = 6;
    const R_X86_64_JUMP_SLOT: u64 = 7;
    matches!(relocation, R_X86_64_64 | R_X86_64_GLOB_DAT | R_X86_64_JUMP_SLOT)
}

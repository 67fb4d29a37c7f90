//! Numbers and names of the psABI and of the system.

/// `e_machine` of this architecture's ELF files: `EM_AARCH64`.
pub const ELF_MACHINE: u16 = 183;

/// The architecture's name in messages.
pub const MACHINE: &str = "aarch64";

/// The name of glibc's dynamic linker.
pub const LINKER_NAME: &str = "ld-linux-aarch64.so.1";

/// The path of glibc's dynamic linker, the same in every program.
pub const LINKER: &str = "/lib/ld-linux-aarch64.so.1";

/// The word that marks this architecture's libraries in the output of `ldconfig -p`.
pub const CACHE_MARK: &str = "AArch64";

/// The end of the addresses that a program gets unless it requests higher ones (Linux,
/// Documentation/arch/arm64/memory.rst).
pub const USUAL_END: u64 = 1 << 48;

/// The end of a program's addresses: 2^52 with large virtual addresses, 2^48 without (Linux,
/// Documentation/arch/arm64/memory.rst).
pub const ADDRESS_END: u64 = 1 << 52;

/// The page size, on architectures where it is fixed: a kernel here has pages of 4, 16 or 64 KiB.
pub const PAGE_SIZE: Option<usize> = None;

/// True if a thread's loads take place in the order of its instructions
/// (Arm ARM, "Ordering relations").
pub const LOADS_IN_ORDER: bool = false;

/// True for the relocations by which the dynamic linker stores the plain address of a symbol (ELF for the Arm 64-bit
/// Architecture, "Dynamic relocations").
pub fn is_symbol_address(relocation: u64) -> bool {
    const R_AARCH64_ABS64: u64 = 257;
    const R_AARCH64_GLOB_DAT: u64 = 1025;
    const R_AARCH64_JUMP_SLOT: u64 = 1026;
    matches!(relocation, R_AARCH64_ABS64 | R_AARCH64_GLOB_DAT | R_AARCH64_JUMP_SLOT)
}

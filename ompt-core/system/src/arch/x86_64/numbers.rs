//! Numbers and names of the psABI and of the system.

/// `e_machine` of this architecture's ELF files: `EM_X86_64`.
pub const ELF_MACHINE: u16 = 62;

/// The architecture's name in messages.
pub const MACHINE: &str = "x86-64";

/// The name of glibc's dynamic linker.
pub const LINKER_NAME: &str = "ld-linux-x86-64.so.2";

/// The path of glibc's dynamic linker, the same in every program.
pub const LINKER: &str = "/lib64/ld-linux-x86-64.so.2";

/// The word that marks this architecture's libraries in the output of `ldconfig -p`.
pub const CACHE_MARK: &str = "x86-64";

/// The end of the addresses that a program gets unless it requests higher ones (Linux,
/// Documentation/arch/x86/x86_64/5level-paging.rst).
pub const USUAL_END: u64 = 1 << 47;

/// The end of a program's addresses: 2^56 with five levels of page tables, 2^47 with four (Linux,
/// Documentation/arch/x86/x86_64/mm.rst).
pub const ADDRESS_END: u64 = 1 << 56;

/// The page size, on architectures where it is fixed (Intel SDM, volume 3, 4.3: the smallest page).
pub const PAGE_SIZE: Option<usize> = Some(4096);

/// True if a thread's loads take place in the order of its instructions
/// (Intel SDM, volume 3, "Memory Ordering").
pub const LOADS_IN_ORDER: bool = true;

/// True for the relocations by which the dynamic linker stores the plain address of a symbol (psABI, "Relocation
/// Types").
pub fn is_symbol_address(relocation: u64) -> bool {
    const R_X86_64_64: u64 = 1;
    const R_X86_64_GLOB_DAT: u64 = 6;
    const R_X86_64_JUMP_SLOT: u64 = 7;
    matches!(relocation, R_X86_64_64 | R_X86_64_GLOB_DAT | R_X86_64_JUMP_SLOT)
}

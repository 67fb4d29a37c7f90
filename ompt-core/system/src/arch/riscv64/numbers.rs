//! Numbers and names of the psABI and of the system.

/// `e_machine` of this architecture's ELF files: `EM_RISCV`.
pub const ELF_MACHINE: u16 = 243;

/// The architecture's name in messages.
pub const MACHINE: &str = "riscv64";

/// The name of glibc's dynamic linker.
pub const LINKER_NAME: &str = "ld-linux-riscv64-lp64d.so.1";

/// The path of glibc's dynamic linker, the same in every program.
pub const LINKER: &str = "/lib/ld-linux-riscv64-lp64d.so.1";

/// The mark of this architecture's libraries in the list that `ldconfig -p` prints.
pub const CACHE_MARK: &str = "double-float";

/// The end of the addresses that a program gets unless it requests higher ones (Linux,
/// Documentation/arch/riscv/vm-layout.rst).
pub const USUAL_END: u64 = 1 << 47;

/// The end of a program's addresses: 2^56 with five levels of page tables.
pub const ADDRESS_END: u64 = 1 << 56;

/// The kernel's name of the clock source that [`counter`](super::counter) reads.
pub const COUNTER_SOURCE: &str = "riscv_clocksource";

/// True if the counter never stops nor changes its pace: by the architecture it doesn't.
pub fn is_counter_steady(_cpuinfo: &str) -> bool {
    true
}

/// The size of pages, where all systems have the same: unknown here.
pub const PAGE_SIZE: Option<usize> = None;

/// True if a thread's loads take place in the order of its instructions
/// (RISC-V ISA manual, "RVWMO Memory Consistency Model").
pub const LOADS_IN_ORDER: bool = false;

/// True for the relocations by which the dynamic linker stores the plain address of a symbol (RISC-V ELF psABI,
/// "Relocations").
pub fn is_symbol_address(relocation: u64) -> bool {
    const R_RISCV_64: u64 = 2;
    const R_RISCV_JUMP_SLOT: u64 = 5;
    matches!(relocation, R_RISCV_64 | R_RISCV_JUMP_SLOT)
}

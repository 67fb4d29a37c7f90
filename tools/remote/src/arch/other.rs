//! A processor for which nothing is called in other processes yet. What belongs here is in `x86_64.rs`, name by name.

use std::io;

use crate::kept::Kept;

/// Unwinder of this architecture.
#[cfg(target_arch = "aarch64")]
pub type UnwinderOfMachine<D> = framehop::aarch64::UnwinderAarch64<D>;
/// Its cache of rules.
#[cfg(target_arch = "aarch64")]
pub type Cache = framehop::aarch64::CacheAarch64;
/// The registers that unwinding needs.
#[cfg(target_arch = "aarch64")]
pub type StackRegisters = framehop::aarch64::UnwindRegsAarch64;
/// In place of an unwinder, where there is none.
#[cfg(not(target_arch = "aarch64"))]
pub type UnwinderOfMachine<D> = framehop::x86_64::UnwinderX86_64<D>;
/// Its cache of rules.
#[cfg(not(target_arch = "aarch64"))]
pub type Cache = framehop::x86_64::CacheX86_64;
/// The registers that unwinding needs.
#[cfg(not(target_arch = "aarch64"))]
pub type StackRegisters = framehop::x86_64::UnwindRegsX86_64;

/// Registers that unwinding begins with.
#[cfg(target_arch = "aarch64")]
pub fn stack_registers(_: u64, stack: u64, base: u64) -> StackRegisters {
    // The return address isn't known: a function that hasn't saved it ends the stack.
    StackRegisters::new(0, stack, base)
}

/// Registers that unwinding begins with.
#[cfg(not(target_arch = "aarch64"))]
pub fn stack_registers(instruction: u64, stack: u64, base: u64) -> StackRegisters {
    StackRegisters::new(instruction, stack, base)
}

/// Frame pointer.
#[cfg(target_arch = "aarch64")]
pub fn base(registers: &StackRegisters) -> u64 {
    registers.fp()
}

/// Frame pointer.
#[cfg(not(target_arch = "aarch64"))]
pub fn base(registers: &StackRegisters) -> u64 {
    registers.bp()
}

/// No instructions are there to be run.
pub const CAN_CALL: bool = false;
/// Instruction that enters the kernel.
pub const SYSTEM_CALL: &[u8] = &[];
/// Instructions that call a function.
pub const CALLER: &[u8] = &[];
/// Start routine of the thread.
pub const THREAD: &[u8] = &[];

/// All registers of a stopped thread: they can't be read.
#[derive(Clone, Debug)]
pub struct Registers(());

#[allow(missing_docs, clippy::missing_errors_doc, reason = "as on the processors that have registers")]
impl Registers {
    pub fn read(_: u32) -> io::Result<Self> {
        unsupported()
    }

    pub fn write(&self, _: u32) -> io::Result<()> {
        unsupported()
    }

    pub fn write_general(&self, _: u32) -> io::Result<()> {
        unsupported()
    }

    pub fn stack(&self) -> StackRegisters {
        StackRegisters::new(0, 0, 0)
    }

    pub fn kept(&self) -> Kept {
        Kept::default()
    }

    pub fn argument(&self) -> u64 {
        0
    }

    pub fn instruction(&self) -> u64 {
        0
    }

    pub fn system_call(&self) -> Option<i64> {
        None
    }

    pub fn result(&self) -> i64 {
        0
    }

    #[must_use]
    pub fn with_system_call(&self, _: u64, _: i64, _: [u64; 6]) -> Self {
        self.clone()
    }

    #[must_use]
    pub fn with_call(&self, _: u64, _: u64, _: u64, _: u64, _: u64, _: [u64; 4]) -> Self {
        self.clone()
    }

    pub fn frame(&self, _: u64, _: u64) -> Vec<u8> {
        Vec::new()
    }

    #[must_use]
    pub fn again(&self) -> Self {
        self.clone()
    }
}

fn unsupported<T>() -> io::Result<T> {
    Err(io::ErrorKind::Unsupported.into())
}

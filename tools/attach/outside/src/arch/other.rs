//! A processor for which nothing can be called in other processes yet. The names needed here are those of
//! `x86_64`.

use std::io;

use super::StackRegisters;
use crate::arch::kept::Kept;
use crate::process::InKernel;

/// The instructions for calls in the process are not known.
pub const CAN_CALL: bool = false;
/// True if a stopped thread's registers don't show the system call that the stop has interrupted.
pub const HIDES_CALL: bool = false;
/// True if a thread's block comes after its descriptor (ELF Handling For Thread-Local Storage, variant 1).
pub const BLOCK_FOLLOWS_DESCRIPTOR: bool = false;
/// Bytes below the stack pointer that a function may use.
pub const RED_ZONE: u64 = 0;
/// Function of the C library with a [`CALL_AND_RETURN`].
pub const ENTERS_KERNEL: &str = "syscall";
/// Numbers in debug information of the callee-saved registers, besides the stack pointer and the frame pointer: none
/// is known.
pub const KEPT: [u16; 0] = [];
/// Instruction that enters the kernel.
pub const SYSTEM_CALL: &[u8] = &[];
/// Instructions that enter the kernel and return to the caller.
pub const CALL_AND_RETURN: &[u8] = &[];
/// Instructions that restore a thread by the frame at its stack pointer.
pub const RESTORE: &[u8] = &[];
/// Instructions that call a function.
pub const CALLER: &[u8] = &[];
/// Start routine of the thread.
pub const THREAD: &[u8] = &[];

/// All registers of a stopped thread: they can't be read.
#[derive(Clone, Debug)]
pub struct Registers(());

#[allow(missing_docs, clippy::missing_errors_doc, reason = "as on the processors that have registers")]
impl Registers {
    pub fn read(_: u32, _: Option<InKernel>) -> io::Result<Self> {
        unsupported()
    }

    pub fn read_general(_: u32, _: Option<InKernel>) -> io::Result<Self> {
        unsupported()
    }

    pub fn write(&self, _: u32) -> io::Result<()> {
        unsupported()
    }

    pub fn write_general(&self, _: u32) -> io::Result<()> {
        unsupported()
    }

    pub fn may_run(&self) -> bool {
        false
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

    pub fn stack_pointer(&self) -> u64 {
        0
    }

    pub fn returning_frame(&self, _: u64, _: u64, _: u64) -> (u64, Vec<u8>) {
        (0, Vec::new())
    }

    pub fn enters(&self, _: u64, _: i64) -> bool {
        false
    }

    pub fn result_of(_: u32) -> io::Result<i64> {
        unsupported()
    }

    #[must_use]
    pub fn with_system_call(&self, _: u64, _: u64, _: u64, _: i64, _: [u64; 6]) -> Self {
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

    #[must_use]
    pub fn later(&self) -> Self {
        self.clone()
    }
}

fn unsupported<T>() -> io::Result<T> {
    Err(io::ErrorKind::Unsupported.into())
}

//! x86-64 (System V psABI, AMD64 Architecture Processor Supplement).

mod code;
mod frame;
mod registers;

pub use code::{CALL_AND_RETURN, CALLER, RESTORE, SYSTEM_CALL, THREAD};
pub use registers::Registers;

/// True if [`CALLER`] is available.
pub const CAN_CALL: bool = true;
/// True if a stopped thread's registers don't show the system call that the stop has interrupted.
pub const HIDES_CALL: bool = false;
/// True if a thread's block comes after its descriptor (ELF Handling For Thread-Local Storage, variant 1).
pub const BLOCK_FOLLOWS_DESCRIPTOR: bool = false;
/// Function of the C library with a [`CALL_AND_RETURN`].
pub const ENTERS_KERNEL: &str = "getppid";
/// Numbers in debug information of the callee-saved registers, besides the stack pointer and the frame pointer (System V psABI, AMD64,
/// figure 3.36): rbx, r12 to r15.
pub const KEPT: [u16; 5] = [3, 12, 13, 14, 15];
/// Bytes below the stack pointer that a function may use (System V psABI, AMD64, 3.2.2).
pub const RED_ZONE: u64 = 128;

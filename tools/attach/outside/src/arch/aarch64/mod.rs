//! 64-bit ARM (Procedure Call Standard for the Arm 64-bit Architecture, AAPCS64).

mod code;
mod frame;
mod registers;
mod unwinder;

pub use code::{CALL_AND_RETURN, CALLER, RESTORE, SYSTEM_CALL, THREAD};
pub use registers::Registers;
pub(crate) use unwinder::Unwinder;
pub use unwinder::{StackRegisters, base, stack_registers};

/// True if [`CALLER`] is available.
pub const CAN_CALL: bool = true;
/// True if a stopped thread's registers don't show the system call that the stop has interrupted.
pub const HIDES_CALL: bool = true;
/// True if a thread's block comes after its descriptor (ELF Handling For Thread-Local Storage, variant 1).
pub const BLOCK_FOLLOWS_DESCRIPTOR: bool = true;
/// Bytes below the stack pointer that a function may use: none (AAPCS64, 6.4.5).
pub const RED_ZONE: u64 = 0;
/// Function of the C library with a [`CALL_AND_RETURN`], in which threads never wait: otherwise the kernel would put its own number for a
/// repeated call at the address of the interrupted instruction.
pub const ENTERS_KERNEL: &str = "getpid";
/// Numbers in debug information of the callee-saved registers, besides the stack pointer and the frame pointer (DWARF for the Arm
/// 64-bit Architecture, 4.1): x19 to x28.
pub const KEPT: [u16; 10] = [19, 20, 21, 22, 23, 24, 25, 26, 27, 28];

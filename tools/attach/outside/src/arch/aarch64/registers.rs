//! Registers of a stopped thread. Unsafe: ptrace(2).
#![allow(unsafe_code)]

use std::io;

use super::{KEPT, StackRegisters, frame};
use crate::arch::kept::Kept;
use crate::process::InKernel;

/// `NT_PRSTATUS`: general registers.
const GENERAL: i32 = 1;
/// `NT_PRFPREG`: vector registers of 16 bytes.
const VECTORS: i32 = 2;
/// `NT_ARM_SVE`: scalable vector registers, whose lower parts those are.
const SCALABLE: i32 = 0x405;
/// `NT_ARM_ZA`: the matrix of SME, which follows its header if it is in use (Linux, Documentation/arm64/sme.rst).
const MATRIX: i32 = 0x40c;
/// Bytes of that header (`struct user_za_header`).
const MATRIX_HEADER: usize = 16;
/// Maximum size of a set of vector registers in bytes (Linux, Documentation/arm64/sve.rst: vectors of 256 bytes),
/// with some margin.
const MAX_SIZE: usize = 1 << 14;
/// Bytes of an instruction.
const INSTRUCTION: u64 = 4;
/// `BTYPE` in the processor's state: the kind of the branch that has just been taken. An address that a branch of that kind may not lead
/// to faults.
const BRANCH: u64 = 3 << 10;
/// Number of restart_syscall(2).
const RESTART: u64 = 128;

/// All registers of a stopped thread.
#[derive(Clone)]
pub struct Registers {
    general: libc::user_regs_struct,
    /// Vector registers, and the number of their set.
    vectors: (i32, Vec<u8>),
    /// True if the matrix of SME is in use. It isn't saved.
    has_matrix: bool,
    /// State before the stop. For an interrupted system call, the kernel shows the registers with which it will be repeated, or a result
    /// of EINTR in place of the first argument.
    before: Option<InKernel>,
}

impl std::fmt::Debug for Registers {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Registers(pc {:#x}, sp {:#x})", self.general.pc, self.general.sp)
    }
}

/// An interrupted system call.
#[derive(Clone, Copy)]
struct Call {
    number: u64,
    arguments: [u64; 6],
    /// True if the kernel will repeat it.
    is_repeated: bool,
}

impl Registers {
    /// Reads the registers of a stopped thread that this one traces. `before`: its state shortly before it was asked
    /// to stop.
    ///
    /// # Errors
    /// If it is gone.
    pub fn read(tid: u32, before: Option<InKernel>) -> io::Result<Self> {
        let general = general(tid)?;
        let vectors = match set(tid, SCALABLE) {
            // The processor does not have any.
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => (VECTORS, set(tid, VECTORS)?),
            read => (SCALABLE, read?),
        };
        // A processor or kernel without it refuses.
        let has_matrix = set(tid, MATRIX).is_ok_and(|matrix| matrix.len() > MATRIX_HEADER);
        Ok(Self { general, vectors, has_matrix, before })
    }

    /// Reads only the general registers, for inspection.
    ///
    /// # Errors
    /// If it is gone.
    pub fn read_general(tid: u32, before: Option<InKernel>) -> io::Result<Self> {
        Ok(Self { general: general(tid)?, vectors: (VECTORS, Vec::new()), has_matrix: false, before })
    }

    /// Sets all registers of a stopped thread: the general ones last, so that the thread continues as before from that call on, and
    /// not earlier.
    ///
    /// # Errors
    /// If it is gone.
    pub fn write(&self, tid: u32) -> io::Result<()> {
        let (number, bytes) = &self.vectors;
        let part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
        // SAFETY: the kernel reads `iov_len` bytes (PTRACE_SETREGSET).
        let answer = unsafe { libc::ptrace(libc::PTRACE_SETREGSET, tid, *number, &raw const part) };
        if answer == 0 { self.write_general(tid) } else { Err(io::Error::last_os_error()) }
    }

    /// Sets the general registers of a stopped thread.
    ///
    /// # Errors
    /// If it is gone.
    pub fn write_general(&self, tid: u32) -> io::Result<()> {
        let bytes = size_of_val(&self.general);
        let part = libc::iovec { iov_base: (&raw const self.general).cast_mut().cast(), iov_len: bytes };
        // SAFETY: the kernel reads `iov_len` bytes (PTRACE_SETREGSET).
        let answer = unsafe { libc::ptrace(libc::PTRACE_SETREGSET, tid, GENERAL, &raw const part) };
        if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    fn general(&self, number: u16) -> u64 {
        self.general.regs.get(usize::from(number)).copied().unwrap_or_default()
    }

    /// True if the thread may run other code with these registers meanwhile. False in the streaming mode of SME, in which functions of the
    /// C library can't be called, and which a system call ends: the set of scalable registers is empty then. Also false if SME's matrix is
    /// in use, which creating a thread may switch off.
    pub fn may_run(&self) -> bool {
        self.vectors.1.len() > frame::HEADER && !self.has_matrix
    }

    /// The registers with which unwinding starts.
    pub fn stack(&self) -> StackRegisters {
        StackRegisters::of_thread(self.general(30), self.general.sp, self.general(29))
    }

    /// Other callee-saved registers.
    pub fn kept(&self) -> Kept {
        Kept(KEPT.map(|number| Some(self.general(number))))
    }

    /// Register of a function's first argument.
    pub fn argument(&self) -> u64 {
        self.general(0)
    }

    /// Instruction pointer.
    pub fn instruction(&self) -> u64 {
        self.general.pc
    }

    /// The system call that the stop has interrupted.
    pub fn system_call(&self) -> Option<i64> {
        self.call().and_then(|call| i64::try_from(call.number).ok())
    }

    fn call(&self) -> Option<Call> {
        let Some(InKernel::Blocked { call: Some(number), arguments, stack, instruction }) = self.before else {
            return None;
        };
        let own = &self.general;
        let is_repeated = own.pc == instruction.wrapping_sub(INSTRUCTION) && self.general(8) == number;
        let is_there = stack == own.sp && (is_repeated || own.pc == instruction);
        is_there.then_some(Call { number, arguments, is_repeated })
    }

    /// Result of the system call that the stop has interrupted.
    pub fn result(&self) -> i64 {
        self.general(0).cast_signed()
    }

    /// True at the entry of a system call with this number, made by the instruction [`super::SYSTEM_CALL`] at that
    /// address.
    pub fn enters(&self, instruction: u64, number: i64) -> bool {
        self.general(8) == number.cast_unsigned() && self.general.pc == instruction.wrapping_add(INSTRUCTION)
    }

    /// Result of the system call that a stopped thread has just made.
    ///
    /// # Errors
    /// If it is gone.
    pub fn result_of(tid: u32) -> io::Result<i64> {
        general(tid).map(|general| general.regs[0].cast_signed())
    }

    /// Stack pointer.
    pub fn stack_pointer(&self) -> u64 {
        self.general.sp
    }

    /// The frame at `at` ([`Self::frame`]); returns the address of its first byte. The return address is in a
    /// register.
    pub fn returning_frame(&self, at: u64, _: u64, blocked: u64) -> (u64, Vec<u8>) {
        (at, self.frame(at, blocked))
    }

    /// Registers with which the thread makes a system call, by [`super::CALL_AND_RETURN`] at `instruction`, and then restores itself by
    /// [`super::RESTORE`] at `restore` and the [`Self::returning_frame`] at `frame`.
    #[must_use]
    pub fn with_system_call(
        &self,
        instruction: u64,
        restore: u64,
        frame: u64,
        number: i64,
        arguments: [u64; 6],
    ) -> Self {
        let mut with = self.clone();
        with.general.regs[30] = restore;
        with.general.sp = frame;
        for (register, argument) in with.general.regs.iter_mut().zip(arguments) {
            *register = argument;
        }
        with.general.regs[8] = number.cast_unsigned();
        with.general.pc = instruction;
        with.general.pstate &= !BRANCH;
        with
    }

    /// Registers with which the thread runs [`super::CALLER`] at `code`, for a function with these arguments, on another stack.
    #[must_use]
    pub fn with_call(
        &self,
        code: u64,
        stack: u64,
        function: u64,
        mailbox: u64,
        frame: u64,
        arguments: [u64; 4],
    ) -> Self {
        let [a, b, c, d] = arguments;
        let mut with = self.with_system_call(code, 0, frame, 0, [a, b, c, d, 0, 0]);
        let general = &mut with.general;
        general.regs[9] = function;
        general.regs[19] = mailbox;
        general.regs[20] = frame;
        general.sp = stack & !15;
        with
    }

    /// The frame at `at`, a multiple of 64, from which rt_sigreturn(2) restores these registers and this mask of signals. An
    /// interrupted system call is repeated.
    pub fn frame(&self, at: u64, blocked: u64) -> Vec<u8> {
        let own = &self.general;
        let general: Vec<u64> = own.regs.into_iter().chain([own.sp, own.pc, own.pstate]).collect();
        let (number, vectors) = &self.vectors;
        frame::of(at, blocked, &general, vectors, *number == SCALABLE)
    }

    /// Registers with which the interrupted system call is repeated, if the kernel would return EINTR only because of
    /// the stop.
    #[must_use]
    pub fn again(&self) -> Self {
        let mut again = self.clone();
        if let Some(Call { arguments: [first, ..], is_repeated: false, .. }) = self.call() {
            again.general.regs[0] = first;
            again.general.pc = self.general.pc.wrapping_sub(INSTRUCTION);
        }
        again
    }

    /// Registers with which a thread continues that has run something else since the stop. Calls that wait for a span of time are
    /// repeated with the remaining time.
    #[must_use]
    pub fn later(&self) -> Self {
        let mut later = self.clone();
        if self.call().is_some_and(|call| call.is_repeated && has_rest(&call)) {
            later.general.regs[8] = RESTART;
        }
        later
    }
}

/// The general registers of a stopped thread.
fn general(tid: u32) -> io::Result<libc::user_regs_struct> {
    // SAFETY: all zero is a valid set of registers.
    let mut general: libc::user_regs_struct = unsafe { std::mem::zeroed() };
    let bytes = size_of_val(&general);
    let mut part = libc::iovec { iov_base: (&raw mut general).cast(), iov_len: bytes };
    // SAFETY: the kernel writes at most `iov_len` bytes, and their number there (ptrace(2), PTRACE_GETREGSET).
    let answer = unsafe { libc::ptrace(libc::PTRACE_GETREGSET, tid, GENERAL, &raw mut part) };
    if answer == 0 { Ok(general) } else { Err(io::Error::last_os_error()) }
}

/// True for an interrupted call that the kernel continues from what it has stored about it (`ERESTART_RESTARTBLOCK` in linux/kernel:
/// time/hrtimer.c, time/posix-timers.c, futex/waitwake.c).
fn has_rest(call: &Call) -> bool {
    /// `TIMER_ABSTIME`
    const UNTIL: u64 = 1;
    let [_, second, _, fourth, ..] = call.arguments;
    let waits = [libc::FUTEX_WAIT, libc::FUTEX_WAIT_BITSET].map(|operation| u64::from(operation.unsigned_abs()));
    let operation = second & u64::from(libc::FUTEX_CMD_MASK.cast_unsigned());
    match i64::try_from(call.number) {
        Ok(libc::SYS_nanosleep) => true,
        Ok(libc::SYS_clock_nanosleep) => second & UNTIL == 0,
        Ok(libc::SYS_futex) => waits.contains(&operation) && fourth != 0,
        _ => false,
    }
}

/// A set of vector registers, or the matrix.
fn set(tid: u32, number: i32) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; MAX_SIZE];
    let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    // SAFETY: the kernel writes at most `iov_len` bytes, and their number there (PTRACE_GETREGSET).
    let answer = unsafe { libc::ptrace(libc::PTRACE_GETREGSET, tid, number, &raw mut part) };
    if answer != 0 {
        return Err(io::Error::last_os_error());
    }
    bytes.truncate(part.iov_len);
    Ok(bytes)
}

//! Registers of a stopped thread. Unsafe: ptrace(2).
#![allow(unsafe_code)]

use std::io;

use super::{SYSTEM_CALL, frame};
use crate::arch::StackRegisters;
use crate::arch::kept::Kept;
use crate::process::InKernel;

/// `NT_X86_XSTATE`: vector registers, and everything else that the kernel saves besides the general ones.
const EXTENDED: i32 = 0x202;
/// Maximum size of an extended state (Intel SDM, volume 1, 13.4), with some margin.
const EXTENDED_BYTES: usize = 1 << 15;

/// Results of interrupted system calls that the kernel repeats: ERESTARTSYS, ERESTARTNOINTR, ERESTARTNOHAND and
/// ERESTART_RESTARTBLOCK (linux/errno.h).
const RESTARTED: [i64; 4] = [-512, -513, -514, -516];
/// Bytes of a return address.
const RETURN_ADDRESS: u64 = 8;

/// All registers of a stopped thread.
#[derive(Clone)]
pub struct Registers {
    general: libc::user_regs_struct,
    extended: Vec<u8>,
}

impl std::fmt::Debug for Registers {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Registers(rip {:#x}, rsp {:#x})", self.general.rip, self.general.rsp)
    }
}

impl Registers {
    /// Reads the registers of a stopped thread that this one traces.
    ///
    /// # Errors
    /// If it is gone.
    pub fn read(tid: u32, _: Option<InKernel>) -> io::Result<Self> {
        let general = general(tid)?;
        let mut extended = vec![0; EXTENDED_BYTES];
        let mut part = libc::iovec { iov_base: extended.as_mut_ptr().cast(), iov_len: extended.len() };
        // SAFETY: the kernel writes at most `iov_len` bytes, and their number there (PTRACE_GETREGSET).
        let answer = unsafe { libc::ptrace(libc::PTRACE_GETREGSET, tid, EXTENDED, &raw mut part) };
        if answer != 0 {
            return Err(io::Error::last_os_error());
        }
        extended.truncate(part.iov_len);
        Ok(Self { general, extended })
    }

    /// Reads only the general registers, for inspection.
    ///
    /// # Errors
    /// If it is gone.
    pub fn read_general(tid: u32, _: Option<InKernel>) -> io::Result<Self> {
        Ok(Self { general: general(tid)?, extended: Vec::new() })
    }

    /// Sets all registers of a stopped thread: the general ones last, so that the thread continues as before from that call on, and
    /// not earlier.
    ///
    /// # Errors
    /// If it is gone.
    pub fn write(&self, tid: u32) -> io::Result<()> {
        let part = libc::iovec { iov_base: self.extended.as_ptr().cast_mut().cast(), iov_len: self.extended.len() };
        // SAFETY: the kernel reads `iov_len` bytes (PTRACE_SETREGSET).
        let answer = unsafe { libc::ptrace(libc::PTRACE_SETREGSET, tid, EXTENDED, &raw const part) };
        if answer == 0 { self.write_general(tid) } else { Err(io::Error::last_os_error()) }
    }

    /// Sets the general registers of a stopped thread.
    ///
    /// # Errors
    /// If it is gone.
    pub fn write_general(&self, tid: u32) -> io::Result<()> {
        // SAFETY: the kernel reads a set of registers (PTRACE_SETREGS).
        let answer = unsafe { libc::ptrace(libc::PTRACE_SETREGS, tid, 0, &raw const self.general) };
        if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// True if the thread may run other code with these registers meanwhile.
    pub fn may_run(&self) -> bool {
        true
    }

    /// The registers with which unwinding starts.
    pub fn stack(&self) -> StackRegisters {
        StackRegisters::new(self.general.rip, self.general.rsp, self.general.rbp)
    }

    /// Other callee-saved registers.
    pub fn kept(&self) -> Kept {
        let it = &self.general;
        Kept([it.rbx, it.r12, it.r13, it.r14, it.r15].map(Some))
    }

    /// Register of a function's first argument.
    pub fn argument(&self) -> u64 {
        self.general.rdi
    }

    /// Instruction pointer.
    pub fn instruction(&self) -> u64 {
        self.general.rip
    }

    /// The system call that the stop has interrupted.
    pub fn system_call(&self) -> Option<i64> {
        let number = self.general.orig_rax.cast_signed();
        (number >= 0).then_some(number)
    }

    /// Result of the system call that the stop has interrupted.
    pub fn result(&self) -> i64 {
        self.general.rax.cast_signed()
    }

    /// True at the entry of a system call with this number, made by the instruction [`SYSTEM_CALL`] at that address.
    pub fn enters(&self, instruction: u64, number: i64) -> bool {
        self.system_call() == Some(number) && self.general.rip == instruction.wrapping_add(SYSTEM_CALL.len() as u64)
    }

    /// Result of the system call that a stopped thread has just made.
    ///
    /// # Errors
    /// If it is gone.
    pub fn result_of(tid: u32) -> io::Result<i64> {
        general(tid).map(|general| general.rax.cast_signed())
    }

    /// Stack pointer.
    pub fn stack_pointer(&self) -> u64 {
        self.general.rsp
    }

    /// The frame at `at` ([`Self::frame`]), preceded by the return address that leads to [`super::RESTORE`]; returns the address of its
    /// first byte.
    pub fn returning_frame(&self, at: u64, restore: u64, blocked: u64) -> (u64, Vec<u8>) {
        (at - RETURN_ADDRESS, [&restore.to_le_bytes()[..], &self.frame(at, blocked)].concat())
    }

    /// Registers with which the thread makes a system call, by [`super::CALL_AND_RETURN`] at `instruction`, and then restores itself by the
    /// [`Self::returning_frame`] at `frame`.
    #[must_use]
    pub fn with_system_call(&self, instruction: u64, _: u64, frame: u64, number: i64, arguments: [u64; 6]) -> Self {
        let mut with = self.clone();
        with.general.rsp = frame - RETURN_ADDRESS;
        let [rdi, rsi, rdx, r10, r8, r9] = arguments;
        let general = &mut with.general;
        (general.rdi, general.rsi, general.rdx, general.r10, general.r8, general.r9) = (rdi, rsi, rdx, r10, r8, r9);
        general.rip = instruction;
        general.rax = number.cast_unsigned();
        general.orig_rax = u64::MAX;
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
        /// Direction and trap flags: functions start with them clear.
        const FLAGS: u64 = 0x500;
        let mut with = self.with_system_call(code, 0, frame, function.cast_signed(), [0; 6]);
        let [rdi, rsi, rdx, rcx] = arguments;
        let general = &mut with.general;
        (general.rdi, general.rsi, general.rdx, general.rcx) = (rdi, rsi, rdx, rcx);
        general.rbx = mailbox;
        general.r12 = frame;
        general.rsp = stack & !15;
        general.eflags &= !FLAGS;
        with
    }

    /// The frame at `at`, a multiple of 64, from which rt_sigreturn(2) restores these registers and this mask of signals. An interrupted
    /// system call is repeated.
    pub fn frame(&self, at: u64, blocked: u64) -> Vec<u8> {
        let it = &self.general;
        let restarts = self.system_call().is_some() && RESTARTED.contains(&self.result());
        let (rax, rip) = if restarts { (it.orig_rax, it.rip - SYSTEM_CALL.len() as u64) } else { (it.rax, it.rip) };
        let general = [
            it.r8, it.r9, it.r10, it.r11, it.r12, it.r13, it.r14, it.r15, it.rdi, it.rsi, it.rbp, it.rbx, it.rdx, rax,
            it.rcx, it.rsp, rip, it.eflags,
        ];
        let selectors = it.cs & 0xffff | (it.ss & 0xffff) << 48;
        frame::of(at, blocked, general, selectors, &self.extended)
    }

    /// Registers with which the interrupted system call is repeated, if the kernel would return EINTR only because of
    /// the stop.
    #[must_use]
    pub fn again(&self) -> Self {
        let mut again = self.clone();
        again.general.rax = again.general.orig_rax;
        again.general.rip -= SYSTEM_CALL.len() as u64;
        again
    }

    /// Registers with which a thread continues that has run something else since the stop: the kernel repeats an interrupted call from
    /// their values.
    #[must_use]
    pub fn later(&self) -> Self {
        self.clone()
    }
}

/// The general registers of a stopped thread.
fn general(tid: u32) -> io::Result<libc::user_regs_struct> {
    // SAFETY: all zero is a valid set of registers.
    let mut general: libc::user_regs_struct = unsafe { std::mem::zeroed() };
    let place = &raw mut general;
    // SAFETY: the kernel writes a set of registers (ptrace(2), PTRACE_GETREGS).
    let answer = unsafe { libc::ptrace(libc::PTRACE_GETREGS, tid, 0, place) };
    if answer == 0 { Ok(general) } else { Err(io::Error::last_os_error()) }
}

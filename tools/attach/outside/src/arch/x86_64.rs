//! x86-64 (System V psABI, AMD64 Architecture Processor Supplement).
#![allow(unsafe_code)] // registers by ptrace

use std::io;

use super::StackRegisters;
use crate::arch::kept::Kept;
use crate::process::InKernel;

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

/// `NT_X86_XSTATE`: vector registers, and everything else that the kernel saves besides the general ones.
const EXTENDED: i32 = 0x202;
/// Maximum size of an extended state (Intel SDM, volume 1, 13.4), with some margin.
const EXTENDED_BYTES: usize = 1 << 15;

/// Instruction that enters the kernel.
pub const SYSTEM_CALL: &[u8] = &[0x0f, 0x05];
/// Instructions that enter the kernel and return to the caller: `syscall; ret`.
pub const CALL_AND_RETURN: &[u8] = &[0x0f, 0x05, 0xc3];
/// Instructions that restore a thread by the frame at its stack pointer: `mov rax, rt_sigreturn; syscall`. Each signal handler returns
/// to them (glibc, `__restore_rt`).
pub const RESTORE: &[u8] = &[0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05];
/// Bytes below the stack pointer that a function may use (System V psABI, AMD64, 3.2.2).
pub const RED_ZONE: u64 = 128;

/// Instructions that call a function, and store its result in `Mailbox::created`. Then they wait for a second, during which `ora`
/// restores the thread. If that doesn't happen because `ora` was killed, the thread restores itself: see [`Registers::frame`]. The
/// wait is one that leaves no trace when it is interrupted: `poll` would overwrite what the kernel has stored about the thread's own
/// interrupted sleep.
pub const CALLER: &[u8] = &[
    0xf3, 0x0f, 0x1e, 0xfa, // endbr64
    0xff, 0xd0, // call rax
    0xff, 0xc0, // inc eax
    0x89, 0x43, 124, // mov [rbx + created], eax
    0x6a, 0, // push 0
    0x6a, 1, // push 1
    0x48, 0x89, 0xe2, // mov rdx, rsp
    0x31, 0xff, // xor edi, edi
    0x31, 0xf6, // xor esi, esi
    0x45, 0x31, 0xd2, // xor r10d, r10d
    0xb8, 0x0f, 1, 0, 0, // mov eax, ppoll
    0x0f, 0x05, // syscall
    0x4c, 0x89, 0xe4, // mov rsp, r12
    0xb8, 15, 0, 0, 0, // mov eax, rt_sigreturn
    0x0f, 0x05, // syscall
];

/// Start routine of the thread; its argument is a `attach_inside::mailbox::Mailbox`. Detaches the thread, loads both libraries, and jumps
/// to the entry point, with the mailbox as argument. If the dynamic linker refuses, its message is kept until `ora` has read it and closes
/// its end of the pipe, or has ended. Then the thread closes its files. If the mapping is not used by others, the thread unmaps it together
/// with its own code: the call that does so, and its return, are in the C library.
pub const THREAD: &[u8] = &[
    0xf3, 0x0f, 0x1e, 0xfa, // endbr64
    0x53, // push rbx
    0x48, 0x89, 0xfb, // mov rbx, rdi
    0xc7, 0x43, 72, 1, 0, 0, 0, // mov dword ptr [rbx + stage], BEGUN
    0x48, 0x8b, 0x7b, 56, // mov rdi, [rbx + thread]
    0xff, 0x13, // call [rbx + detach]
    0x48, 0x8b, 0x7b, 32, // mov rdi, [rbx + library]
    0xbe, 0x02, 0x01, 0, 0, // mov esi, RTLD_NOW | RTLD_GLOBAL
    0xff, 0x53, 8, // call [rbx + dlopen]
    0x48, 0x85, 0xc0, // test rax, rax
    0x74, 38, // jz refused
    0x48, 0x8b, 0x7b, 40, // mov rdi, [rbx + watcher]
    0xbe, 0x02, 0, 0, 0, // mov esi, RTLD_NOW
    0xff, 0x53, 8, // call [rbx + dlopen]
    0x48, 0x85, 0xc0, // test rax, rax
    0x74, 21, // jz refused
    0x48, 0x89, 0xc7, // mov rdi, rax
    0x48, 0x8b, 0x73, 48, // mov rsi, [rbx + entry]
    0xff, 0x53, 16, // call [rbx + dlsym]
    0x48, 0x85, 0xc0, // test rax, rax
    0x74, 6, // jz refused
    0x48, 0x89, 0xdf, // mov rdi, rbx
    0x5b, // pop rbx
    0xff, 0xe0, // jmp rax
    // refused:
    0xff, 0x53, 24, // call [rbx + dlerror]
    0x48, 0x89, 0x43, 64, // mov [rbx + error], rax
    0xc7, 0x43, 72, 2, 0, 0, 0, // mov dword ptr [rbx + stage], NOT_LOADED
    0x8b, 0x43, 108,  // mov eax, [rbx + reader]
    0x50, // push rax: a `pollfd` that waits for the end of all writers
    0x48, 0x89, 0xe7, // mov rdi, rsp
    0xbe, 1, 0, 0, 0, // mov esi, 1
    0xba, 0x10, 0x27, 0, 0, // mov edx, 10000
    0xb8, 7, 0, 0, 0, // mov eax, poll
    0x0f, 0x05, // syscall
    0x5f, // pop rdi
    0xb8, 3, 0, 0, 0, // mov eax, close
    0x0f, 0x05, // syscall
    0x8b, 0x7b, 116, // mov edi, [rbx + library_file]
    0xb8, 3, 0, 0, 0, // mov eax, close
    0x0f, 0x05, // syscall
    0x8b, 0x7b, 120, // mov edi, [rbx + watcher_file]
    0xb8, 3, 0, 0, 0, // mov eax, close
    0x0f, 0x05, // syscall
    0x48, 0x8b, 0x7b, 88, // mov rdi, [rbx + mapping]
    0x48, 0x8b, 0x73, 96, // mov rsi, [rbx + mapping_bytes]
    0x48, 0x8b, 0x93, 144, 0, 0, 0, // mov rdx, [rbx + call_and_return]
    0x8b, 0x8b, 152, 0, 0, 0,    // mov ecx, [rbx + restored]
    0x5b, // pop rbx
    0xe3, 7, // jrcxz keep
    0xb8, 11, 0, 0, 0, // mov eax, munmap
    0xff, 0xe2, // jmp rdx
    // keep:
    0x31, 0xc0, // xor eax, eax
    0xc3, // ret
];

/// Results of interrupted system calls that the kernel repeats: ERESTARTSYS, ERESTARTNOINTR, ERESTARTNOHAND and
/// ERESTART_RESTARTBLOCK (linux/errno.h).
const RESTARTED: [i64; 4] = [-512, -513, -514, -516];
/// `FP_XSTATE_MAGIC1` and `FP_XSTATE_MAGIC2`.
const FIRST_MARK: u32 = 0x4650_5853;
const LAST_MARK: u32 = 0x4650_5845;
/// Offset in an extended state of the words for software, the first of which ptrace(2) uses for the mask of
/// components.
const WORDS: usize = 464;
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

    /// The frame at `at` ([`Self::frame`]), preceded by the return address that leads to [`RESTORE`]; returns the address of its
    /// first byte.
    pub fn returning_frame(&self, at: u64, restore: u64, blocked: u64) -> (u64, Vec<u8>) {
        (at - RETURN_ADDRESS, [&restore.to_le_bytes()[..], &self.frame(at, blocked)].concat())
    }

    /// Registers with which the thread makes a system call, by [`CALL_AND_RETURN`] at `instruction`, and then restores itself by the
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

    /// Registers with which the thread runs [`CALLER`] at `code`, for a function with these arguments, on another stack.
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

    /// The frame at `at`, a multiple of 64, from which rt_sigreturn(2) restores these registers and this mask of signals, in the
    /// kernel's layout (linux/arch/x86/include/uapi/asm: ucontext.h, sigcontext.h). An interrupted system call is repeated. The
    /// alternate signal stack is not changed: the kernel refuses one without a size.
    pub fn frame(&self, at: u64, blocked: u64) -> Vec<u8> {
        /// `UC_FP_XSTATE | UC_SIGCONTEXT_SS | UC_STRICT_RESTORE_SS`
        const FLAGS: u64 = 7;
        /// Offset of the extended state.
        const STATE: usize = 320;
        let it = &self.general;
        let restarts = self.system_call().is_some() && RESTARTED.contains(&self.result());
        let (rax, rip) = if restarts { (it.orig_rax, it.rip - SYSTEM_CALL.len() as u64) } else { (it.rax, it.rip) };
        let general = [
            it.r8, it.r9, it.r10, it.r11, it.r12, it.r13, it.r14, it.r15, it.rdi, it.rsi, it.rbp, it.rbx, it.rdx, rax,
            it.rcx, it.rsp, rip, it.eflags,
        ];
        let selectors = it.cs & 0xffff | (it.ss & 0xffff) << 48;
        let words = [FLAGS, 0, 0, 0, 0].into_iter().chain(general).chain([selectors, 0, 0, 0, 0, at + STATE as u64]);
        let words = words.chain([0; 8]).chain([blocked]);
        let mut frame: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
        frame.resize(STATE, 0);
        let mut state = without_unused_tiles(&self.extended, tiles_offset());
        let size = u32::try_from(state.len()).unwrap_or_default().to_le_bytes();
        let larger = u32::try_from(state.len() + 4).unwrap_or_default().to_le_bytes();
        let features: Vec<u8> = state.get(WORDS..WORDS + 8).unwrap_or_default().to_vec();
        let software = [&FIRST_MARK.to_le_bytes()[..], &larger, &features, &size].concat();
        if let Some(place) = state.get_mut(WORDS..WORDS + software.len()) {
            place.copy_from_slice(&software);
        }
        frame.extend(state);
        frame.extend(LAST_MARK.to_le_bytes());
        frame
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

/// Number of the state component of AMX's tiles (Intel SDM, volume 1, 13.1), and the offset of the set of components
/// that a state has.
const TILES: u32 = 18;
const COMPONENTS: usize = 512;

/// Offset of AMX's tiles in an extended state; 0 if the processor does not have them (Intel SDM, volume 2, CPUID,
/// leaf 0DH).
fn tiles_offset() -> usize {
    #[allow(unused_unsafe, reason = "the function is unsafe in the oldest Rust that compiles this")]
    // SAFETY: each 64-bit processor has the instruction (Intel SDM, volume 2, CPUID).
    let answer = unsafe { std::arch::x86_64::__cpuid_count(13, TILES) };
    answer.ebx as usize
}

/// A state without AMX's tiles, if the thread hasn't used them. ptrace(2) shows space for them, but the kernel refuses to restore a
/// state that is larger than what the thread has requested (arch_prctl(2), `ARCH_REQ_XCOMP_PERM`), and restores only the oldest part.
fn without_unused_tiles(state: &[u8], offset: usize) -> Vec<u8> {
    let components = state.get(COMPONENTS..).and_then(|rest| rest.first_chunk()).map(|word| u64::from_le_bytes(*word));
    let are_used = components.is_none_or(|components| components & 1 << TILES != 0);
    let mut state = state.to_vec();
    if offset == 0 || are_used || offset > state.len() {
        return state;
    }
    state.truncate(offset);
    // The mask of the components that the frame has: the first of the words for software.
    if let Some(byte) = state.get_mut(WORDS + TILES as usize / 8) {
        *byte &= !(1 << (TILES % 8));
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_that_were_not_used_are_not_in_the_frame() {
        let mut state = vec![0xff; 11_008];
        state[COMPONENTS..COMPONENTS + 8].copy_from_slice(&7_u64.to_le_bytes());
        let without = without_unused_tiles(&state, 2816);
        assert_eq!((without.len(), without[WORDS..WORDS + 4].to_vec()), (2816, vec![0xff, 0xff, 0xfb, 0xff]));
        assert_eq!(without_unused_tiles(&state, 0), state);
        state[COMPONENTS + 2] |= 1 << 2;
        assert_eq!(without_unused_tiles(&state, 2816), state);
    }

    /// Target of the jump whose second byte is at `at`.
    fn target(code: &[u8], at: usize) -> usize {
        at + 1 + usize::from(code[at])
    }

    #[test]
    fn refusals_jump_to_the_call_of_dlerror() {
        let refused = THREAD.windows(3).position(|bytes| bytes == [0xff, 0x53, 24]).unwrap();
        let jumps: Vec<usize> =
            (0..THREAD.len() - 1).filter(|at| THREAD[*at..].starts_with(&[0x48, 0x85, 0xc0, 0x74])).collect();
        assert_eq!(jumps.len(), 3);
        for jump in jumps {
            assert_eq!(target(THREAD, jump + 4), refused);
        }
    }
}

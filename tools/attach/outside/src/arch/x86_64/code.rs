//! Instructions that run in the watched process.

/// Instruction that enters the kernel.
pub const SYSTEM_CALL: &[u8] = &[0x0f, 0x05];
/// Instructions that enter the kernel and return to the caller: `syscall; ret`.
pub const CALL_AND_RETURN: &[u8] = &[0x0f, 0x05, 0xc3];
/// Instructions that restore a thread by the frame at its stack pointer: `mov rax, rt_sigreturn; syscall`. Each signal handler returns
/// to them (glibc, `__restore_rt`).
pub const RESTORE: &[u8] = &[0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05];
/// Instructions that call a function, and store its result in `Mailbox::created`. Then they wait for a second, during which `ora`
/// restores the thread. If that doesn't happen because `ora` was killed, the thread restores itself: see [`super::Registers::frame`]. The
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

#[cfg(test)]
mod tests {
    use super::*;

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

//! Instructions that run in the watched process.

/// Instruction that enters the kernel: `svc #0`.
pub const SYSTEM_CALL: &[u8] = &[1, 0, 0, 0xd4];
/// Instructions that enter the kernel and return to the caller: `svc #0; ret`.
pub const CALL_AND_RETURN: &[u8] = &bytes::<2, 8>([0xd400_0001, 0xd65f_03c0]);
/// Instructions that restore a thread by the frame at its stack pointer: `mov x8, #rt_sigreturn; svc #0`. Each signal handler returns
/// to them (Linux, arch/arm64/kernel/vdso/sigreturn.S).
pub const RESTORE: &[u8] = &bytes::<2, 8>([0xd280_1168, 0xd400_0001]);

/// Instructions that call a function (x9), and store its result in `Mailbox::created` (x19). Then they wait for a second, during
/// which `ora` restores the thread. If that doesn't happen because `ora` was killed, the thread restores itself by the frame in
/// x20: see [`super::Registers::frame`]. The wait is one that leaves no trace when it is interrupted: `nanosleep` would overwrite
/// what the kernel has stored about the thread's own interrupted sleep.
pub const CALLER: &[u8] = &bytes::<15, 60>([
    0xd503_245f, // bti c
    0xd63f_0120, // blr x9
    0x1100_0400, // add w0, w0, #1
    0xb900_7e60, // str w0, [x19, #created]
    0xd280_0029, // mov x9, #1
    0xa9bf_7fe9, // stp x9, xzr, [sp, #-16]!
    0xd280_0000, // mov x0, #0
    0xd280_0001, // mov x1, #0
    0x9100_03e2, // mov x2, sp
    0xd280_0003, // mov x3, #0
    0xd280_0928, // mov x8, #ppoll
    0xd400_0001, // svc #0
    0x9100_029f, // mov sp, x20
    0xd280_1168, // mov x8, #rt_sigreturn
    0xd400_0001, // svc #0
]);

/// Start routine of the thread; its argument is a `attach_inside::mailbox::Mailbox`. Detaches the thread, loads both libraries, and jumps
/// to the entry point, with the mailbox as argument. If the dynamic linker refuses, its message is kept until `ora` has read it and closes
/// its end of the pipe, or has ended. Then the thread closes its files. If the mapping is not used by others, the thread unmaps it together
/// with its own code: the call that does so, and its return, are in the C library.
pub const THREAD: &[u8] = &bytes::<64, 256>([
    0xd503_245f, // bti c
    0xa9bc_7bfd, // stp x29, x30, [sp, #-64]!
    0x9100_03fd, // mov x29, sp
    0xa901_53f3, // stp x19, x20, [sp, #16]
    0xaa00_03f3, // mov x19, x0
    0x5280_0029, // mov w9, #BEGUN
    0xb900_4a69, // str w9, [x19, #stage]
    0xf940_1e60, // ldr x0, [x19, #thread]
    0xf940_0269, // ldr x9, [x19, #detach]
    0xd63f_0120, // blr x9
    0xf940_1260, // ldr x0, [x19, #library]
    0x5280_2041, // mov w1, #(RTLD_NOW | RTLD_GLOBAL)
    0xf940_0669, // ldr x9, [x19, #dlopen]
    0xd63f_0120, // blr x9
    0xb400_01e0, // cbz x0, refused
    0xf940_1660, // ldr x0, [x19, #watcher]
    0x5280_0041, // mov w1, #RTLD_NOW
    0xf940_0669, // ldr x9, [x19, #dlopen]
    0xd63f_0120, // blr x9
    0xb400_0140, // cbz x0, refused
    0xf940_1a61, // ldr x1, [x19, #entry]
    0xf940_0a69, // ldr x9, [x19, #dlsym]
    0xd63f_0120, // blr x9
    0xb400_00c0, // cbz x0, refused
    0xaa00_03f0, // mov x16, x0
    0xaa13_03e0, // mov x0, x19
    0xa941_53f3, // ldp x19, x20, [sp, #16]
    0xa8c4_7bfd, // ldp x29, x30, [sp], #64
    0xd61f_0200, // br x16
    // refused:
    0xf940_0e69, // ldr x9, [x19, #dlerror]
    0xd63f_0120, // blr x9
    0xf900_2260, // str x0, [x19, #error]
    0x5280_0049, // mov w9, #NOT_LOADED
    0x9101_226a, // add x10, x19, #stage
    0x889f_fd49, // stlr w9, [x10]: the message is visible before the stage
    0xb940_6e69, // ldr w9, [x19, #reader]
    0xd280_014a, // mov x10, #10
    0xa902_2be9, // stp x9, x10, [sp, #32]: a `pollfd` that waits for the end of all writers, and ten seconds
    0xf900_1bff, // str xzr, [sp, #48]
    0x9100_83e0, // add x0, sp, #32
    0xd280_0021, // mov x1, #1
    0x9100_a3e2, // add x2, sp, #40
    0xd280_0003, // mov x3, #0
    0xd280_0928, // mov x8, #ppoll
    0xd400_0001, // svc #0
    0xb940_6e60, // ldr w0, [x19, #reader]
    0xd280_0728, // mov x8, #close
    0xd400_0001, // svc #0
    0xb940_7660, // ldr w0, [x19, #library_file]
    0xd280_0728, // mov x8, #close
    0xd400_0001, // svc #0
    0xb940_7a60, // ldr w0, [x19, #watcher_file]
    0xd280_0728, // mov x8, #close
    0xd400_0001, // svc #0
    0xf940_2e60, // ldr x0, [x19, #mapping]
    0xf940_3261, // ldr x1, [x19, #mapping_bytes]
    0xf940_4a70, // ldr x16, [x19, #call_and_return]
    0xb940_9a69, // ldr w9, [x19, #restored]
    0xd280_1ae8, // mov x8, #munmap
    0xa941_53f3, // ldp x19, x20, [sp, #16]
    0xa8c4_7bfd, // ldp x29, x30, [sp], #64
    0x3400_0049, // cbz w9, keep
    0xd65f_0200, // ret x16: unlike a branch it may lead anywhere
    // keep:
    0xd65f_03c0, // ret
]);

/// Instructions as bytes.
#[allow(clippy::indexing_slicing)] // evaluated by the compiler, which refuses an index beyond the end
const fn bytes<const WORDS: usize, const BYTES: usize>(words: [u32; WORDS]) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    let mut at = 0;
    while at < BYTES {
        bytes[at] = words[at / 4].to_le_bytes()[at % 4];
        at += 1;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use attach_inside::mailbox::Mailbox;

    use super::*;

    fn words(code: &[u8]) -> Vec<u32> {
        code.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
    }

    #[test]
    fn refusals_jump_to_the_call_of_dlerror() {
        let words = words(THREAD);
        let refused = words.iter().position(|word| *word == 0xf940_0e69).unwrap();
        let jumps: Vec<_> = words.iter().enumerate().filter(|(_, word)| *word & 0xff00_001f == 0xb400_0000).collect();
        assert_eq!(jumps.len(), 3);
        for (at, jump) in jumps {
            assert_eq!(at + (*jump >> 5 & 0x7_ffff) as usize, refused);
        }
    }

    #[test]
    fn fields_of_the_mailbox_are_where_the_code_expects_them() {
        // `str w0, [x19, #offset]`, in fours
        let created = words(CALLER)[3] >> 10 & 0xfff;
        assert_eq!(created as usize * 4, offset_of!(Mailbox, created));
        let stage = words(THREAD)[6] >> 10 & 0xfff;
        assert_eq!(stage as usize * 4, offset_of!(Mailbox, stage));
        // `ldr x, [x19, #offset]`, in eights
        let loads = words(THREAD).into_iter().filter(|word| word & 0xffc0_03e0 == 0xf940_0260);
        let loaded: Vec<usize> = loads.map(|word| (word >> 10 & 0xfff) as usize * 8).collect();
        let [detach, dlopen, dlsym, dlerror] = [
            offset_of!(Mailbox, detach),
            offset_of!(Mailbox, dlopen),
            offset_of!(Mailbox, dlsym),
            offset_of!(Mailbox, dlerror),
        ];
        let [thread, library, watcher, entry] = [
            offset_of!(Mailbox, thread),
            offset_of!(Mailbox, library),
            offset_of!(Mailbox, watcher),
            offset_of!(Mailbox, entry),
        ];
        let at_the_end =
            [offset_of!(Mailbox, mapping), offset_of!(Mailbox, mapping_bytes), offset_of!(Mailbox, call_and_return)];
        let calls = [thread, detach, library, dlopen, watcher, dlopen, entry, dlsym, dlerror];
        assert_eq!(loaded, [&calls[..], &at_the_end].concat());
        // `ldr w, [x19, #offset]`, in fours
        let loads = words(THREAD).into_iter().filter(|word| word & 0xffc0_03e0 == 0xb940_0260);
        let loaded: Vec<usize> = loads.map(|word| (word >> 10 & 0xfff) as usize * 4).collect();
        let [reader, files @ ..] =
            [offset_of!(Mailbox, reader), offset_of!(Mailbox, library_file), offset_of!(Mailbox, watcher_file)];
        assert_eq!(loaded, [&[reader, reader][..], &files, &[offset_of!(Mailbox, restored)]].concat());
    }
}

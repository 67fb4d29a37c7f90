//! A word of each thread's own that is read with two loads: `thread_local!` in a shared library makes a call. Unsafe: inline
//! assembly is the only way to such a word in stable Rust.
#![allow(unsafe_code)]

use std::arch::{asm, global_asm};

global_asm!(
    ".pushsection .tbss.ora_collectors_thread,\"awT\",@nobits",
    ".balign 8",
    ".globl ora_collectors_thread",
    ".hidden ora_collectors_thread",
    ".type ora_collectors_thread,@object",
    ".size ora_collectors_thread,8",
    "ora_collectors_thread:",
    ".zero 8",
    ".popsection",
);

/// The calling thread's word: 0 from its birth until it is set.
#[inline(always)]
pub(crate) fn get() -> usize {
    let word;
    // SAFETY: reads the thread's own word, which exists from the thread's birth: the library is loaded with the program, so the
    // word's offset is fixed (the initial-exec model).
    unsafe {
        asm!(
            "mov {w}, qword ptr [rip + ora_collectors_thread@GOTTPOFF]",
            "mov {w}, qword ptr fs:[{w}]",
            w = out(reg) word,
            options(nostack, preserves_flags, readonly),
        );
    }
    word
}

/// Sets it.
pub(crate) fn set(word: usize) {
    // SAFETY: writes the thread's own word.
    unsafe {
        asm!(
            "mov {t}, qword ptr [rip + ora_collectors_thread@GOTTPOFF]",
            "mov qword ptr fs:[{t}], {w}",
            t = out(reg) _,
            w = in(reg) word,
            options(nostack, preserves_flags),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_has_its_own() {
        set(7);
        std::thread::spawn(|| {
            assert_eq!(get(), 0);
            set(8);
        })
        .join()
        .unwrap();
        assert_eq!(get(), 7);
    }
}

//! Frames of functions that end right after a call, decoded from their machine code. CPython's trampolines, one for
//! each Python function, have no other description of their frame (`-X perf`; CPython, Python/asm_trampoline.S).

use crate::arch::Epilogue;

/// Decodes the code after the call, lowest byte first (Arm ARM: LDP, RET).
pub fn epilogue(code: u64) -> Option<Epilogue> {
    const RET: u64 = 0xd65f_03c0;
    // `ldp x29, x30, [sp], #room`: the immediate counts words.
    let (load, next) = (code & 0xffff_ffff, code >> 32);
    let room = (load >> 15 & 0x7f) * 8;
    (load & 0xffc0_7fff == 0xa8c0_7bfd && next == RET && room < 0x200).then_some(Epilogue { slot: 8, pops: true, room })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epilogues_are_known_by_their_instructions() {
        let of = |first: u64, second: u64| epilogue(first | second << 32);
        // ldp x29, x30, [sp], #16; ret
        assert_eq!(of(0xa8c1_7bfd, 0xd65f_03c0), Some(Epilogue { slot: 8, pops: true, room: 16 }));
        assert_eq!(of(0xa8c2_7bfd, 0xd65f_03c0), Some(Epilogue { slot: 8, pops: true, room: 32 }));
        // A different register pair, a different last instruction, a negative immediate.
        for (first, second) in [(0xa8c1_53f3, 0xd65f_03c0), (0xa8c1_7bfd, 0xd503_201f), (0xa8ff_7bfd, 0xd65f_03c0)] {
            assert_eq!(of(first, second), None);
        }
    }
}

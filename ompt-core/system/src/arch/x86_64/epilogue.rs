//! Frames of functions that end right after a call, decoded from their machine code. CPython's trampolines, one for
//! each Python function, have no other description of their frame (`-X perf`; CPython, Python/asm_trampoline.S).

use crate::arch::Epilogue;

/// Decodes the code after the call, lowest byte first (Intel SDM, volume 2: ADD, POP, RET).
pub fn epilogue(code: u64) -> Option<Epilogue> {
    match code.to_le_bytes() {
        // add $N, %rsp; ret
        [0x48, 0x83, 0xc4, room, 0xc3, ..] if room < 0x80 => {
            Some(Epilogue { slot: room.into(), pops: false, room: u64::from(room) + 8 })
        }
        // pop %rbp; ret
        [0x5d, 0xc3, ..] => Some(Epilogue { slot: 8, pops: true, room: 16 }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epilogues_are_known_by_their_instructions() {
        let of = |bytes: [u8; 8]| epilogue(u64::from_le_bytes(bytes));
        assert_eq!(of([0x48, 0x83, 0xc4, 8, 0xc3, 0, 0, 0]), Some(Epilogue { slot: 8, pops: false, room: 16 }));
        assert_eq!(of([0x5d, 0xc3, 1, 2, 3, 4, 5, 6]), Some(Epilogue { slot: 8, pops: true, room: 16 }));
        for other in [
            [0x48, 0x83, 0xc4, 0xf8, 0xc3, 0, 0, 0],
            [0x48, 0x83, 0xec, 8, 0xc3, 0, 0, 0],
            [0x5d, 0x5b, 0xc3, 0, 0, 0, 0, 0],
        ] {
            assert_eq!(of(other), None);
        }
    }
}

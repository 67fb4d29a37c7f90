//! The call site of an entry: where it returns to, its canonical frame address, and which function the instruction
//! calls.

use crate::arch::{Target, instructions};

/// Assembly text that stores the return address and the canonical frame address of the call that has just been made in
/// two of the [thread words](crate::thread_words), the first of which is at `$offset` bytes. For the start of a naked
/// function. Changes only r10 and r11, in which no call passes anything (psABI, "Register Usage").
#[macro_export]
macro_rules! store_call_site {
    ($symbol:literal, $offset:literal) => {
        concat!(
            "mov r11, qword ptr [rip + ",
            $symbol,
            "@GOTTPOFF]\n",
            "mov r10, qword ptr [rsp]\n",
            "mov qword ptr fs:[r11 + ",
            $offset,
            "], r10\n",
            "lea r10, [rsp + 8]\n",
            "mov qword ptr fs:[r11 + ",
            $offset,
            " + 8], r10\n",
        )
    };
}

/// Number of bytes that [`call_before`] needs.
pub const CALL_BYTES: usize = 6;

/// Upper bound for the bytes of a procedure linkage table entry up to and including its jump.
pub const STUB_BYTES: usize = 11;

/// Decodes the call instruction that ends at `end`; `code` holds its last bytes. `None` for other instructions and
/// other forms of calls. `Some` may be a false match, since instructions can't be decoded backwards.
pub fn call_before(code: [u8; CALL_BYTES], end: usize) -> Option<Target> {
    let operand = |[a, b, c, d]: [u8; 4]| end.wrapping_add_signed(i32::from_le_bytes([a, b, c, d]) as isize);
    match code {
        // `call [rip + rel32]` (-fno-plt)
        [0xff, 0x15, a, b, c, d] => Some(Target::Slot(operand([a, b, c, d]))),
        // `call rel32`
        [_, 0xe8, a, b, c, d] => Some(Target::Code(operand([a, b, c, d]))),
        _ => None,
    }
}

/// The word through which the procedure linkage table entry at `address` jumps; `code` holds the entry's first bytes.
/// `None` for other code.
pub fn linkage_slot(code: &[u8], address: usize) -> Option<usize> {
    instructions::x86_64::linkage_slot(code, address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_calls_are_distinguished() {
        assert_eq!(call_before([0x90, 0xe8, 0x10, 0, 0, 0], 0x1000), Some(Target::Code(0x1010)));
        assert_eq!(call_before([0x90, 0xe8, 0xf0, 0xff, 0xff, 0xff], 0x1000), Some(Target::Code(0xff0)));
        assert_eq!(call_before([0xff, 0x15, 0x08, 0, 0, 0], 0x1000), Some(Target::Slot(0x1008)));
        // `call rax`
        assert_eq!(call_before([0x90, 0x90, 0x90, 0x90, 0xff, 0xd0], 0x1000), None);
    }
}

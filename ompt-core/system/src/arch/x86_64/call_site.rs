//! The call site of an entry: where it returns to, its canonical frame address, and which function the instruction
//! calls.

use crate::arch::Target;

/// Assembly text that stores the return address and the canonical frame address of the call that has just been made, in
/// two of the [thread words](crate::thread_words): `$offset` is the first one's, in bytes. For the beginning of a naked
/// function. Changes r10 and r11 only, which no call passes anything in (psABI, "Register Usage").
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

/// The bytes that [`call_before`] needs.
pub const CALL_BYTES: usize = 6;

/// The largest number of bytes that an entry of the procedure linkage table has up to its jump's end.
pub const STUB_BYTES: usize = 11;

/// Decodes the call instruction that ends at `end`, of which `code` has the last bytes. `None` for other instructions
/// and other forms of calls; `Some` may be chance, since instructions can't be decoded backwards.
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

/// The word through which an entry of the procedure linkage table at `address`, which begins with `code`, jumps; `None`
/// for other code.
pub fn linkage_slot(code: &[u8], address: usize) -> Option<usize> {
    const ENDBR64: &[u8] = &[0xf3, 0x0f, 0x1e, 0xfa];
    const BND: &[u8] = &[0xf2];
    let rest = code.strip_prefix(ENDBR64).unwrap_or(code);
    let rest = rest.strip_prefix(BND).unwrap_or(rest);
    // `jmp [rip + rel32]`
    let [0xff, 0x25, a, b, c, d, after @ ..] = rest else { return None };
    let end = address + (code.len() - after.len());
    Some(end.wrapping_add_signed(i32::from_le_bytes([*a, *b, *c, *d]) as isize))
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

    #[test]
    fn entries_of_the_linkage_table_jump_through_a_word() {
        let plain = [0xff, 0x25, 0x0a, 0, 0, 0, 0x68];
        assert_eq!(linkage_slot(&plain, 0x2000), Some(0x2010));
        let marked = [0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0x0a, 0, 0, 0];
        assert_eq!(linkage_slot(&marked, 0x2000), Some(0x2015));
        for other in [&plain[..5], &[0xf3, 0x0f, 0x1e, 0xfa], &[], &[0x55, 0x48, 0x89, 0xe5, 0xff, 0x25]] {
            assert_eq!(linkage_slot(other, 0x2000), None);
        }
    }
}

//! The call site of an entry: where it returns to, its canonical frame address, and which function the instruction
//! calls.

use crate::arch::instructions::aarch64::{branch_target, slot};
use crate::arch::{Target, instructions};

/// Assembly text that stores the return address and the canonical frame address of the call that has just been made in
/// two of the [thread words](crate::thread_words), the first of which is at `$offset` bytes. For the start of a naked
/// function. Changes only x16 and x17, in which no call passes anything (AAPCS64, "General-purpose Registers").
#[macro_export]
macro_rules! store_call_site {
    ($symbol:literal, $offset:literal) => {
        concat!(
            $crate::thread_words_address!($symbol, "x16", "x17"),
            "mov x17, sp\n",
            "stp x30, x17, [x16, #",
            $offset,
            "]\n",
        )
    };
}

/// Number of bytes that [`call_before`] needs.
pub const CALL_BYTES: usize = 12;

/// Upper bound for the bytes of a procedure linkage table entry up to and including its jump.
pub const STUB_BYTES: usize = 20;

/// Decodes the call that ends at `end`; `code` holds the last three instructions. `None` for other instructions and
/// other forms of calls.
pub fn call_before(code: [u8; CALL_BYTES], end: usize) -> Option<Target> {
    let (words, _) = code.as_chunks();
    let [page, load, call] = *words else { return None };
    let [page, load, call] = [page, load, call].map(u32::from_le_bytes);
    // `bl`
    if call >> 26 == 0b10_0101 {
        return Some(Target::Code(branch_target(call, end - 4)));
    }
    // `adrp x0, page; ldr x0, [x0, #offset]; blr x0` (-fno-plt)
    let register = call >> 5 & 31;
    (call & 0xffff_fc1f == 0xd63f_0000 && load & 31 == register)
        .then(|| slot(page, load, end - 12))
        .flatten()
        .map(Target::Slot)
}

/// The word through which the procedure linkage table entry at `address` jumps; `code` holds the entry's first bytes.
/// `None` for other code.
pub fn linkage_slot(code: &[u8], address: usize) -> Option<usize> {
    instructions::aarch64::linkage_slot(code, address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code<const N: usize>(words: &[u32]) -> [u8; N] {
        let mut bytes = [0; N];
        let all = words.iter().flat_map(|word| word.to_le_bytes());
        bytes.iter_mut().zip(all).for_each(|(to, from)| *to = from);
        bytes
    }

    #[test]
    fn forms_of_calls_are_distinguished() {
        let nop = 0xd503_201f;
        // bl .+0x10; bl .-0x10
        assert_eq!(call_before(code(&[nop, nop, 0x9400_0004]), 0x1004), Some(Target::Code(0x1010)));
        assert_eq!(call_before(code(&[nop, nop, 0x97ff_fffc]), 0x1004), Some(Target::Code(0xff0)));
        // adrp x0, .+0x2000; ldr x0, [x0, #16]; blr x0
        assert_eq!(call_before(code(&[0xd000_0000, 0xf940_0800, 0xd63f_0000]), 0x100c), Some(Target::Slot(0x3010)));
        // The same page, but the call goes through another register.
        assert_eq!(call_before(code(&[0xd000_0000, 0xf940_0800, 0xd63f_0020]), 0x100c), None);
        assert_eq!(call_before(code(&[nop, nop, 0xd63f_0000]), 0x100c), None);
    }
}

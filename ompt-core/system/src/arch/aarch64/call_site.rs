//! The call site of an entry: where it returns to, its canonical frame address, and which function the instruction
//! calls.

use crate::arch::Target;

/// Assembly text that stores the return address and the canonical frame address of the call that has just been made, in
/// two of the [thread words](crate::thread_words): `$offset` is the first one's, in bytes. For the beginning of a naked
/// function. Changes x16 and x17 only, which no call passes anything in (AAPCS64, "General-purpose Registers").
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

/// The bytes that [`call_before`] needs.
pub const CALL_BYTES: usize = 12;

/// The largest number of bytes that an entry of the procedure linkage table has up to its jump's end.
pub const STUB_BYTES: usize = 20;

/// Decodes the call that ends at `end`, of which `code` has the last three instructions. `None` for other instructions
/// and other forms of calls.
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

/// The word through which an entry of the procedure linkage table at `address`, which begins with `code`, jumps; `None`
/// for other code.
pub fn linkage_slot(code: &[u8], address: usize) -> Option<usize> {
    const BTI_C: u32 = 0xd503_245f;
    const BR_X17: u32 = 0xd61f_0220;
    let (words, _) = code.as_chunks();
    let mut words = words.iter().copied().map(u32::from_le_bytes).zip((address..).step_by(4)).peekable();
    words.next_if(|(word, _)| *word == BTI_C);
    // `adrp x16, page; ldr x17, [x16, #offset]; add x16, x16, #offset` (or `nop`)`; br x17`
    let ((page, at), (load, _)) = words.next().zip(words.next())?;
    let jumps = load & 31 == 17 && words.take(2).any(|(word, _)| word == BR_X17);
    if jumps { slot(page, load, at) } else { None }
}

/// The target of `b` or `bl` at an address.
pub(super) fn branch_target(instruction: u32, at: usize) -> usize {
    let words = (instruction << 6).cast_signed() >> 6;
    at.wrapping_add_signed(words as isize * 4)
}

/// The page that `adrp` at an address loads, and its register.
pub(super) fn page(instruction: u32, at: usize) -> Option<(usize, u32)> {
    if instruction & 0x9f00_0000 != 0x9000_0000 {
        return None;
    }
    let (low, high) = (instruction >> 29 & 3, instruction << 8 & 0xffff_e000);
    // 21 bits, the highest of which is the sign.
    let pages = (high | low << 11).cast_signed() >> 11;
    Some(((at & !0xfff).wrapping_add_signed((pages as isize) << 12), instruction & 31))
}

/// The word that `ldr` loads from a page that `adrp` at `at` has loaded.
fn slot(adrp: u32, load: u32, at: usize) -> Option<usize> {
    let (page, base) = page(adrp, at)?;
    // `ldr x, [base, #8 * offset]`
    (load & 0xffc0_0000 == 0xf940_0000 && load >> 5 & 31 == base).then(|| page + (load >> 10 & 0xfff) as usize * 8)
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
        // The same page, but another register is called.
        assert_eq!(call_before(code(&[0xd000_0000, 0xf940_0800, 0xd63f_0020]), 0x100c), None);
        assert_eq!(call_before(code(&[nop, nop, 0xd63f_0000]), 0x100c), None);
    }

    #[test]
    fn entries_of_the_linkage_table_jump_through_a_word() {
        // libgomp of gcc 16: adrp x16, 70000; ldr x17, [x16, #8]; add x16, x16, #8; br x17
        let plain: [u8; 16] = code(&[0xd000_0330, 0xf940_0611, 0x9100_2210, 0xd61f_0220]);
        assert_eq!(linkage_slot(&plain, 0xaba0), Some(0x7_0008));
        let relaxed: [u8; 16] = code(&[0xd000_0330, 0xf940_0611, 0xd503_201f, 0xd61f_0220]);
        assert_eq!(linkage_slot(&relaxed, 0xaba0), Some(0x7_0008));
        let marked: [u8; 20] = code(&[0xd503_245f, 0xd000_0330, 0xf940_0611, 0x9100_2210, 0xd61f_0220]);
        assert_eq!(linkage_slot(&marked, 0xaba0), Some(0x7_0008));
        for other in [&plain[..8], &plain[4..], &[], &[0; 16]] {
            assert_eq!(linkage_slot(other, 0xaba0), None);
        }
    }

    #[test]
    fn pages_lie_before_and_behind() {
        assert_eq!(page(0xb000_0330, 0xab78), Some((0x6_f000, 16)));
        // adrp x3, .-0x1000
        assert_eq!(page(0xf0ff_ffe3, 0x5678), Some((0x4000, 3)));
        assert_eq!(page(0x1000_0003, 0x5678), None, "adr");
    }
}

//! Instructions of 64-bit ARM (Arm Architecture Reference Manual, "C6.2 Alphabetical list of A64 base instructions").

use super::{Call, Move, Taken};
use crate::arch::Target;

/// Number of instructions before one that uses a page, within which the instruction that loads the page is searched.
const REACH: usize = 64;

/// The address that the instruction at an index loads into a register: `adr`, or `add` to a page.
pub(super) fn taken(code: &[u8], index: usize, at: u64) -> Option<Taken> {
    let instruction = word(code, index)?;
    let taken = |address: usize| Taken {
        register: (instruction & 31) as u8,
        address: address as u64,
        next: at.wrapping_add(4),
    };
    let place = usize::try_from(at).ok()?;
    // `adr x, label`
    if instruction & 0x9f00_0000 == 0x1000_0000 {
        return Some(taken(place.wrapping_add_signed(distance(instruction))));
    }
    // `add x, page, #offset`
    let is_sum = instruction & 0xffc0_0000 == 0x9100_0000;
    let page = is_sum.then(|| page_in(code, index, place, instruction >> 5 & 31)).flatten()?;
    Some(taken(page + (instruction >> 10 & 0xfff) as usize))
}

/// The call or jump at an index: `bl`, `b`, and `blr` or `br` of a register that was loaded from a page.
pub(super) fn call(code: &[u8], index: usize, at: u64) -> Option<Call> {
    let (instruction, place) = (word(code, index)?, usize::try_from(at).ok()?);
    let returns = |calls: bool| calls.then_some(at.wrapping_add(4));
    match instruction {
        it if it >> 26 & 0b1_1111 == 0b0_0101 => {
            Some(Call { target: Target::Code(branch_target(it, place)), returns: returns(it >> 31 == 1) })
        }
        it if it & 0xffdf_fc1f == 0xd61f_0000 => {
            let slot = loaded(code, index, place, it >> 5 & 31)?;
            Some(Call { target: Target::Slot(slot), returns: returns(it & 0x20_0000 != 0) })
        }
        _ => None,
    }
}

/// The copy of a register: `mov x, x`.
pub(super) fn moved(code: &[u8]) -> Option<Move> {
    let it = word(code, 0)?;
    (it & 0xffe0_ffe0 == 0xaa00_03e0).then_some(Move { from: (it >> 16 & 31) as u8, to: (it & 31) as u8 })
}

/// The word through which the procedure linkage table entry at `address` jumps; `code` holds the entry's first bytes.
/// `None` for other code.
pub(in crate::arch) fn linkage_slot(code: &[u8], address: usize) -> Option<usize> {
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
pub(in crate::arch) fn branch_target(instruction: u32, at: usize) -> usize {
    let words = (instruction << 6).cast_signed() >> 6;
    at.wrapping_add_signed(words as isize * 4)
}

/// The page that `adrp` at an address loads, and its register.
pub(in crate::arch) fn page(instruction: u32, at: usize) -> Option<(usize, u32)> {
    let is_page = instruction & 0x9f00_0000 == 0x9000_0000;
    is_page.then(|| ((at & !0xfff).wrapping_add_signed(distance(instruction) << 12), instruction & 31))
}

/// The word that `ldr` loads from a page that `adrp` at `at` has loaded.
pub(in crate::arch) fn slot(adrp: u32, load: u32, at: usize) -> Option<usize> {
    let (page, base) = page(adrp, at)?;
    (base_of_load(load) == Some(base)).then(|| page + offset_of_load(load))
}

/// The register to which `ldr x, [base, #8 * offset]` adds its offset.
fn base_of_load(load: u32) -> Option<u32> {
    (load & 0xffc0_0000 == 0xf940_0000).then_some(load >> 5 & 31)
}

fn offset_of_load(load: u32) -> usize {
    (load >> 10 & 0xfff) as usize * 8
}

/// The operand of `adr` and `adrp`: 21 bits, the highest of which is the sign.
fn distance(instruction: u32) -> isize {
    let (low, high) = (instruction >> 29 & 3, instruction << 8 & 0xffff_e000);
    ((high | low << 11).cast_signed() >> 11) as isize
}

/// The page that a register holds at an index, by the nearest `adrp` before it.
fn page_in(code: &[u8], index: usize, at: usize, register: u32) -> Option<usize> {
    (1..=REACH).find_map(|back| {
        let (page, to) = page(word(code, index.checked_sub(4 * back)?)?, at.wrapping_sub(4 * back))?;
        (to == register).then_some(page)
    })
}

/// The word from which a register was loaded before an index, or from which the register that it is a copy of was
/// loaded.
fn loaded(code: &[u8], index: usize, at: usize, register: u32) -> Option<usize> {
    let mut register = register;
    for back in (4..=4 * REACH).step_by(4) {
        let (index, at) = (index.checked_sub(back)?, at.wrapping_sub(back));
        let load = word(code, index)?;
        if let Some(copy) = moved(code.get(index..)?).filter(|copy| u32::from(copy.to) == register) {
            register = copy.from.into();
        } else if let Some(base) = base_of_load(load).filter(|_| load & 31 == register) {
            return Some(page_in(code, index, at, base)? + offset_of_load(load));
        }
    }
    None
}

/// The instruction at an index.
fn word(code: &[u8], index: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*code.get(index..)?.first_chunk()?))
}

#[cfg(test)]
#[allow(clippy::disallowed_types)] // no program's thread runs this
mod tests {
    use super::*;

    fn code<const N: usize>(words: &[u32]) -> [u8; N] {
        let mut bytes = [0; N];
        let all = words.iter().flat_map(|word| word.to_le_bytes());
        bytes.iter_mut().zip(all).for_each(|(to, from)| *to = from);
        bytes
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

    /// `two` in a program built by gcc 16 -O2, at 0xed0: it calls `GOMP_parallel` through the linkage table entry at 0xa10, and jumps there
    /// instead of making a second call.
    const TWO: [u32; 16] = [
        0xa9be_7bfd,
        0x5280_0003,
        0x5280_0002,
        0x9100_03fd,
        0x9100_63e1,
        0xb900_1be0,
        0x9000_0000,
        0x9133_8000, // 0xed0
        0x97ff_fec8,
        0xa8c2_7bfd,
        0x5280_0003,
        0x5280_0002,
        0xd280_0001,
        0x9000_0000,
        0x9133_0000,
        0x17ff_fec1, // 0xef0
    ];

    /// `two` built by -O3 -fno-plt, from 0xef4 on: calls through the GOT entry at 0x1ffe0.
    const WITHOUT_TABLE: [u32; 17] = [
        0xf900_0bf3,
        0x5280_0002,
        0xf000_00f3,
        0xf947_f273,
        0x9000_0000,
        0x9131_8000,
        0xb900_2be4,
        0xd63f_0260, // 0xef4
        0xaa13_03f0,
        0x9000_0000,
        0xf940_0bf3,
        0x9131_0000,
        0xa8c3_7bfd,
        0x5280_0003,
        0x5280_0002,
        0xd280_0001, // 0xf14
        0xd61f_0200,
    ];

    #[test]
    fn addresses_are_taken_by_a_page_and_an_offset() {
        let code: [u8; 64] = code(&TWO);
        let all = (0..64).step_by(4).filter_map(|index| taken(&code, index, 0xed0 + index as u64));
        let found: Vec<_> = all.map(|taken| (taken.register, taken.address, taken.next)).collect();
        assert_eq!(found, [(0, 0xce0, 0xef0), (0, 0xcc0, 0xf0c)]);
        // adr x3, .-4
        let near = Taken { register: 3, address: 0xffc, next: 0x1004 };
        assert_eq!(taken(&0x10ff_ffe3_u32.to_le_bytes(), 0, 0x1000), Some(near));
        // add x0, x0, #0xce0 without a page
        assert_eq!(taken(&0x9133_8000_u32.to_le_bytes(), 0, 0x1000), None);
    }

    #[test]
    fn calls_and_jumps_in_place_of_calls_are_found() {
        let bytes: [u8; 64] = code(&TWO);
        let calls = |bytes: &[u8], begin: u64| {
            let all = (0..bytes.len()).step_by(4).filter_map(|index| call(bytes, index, begin + index as u64));
            all.map(|call| (call.target, call.returns)).collect::<Vec<_>>()
        };
        let table = Target::Code(0xa10);
        assert_eq!(calls(&bytes, 0xed0), [(table, Some(0xef4)), (table, None)]);
        let bytes: [u8; 68] = code(&WITHOUT_TABLE);
        let entry = Target::Slot(0x1_ffe0);
        assert_eq!(calls(&bytes, 0xef4), [(entry, Some(0xf14)), (entry, None)]);
        // A call of a function of any other kind: blr x19; ret
        let bytes: [u8; 8] = code(&[0xd63f_0260, 0xd65f_03c0]);
        assert_eq!(calls(&bytes, 0x1000), []);
    }

    #[test]
    fn copies_of_registers_are_found() {
        // mov x16, x19; mov w16, w19
        assert_eq!(moved(&0xaa13_03f0_u32.to_le_bytes()), Some(Move { from: 19, to: 16 }));
        assert_eq!(moved(&0x2a13_03f0_u32.to_le_bytes()), None);
    }

    #[test]
    fn pages_lie_before_and_behind() {
        assert_eq!(page(0xb000_0330, 0xab78), Some((0x6_f000, 16)));
        // adrp x3, .-0x1000
        assert_eq!(page(0xf0ff_ffe3, 0x5678), Some((0x4000, 3)));
        assert_eq!(page(0x1000_0003, 0x5678), None, "adr");
    }
}

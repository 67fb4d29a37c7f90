//! Instructions of x86-64 (Intel SDM, volume 2).

use super::{Call, Move, Taken};
use crate::arch::Target;

/// The address that an instruction loads into a register.
pub(super) fn taken(code: &[u8], at: u64, is_fixed: bool) -> Option<Taken> {
    let absolute = |register, address, length| {
        let address = u64::from(u32::from_le_bytes(address));
        is_fixed.then_some(Taken { register, address, next: at.wrapping_add(length) })
    };
    match code.first_chunk().copied().or_else(|| padded(code))? {
        // lea displacement(%rip), %register (REX.W 8D /r)
        [rex @ (0x48 | 0x4c), 0x8d, operands, a, b, c, d] if operands & 0xc7 == 5 => {
            let register = (rex & 4) << 1 | operands >> 3;
            Some(Taken { register, address: relative_to_end(at, 7, [a, b, c, d]), next: at.wrapping_add(7) })
        }
        // mov $address, %register, in programs at fixed addresses (B8+ rd)
        [code @ 0xb8..=0xbf, a, b, c, d, ..] => absolute(code & 7, [a, b, c, d], 5),
        [0x41, code @ 0xb8..=0xbf, a, b, c, d, _] => absolute(8 | code & 7, [a, b, c, d], 6),
        _ => None,
    }
}

/// The call or jump at an address.
pub(super) fn call(code: &[u8], at: u64) -> Option<Call> {
    let call = |target: u64, to: fn(usize) -> Target, returns: Option<u64>| {
        Some(Call { target: to(usize::try_from(target).ok()?), returns })
    };
    match *code {
        // call displacement, jmp displacement (E8 cd, E9 cd)
        [code @ (0xe8 | 0xe9), a, b, c, d, ..] => {
            call(relative_to_end(at, 5, [a, b, c, d]), Target::Code, (code == 0xe8).then_some(at.wrapping_add(5)))
        }
        // call *displacement(%rip), jmp *displacement(%rip) (FF /2, FF /4)
        [0xff, code @ (0x15 | 0x25), a, b, c, d, ..] => {
            call(relative_to_end(at, 6, [a, b, c, d]), Target::Slot, (code == 0x15).then_some(at.wrapping_add(6)))
        }
        _ => None,
    }
}

/// The copy of a register: mov %register, %register (REX.W 89 /r), in programs at fixed addresses also with 32 bits.
pub(super) fn moved(code: &[u8], is_fixed: bool) -> Option<Move> {
    let (rex, operands) = match *code {
        [rex @ 0x48..=0x4f, 0x89, operands, ..] => (rex, operands),
        [0x89, operands, ..] if is_fixed => (0, operands),
        _ => return None,
    };
    let (from, to) = ((rex & 4) << 1 | operands >> 3 & 7, (rex & 1) << 3 | operands & 7);
    (operands >= 0xc0).then_some(Move { from, to })
}

/// The word through which the procedure linkage table entry at `address` jumps; `code` holds the entry's first bytes.
/// `None` for other code.
pub(in crate::arch) fn linkage_slot(code: &[u8], address: usize) -> Option<usize> {
    const ENDBR64: &[u8] = &[0xf3, 0x0f, 0x1e, 0xfa];
    const BND: &[u8] = &[0xf2];
    let rest = code.strip_prefix(ENDBR64).unwrap_or(code);
    let rest = rest.strip_prefix(BND).unwrap_or(rest);
    // `jmp [rip + rel32]`
    let [0xff, 0x25, a, b, c, d, after @ ..] = rest else { return None };
    let end = address + (code.len() - after.len());
    Some(end.wrapping_add_signed(i32::from_le_bytes([*a, *b, *c, *d]) as isize))
}

/// The last bytes of a section, padded with zeros.
fn padded(code: &[u8]) -> Option<[u8; 7]> {
    let mut bytes = [0; 7];
    bytes.iter_mut().zip(code).for_each(|(to, from)| *to = *from);
    (code.len() >= 5).then_some(bytes)
}

/// The address that an instruction with this displacement at its end refers to.
fn relative_to_end(at: u64, length: u64, displacement: [u8; 4]) -> u64 {
    at.wrapping_add(length).wrapping_add_signed(i64::from(i32::from_le_bytes(displacement)))
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn addresses_are_taken_by_a_displacement_or_as_numbers() {
        let of = |code: &[u8], is_fixed| taken(code, 0x1000, is_fixed).map(|it| (it.register, it.address, it.next));
        // lea 0x10(%rip), %rdi; lea 0x10(%rip), %r14
        assert_eq!(of(&[0x48, 0x8d, 0x3d, 0x10, 0, 0, 0], false), Some((7, 0x1017, 0x1007)));
        assert_eq!(of(&[0x4c, 0x8d, 0x35, 0x10, 0, 0, 0], false), Some((14, 0x1017, 0x1007)));
        // mov $0x401100, %edi, as the last bytes of a section; mov $0x401100, %r12d
        assert_eq!(of(&[0xbf, 0, 0x11, 0x40, 0], true), Some((7, 0x40_1100, 0x1005)));
        assert_eq!(of(&[0x41, 0xbc, 0, 0x11, 0x40, 0], true), Some((12, 0x40_1100, 0x1006)));
        assert_eq!(of(&[0xbf, 0, 0x11, 0x40, 0], false), None);
        // lea 0x10(%rdi), %rdi
        assert_eq!(of(&[0x48, 0x8d, 0x7f, 0x10, 0, 0, 0], true), None);
        assert_eq!(of(&[0x48, 0x8d, 0x3d], true), None);
    }

    #[test]
    fn copies_of_registers_are_found() {
        // mov %r14, %rdx; mov %ebx, %edi
        assert_eq!(moved(&[0x4c, 0x89, 0xf2], false), Some(Move { from: 14, to: 2 }));
        assert_eq!(moved(&[0x89, 0xdf], true), Some(Move { from: 3, to: 7 }));
        assert_eq!(moved(&[0x89, 0xdf], false), None);
        // mov %rdi, (%rbx)
        assert_eq!(moved(&[0x48, 0x89, 0x3b], true), None);
    }
}

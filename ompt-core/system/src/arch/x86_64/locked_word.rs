//! The word that a function takes or frees with one atomic instruction, recognised in its machine code.
//!
//! Taking changes the word from 0 to 1; freeing exchanges it for 0. The instruction's operand is the word's address. A function is
//! recognised only if all its code up to the operation is understood, so a function that another library has put in its place is not
//! mistaken for it.

use crate::arch::Word;

/// The word that the function at `address` compares with 0 and sets to 1; `code` holds the function's first bytes.
pub fn taken(code: &[u8], address: usize) -> Option<Word> {
    const LOCK_CMPXCHG: [u8; 3] = [0xf0, 0x0f, 0xb1];
    changed(code, address, &LOCK_CMPXCHG, 1)
}

/// The word that the function at `address` exchanges for 0; `code` holds the function's first bytes.
pub fn freed(code: &[u8], address: usize) -> Option<Word> {
    const XCHG: [u8; 1] = [0x87];
    changed(code, address, &XCHG, 0)
}

const RAX: usize = 0;
const RDI: usize = 7;

/// Instructions that may precede the atomic one: their first bytes, their length, and the register that they write.
const SKIPPED: [(&[u8], usize, Option<usize>); 5] = [
    // endbr64
    (&[0xf3, 0x0f, 0x1e, 0xfa], 4, None),
    // sub $imm8, %rsp
    (&[0x48, 0x83, 0xec], 4, None),
    // The stack protector: mov %fs:0x28, %rax; mov %rax, disp8(%rsp).
    (&[0x64, 0x48, 0x8b, 0x04, 0x25, 0x28], 9, Some(RAX)),
    (&[0x48, 0x89, 0x44, 0x24], 5, None),
    // movl $imm32, disp8(%rsp)
    (&[0xc7, 0x44, 0x24], 8, None),
];

/// Value of a register, as far as it can be derived.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    Unknown,
    Number(u32),
    Address(usize),
}

/// The operand of the first instruction with this opcode, if it stores the number `stored`, and `rax` is 0. Instructions before it may load
/// constants and addresses and save registers.
fn changed(code: &[u8], address: usize, opcode: &[u8], stored: u32) -> Option<Word> {
    let mut registers = [Value::Unknown; 8];
    let mut rest = code;
    loop {
        if let Some(operand) = rest.strip_prefix(opcode) {
            let (reg, rm) = fields(*operand.first()?, 0b00)?;
            let is_right = registers[RAX] == Value::Number(0) && registers.get(reg) == Some(&Value::Number(stored));
            return if is_right { word(&registers, rm, operand.get(1..)?, code, address) } else { None };
        }
        if let Some((_, length, written)) = SKIPPED.iter().find(|(bytes, ..)| rest.starts_with(bytes)) {
            rest = rest.get(*length..)?;
            written.and_then(|register| registers.get_mut(register)).into_iter().for_each(|it| *it = Value::Unknown);
            continue;
        }
        rest = match *rest {
            // push
            [0x50..=0x57, ..] => rest.get(1..)?,
            // xor %reg, %reg
            [0x31 | 0x33, operands, ..] => {
                let (reg, _) = fields(operands, 0b11).filter(|(reg, rm)| reg == rm)?;
                *registers.get_mut(reg)? = Value::Number(0);
                rest.get(2..)?
            }
            // mov $imm32, %reg
            [opcode @ 0xb8..=0xbf, a, b, c, d, ..] => {
                *registers.get_mut(usize::from(opcode & 7))? = Value::Number(u32::from_le_bytes([a, b, c, d]));
                rest.get(5..)?
            }
            // lea disp32(%rip), %reg
            [0x48, 0x8d, operands, a, b, c, d, ..] => {
                let (reg, _) = fields(operands, 0b00).filter(|(_, rm)| *rm == IP)?;
                let rest = rest.get(7..)?;
                *registers.get_mut(reg)? = Value::Address(from_here(code, rest, address, [a, b, c, d]));
                rest
            }
            _ => return None,
        };
    }
}

/// The second operand's value for `disp32(%rip)`.
const IP: usize = 5;

/// The operands of an instruction, if they have that mode: the register, and the other one.
fn fields(operands: u8, mode: u8) -> Option<(usize, usize)> {
    (operands >> 6 == mode).then_some((usize::from(operands >> 3 & 7), usize::from(operands & 7)))
}

/// The operand's address. `rest` is what follows the byte of operands.
fn word(registers: &[Value; 8], rm: usize, rest: &[u8], code: &[u8], address: usize) -> Option<Word> {
    if rm == IP {
        let displacement = *rest.first_chunk()?;
        return Some(Word::At(from_here(code, rest.get(4..)?, address, displacement)));
    }
    match registers.get(rm)? {
        Value::Address(address) => Some(Word::At(*address)),
        Value::Unknown if rm == RDI => Some(Word::Argument),
        _ => None,
    }
}

/// An address relative to the next instruction, with which `rest` begins.
fn from_here(code: &[u8], rest: &[u8], address: usize, displacement: [u8; 4]) -> usize {
    let next = address + (code.len() - rest.len());
    next.wrapping_add_signed(i32::from_le_bytes(displacement) as isize)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: usize = 0x1000;
    /// gcc 12: `endbr64; xor %eax,%eax; mov $1,%edx; lock cmpxchg %edx,0x100(%rip)`.
    const HIDDEN: &[u8] = b"\xf3\x0f\x1e\xfa\x31\xc0\xba\x01\0\0\0\xf0\x0f\xb1\x15\0\x01\0\0\x75\x01\xc3";
    const NAMED: &[u8] = b"\x31\xc0\xba\x01\0\0\0\xf0\x0f\xb1\x17\x75\x03\xf3\xc3";
    /// With a stack protector, as in wheels that were built on RHEL 7.
    const PROTECTED: &[u8] = b"\x48\x83\xec\x18\xba\x01\0\0\0\x64\x48\x8b\x04\x25\x28\0\0\0\x48\x89\x44\x24\x08\
          \x31\xc0\xc7\x44\x24\x04\0\0\0\0\xf0\x0f\xb1\x17\x74\x0b";
    const HIDDEN_END: &[u8] = b"\xf3\x0f\x1e\xfa\x31\xc0\x87\x05\0\x01\0\0\x85\xc0";
    const NAMED_END: &[u8] = b"\x31\xc0\x87\x07\x85\xc0\x78\x02";

    #[test]
    fn the_word_of_a_mutex_is_found_in_the_code_of_every_known_build() {
        assert_eq!(taken(HIDDEN, AT), Some(Word::At(AT + 19 + 0x100)));
        assert_eq!(taken(NAMED, AT), Some(Word::Argument));
        assert_eq!(taken(PROTECTED, AT), Some(Word::Argument));
        assert_eq!(freed(HIDDEN_END, AT), Some(Word::At(AT + 12 + 0x100)));
        assert_eq!(freed(NAMED_END, AT), Some(Word::Argument));
        // lea 0x100(%rip),%rdi; xor %eax,%eax; mov $1,%edx; lock cmpxchg %edx,(%rdi)
        let loaded = b"\x48\x8d\x3d\0\x01\0\0\x31\xc0\xba\x01\0\0\0\xf0\x0f\xb1\x17\xc3";
        assert_eq!(taken(loaded, AT), Some(Word::At(AT + 7 + 0x100)));
    }

    #[test]
    fn code_that_does_anything_else_is_not_understood() {
        for code in [HIDDEN, NAMED, PROTECTED, HIDDEN_END, NAMED_END] {
            for length in 0..=code.len() {
                let code = &code[..length];
                assert!(taken(code, AT).is_none() || freed(code, AT).is_none());
                // A byte that does not belong to any of these instructions, anywhere.
                let mut wrapped = code.to_vec();
                wrapped.insert(0, 0xe8);
                assert_eq!((taken(&wrapped, AT), freed(&wrapped, AT)), (None, None));
            }
        }
        assert_eq!((freed(HIDDEN, AT), taken(HIDDEN_END, AT)), (None, None));
        // Another value is stored, or another one expected.
        assert_eq!(taken(&NAMED[2..], AT), None);
        assert_eq!(taken(b"\x31\xc0\xba\x02\0\0\0\xf0\x0f\xb1\x17\xc3", AT), None);
        assert_eq!(taken(b"\xb8\x01\0\0\0\xba\x01\0\0\0\xf0\x0f\xb1\x17\xc3", AT), None);
    }
}

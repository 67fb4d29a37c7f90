//! The word that a function takes or frees with one atomic operation, recognised in its machine code.
//!
//! Taking changes the word from 0 to 1; freeing exchanges it for 0. A function is recognised only if all its code up to
//! the operation is understood. gcc calls helpers for both (`-moutline-atomics`), unless it compiles for processors
//! that are certain to have the instructions.

use crate::arch::Word;
use crate::arch::instructions::aarch64::{branch_target, page};

/// The word that the function at `address` compares with 0 and sets to 1; `code` holds the function's first bytes.
pub fn taken(code: &[u8], address: usize) -> Option<Word> {
    // `casa w0, w1, [x2]`
    const HELPER: u32 = 0x88e0_7c41;
    let known = run(
        code,
        address,
        |instruction| {
            // `cas`, `casa`, `casl`, `casal` of 32 bits.
            (instruction & 0xffa0_7c00 == 0x88a0_7c00).then(|| {
                let [compared, stored, at] = [instruction >> 16, instruction, instruction >> 5].map(|it| it & 31);
                [compared, stored, at]
            })
        },
        HELPER,
    )?;
    let (registers, [compared, stored, at]) = known.operands([0, 1, 2]);
    let is = |register, number| registers.get(register as usize) == Some(&Value::Number(number));
    if is(compared, 0) && is(stored, 1) { word(&registers, at) } else { None }
}

/// The word that the function at `address` exchanges for 0; `code` holds the function's first bytes.
pub fn freed(code: &[u8], address: usize) -> Option<Word> {
    // `swpl w0, w0, [x1]`
    const HELPER: u32 = 0xb860_8020;
    let known = run(
        code,
        address,
        |instruction| {
            // `swp`, `swpa`, `swpl`, `swpal` of 32 bits.
            (instruction & 0xff20_fc00 == 0xb820_8000).then(|| {
                let [stored, at] = [instruction >> 16, instruction >> 5].map(|it| it & 31);
                [stored, stored, at]
            })
        },
        HELPER,
    )?;
    let (registers, [stored, _, at]) = known.operands([0, 0, 1]);
    let is_zero = stored == 31 || registers.get(stored as usize) == Some(&Value::Number(0));
    if is_zero { word(&registers, at) } else { None }
}

/// Value of a register, as far as it can be derived.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    Unknown,
    Number(u32),
    Address(usize),
    /// The function's first argument.
    Argument,
}

type Registers = [Value; 32];

/// The atomic operation: an instruction, with its registers, or a call of a helper.
struct Operation {
    registers: Registers,
    own: Option<[u32; 3]>,
}

impl Operation {
    /// The registers, and the numbers of the operands among them: `of_helper` for a helper.
    fn operands(self, of_helper: [u32; 3]) -> (Registers, [u32; 3]) {
        (self.registers, self.own.unwrap_or(of_helper))
    }
}

/// Follows the code up to the operation. What precedes it may load constants and addresses and save registers.
fn run(code: &[u8], address: usize, operands: impl Fn(u32) -> Option<[u32; 3]>, helper: u32) -> Option<Operation> {
    let mut registers = [Value::Unknown; 32];
    *registers.first_mut()? = Value::Argument;
    let (words, _) = code.as_chunks();
    for (index, word) in words.iter().enumerate() {
        let (instruction, at) = (u32::from_le_bytes(*word), address + 4 * index);
        if let Some(own) = operands(instruction) {
            return Some(Operation { registers, own: Some(own) });
        }
        // `bl helper`
        if instruction >> 26 == 0b10_0101 {
            let offset = branch_target(instruction, at).checked_sub(address)?;
            return is_helper(code.get(offset..)?, helper).then_some(Operation { registers, own: None });
        }
        follow(instruction, at, &mut registers)?;
    }
    None
}

/// True for one of gcc's helpers (`__aarch64_cas4_acq` and so on): the instruction is near its start, after the test
/// for processors that have it.
fn is_helper(code: &[u8], instruction: u32) -> bool {
    let (words, _) = code.as_chunks();
    words.iter().take(6).any(|word| u32::from_le_bytes(*word) == instruction)
}

/// Applies an instruction to the registers; `None` for one that is not understood.
fn follow(instruction: u32, at: usize, registers: &mut Registers) -> Option<()> {
    let (to, from) = ((instruction & 31) as usize, (instruction >> 5 & 31) as usize);
    let value = match instruction {
        // Hints (`paciasp`, `bti`, `nop`) and barriers (`dmb`).
        it if it & 0xffff_f01f == 0xd503_201f || it & 0xffff_f0ff == 0xd503_30bf => return Some(()),
        // `stp` of 64 bits to the stack, with or without writeback of the stack pointer; `str` of 64 bits to the stack.
        it if it & 0xfe40_03e0 == 0xa800_03e0 || it & 0xffc0_03e0 == 0xf900_03e0 => return Some(()),
        // `mov x29, sp`; `sub sp, sp, #n`
        it if it == 0x9100_03fd || it & 0xff80_03ff == 0xd100_03ff => return Some(()),
        // `mov w, #number`
        it if it & 0xffe0_0000 == 0x5280_0000 => Value::Number(it >> 5 & 0xffff),
        // `mov x, x`; `mov w, wzr`
        it if it & 0xffe0_ffe0 == 0xaa00_03e0 => *registers.get((it >> 16 & 31) as usize)?,
        it if it & 0xffff_ffe0 == 0x2a1f_03e0 => Value::Number(0),
        // `add x, x, #number` to a page
        it if it & 0xffc0_0000 == 0x9100_0000 => match registers.get(from)? {
            Value::Address(page) => Value::Address(page + (it >> 10 & 0xfff) as usize),
            _ => return None,
        },
        it => Value::Address(page(it, at)?.0),
    };
    *registers.get_mut(to)? = value;
    Some(())
}

fn word(registers: &Registers, register: u32) -> Option<Word> {
    match registers.get(register as usize)? {
        Value::Address(address) => Some(Word::At(*address)),
        Value::Argument => Some(Word::Argument),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: usize = 0xd520;
    const RET: u32 = 0xd65f_03c0;
    const CASA: u32 = 0x88e0_7c41;
    const SWPL: u32 = 0xb860_8020;
    /// gcc 16's `GOMP_critical_start` up to its call of a helper, which follows here.
    const HIDDEN: [u32; 11] = [
        0xd503_233f,
        0xa9be_7bfd,
        0x9100_03fd,
        0xd503_39bf,
        0xd503_3abf,
        0xf000_0302,
        0x5280_0021,
        0x911c_a042,
        0x5280_0000,
        0xf900_0fe2,
        0x9400_0002,
    ];
    /// gcc 16's `omp_set_lock`.
    const NAMED: [u32; 9] = [
        0xd503_233f,
        0xa9be_7bfd,
        0xaa00_03e2,
        0x5280_0021,
        0x9100_03fd,
        0xf900_0bf3,
        0xaa00_03f3,
        0x5280_0000,
        0x9400_0002,
    ];
    /// gcc 16's `GOMP_critical_end`.
    const HIDDEN_END: [u32; 8] =
        [0xd503_233f, 0xa9be_7bfd, 0xf000_0301, 0x5280_0000, 0x9100_03fd, 0x911c_a021, 0xf900_0fe1, 0x9400_0002];

    fn with(code: &[u32], helper: u32) -> Vec<u8> {
        let rest = [RET, 0xd503_245f, 0x9000_0310, 0x3960_0210, 0x3400_0070, helper, RET];
        code.iter().chain(&rest).flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn the_word_is_found_behind_a_helper() {
        assert_eq!(taken(&with(&HIDDEN, CASA), AT), Some(Word::At(0x7_0728)));
        assert_eq!(taken(&with(&NAMED, CASA), AT), Some(Word::Argument));
        assert_eq!(freed(&with(&HIDDEN_END, SWPL), AT), Some(Word::At(0x7_0728)));
    }

    #[test]
    fn the_word_is_found_in_an_instruction() {
        // mov w1, #0; mov w2, #1; casa w1, w2, [x0]
        let taking = [0x5280_0001, 0x5280_0022, 0x88e1_7c02];
        assert_eq!(taken(&with(&taking, 0), AT), Some(Word::Argument));
        // swpl wzr, w1, [x0]
        assert_eq!(freed(&with(&[0xb87f_8001], 0), AT), Some(Word::Argument));
        // swpl w1, w1, [x0], where the value of w1 is unknown.
        assert_eq!(freed(&with(&[0xb861_8001], 0), AT), None);
    }

    #[test]
    fn code_that_does_anything_else_is_not_understood() {
        for (code, helper) in [(&HIDDEN[..], CASA), (&NAMED, CASA), (&HIDDEN_END, SWPL)] {
            let code = with(code, helper);
            for length in 0..code.len() {
                assert!(taken(&code[..length], AT).is_none() || freed(&code[..length], AT).is_none());
            }
            // An instruction that is not one of these: `ret`.
            let other = [&RET.to_le_bytes()[..], &code].concat();
            assert_eq!((taken(&other, AT), freed(&other, AT)), (None, None));
        }
        assert_eq!((freed(&with(&HIDDEN, CASA), AT), taken(&with(&HIDDEN_END, SWPL), AT)), (None, None));
        assert_eq!(taken(&with(&HIDDEN, SWPL), AT), None, "another helper");
        // Another value is stored, or another one expected.
        let mut other = HIDDEN;
        other[6] = 0x5280_0041;
        assert_eq!(taken(&with(&other, CASA), AT), None);
        other = HIDDEN;
        other[8] = 0x5280_0020;
        assert_eq!(taken(&with(&other, CASA), AT), None);
    }
}

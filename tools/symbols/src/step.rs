//! Effect of an instruction on the flow of control.

use iced_x86::{Decoder, DecoderOptions, FlowControl, Mnemonic, OpKind};
use system::arch::instructions::Processor;

/// Effect of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Divides,
    Multiplies,
    /// May continue elsewhere.
    Branches(u64),
    /// Continues elsewhere.
    Jumps(u64),
    Calls,
    /// Continues at a place that a register or memory contains.
    Escapes,
    /// Returns, or stops the program.
    Leaves,
    Other,
}

/// The instruction at an address, and the address after it. `code`: the code from there on.
pub(super) fn step(processor: Processor, code: &[u8], at: u64) -> Option<(Step, u64)> {
    match processor {
        Processor::X86_64 => x86_64(code, at),
        Processor::Aarch64 => aarch64(code, at),
    }
}

/// Maximum length of an instruction of x86-64 (Intel SDM, volume 2, 2.3.11).
const LONGEST: usize = 15;

fn x86_64(code: &[u8], at: u64) -> Option<(Step, u64)> {
    let code = code.get(..LONGEST.min(code.len()))?;
    let instruction = Decoder::with_ip(64, code, at, DecoderOptions::NONE).decode();
    if instruction.is_invalid() {
        return None;
    }
    let is_scaled = || {
        instruction.mnemonic() == Mnemonic::Lea
            && instruction.op1_kind() == OpKind::Memory
            && instruction.memory_index_scale() > 1
    };
    let step = match (instruction.flow_control(), instruction.mnemonic()) {
        (FlowControl::Next, Mnemonic::Idiv | Mnemonic::Div) => Step::Divides,
        (FlowControl::Next, Mnemonic::Imul | Mnemonic::Mul | Mnemonic::Shl | Mnemonic::Sal) => Step::Multiplies,
        (FlowControl::Next, _) if is_scaled() => Step::Multiplies,
        (FlowControl::Next, _) => Step::Other,
        (FlowControl::ConditionalBranch, _) => Step::Branches(instruction.near_branch_target()),
        (FlowControl::UnconditionalBranch, _) => Step::Jumps(instruction.near_branch_target()),
        (FlowControl::Call | FlowControl::IndirectCall, _) => Step::Calls,
        (FlowControl::IndirectBranch, _) => Step::Escapes,
        _ => Step::Leaves,
    };
    Some((step, instruction.next_ip()))
}

fn aarch64(code: &[u8], at: u64) -> Option<(Step, u64)> {
    let word = u32::from_le_bytes(*code.first_chunk()?);
    let is = |mask: u32, bits: u32| word & mask == bits;
    // Encodings of the Arm ARM, C4.1: the data-processing instructions and the branches. A distance is given in
    // instructions, by `bits` bits above the `low` lowest ones.
    let target = |low: u32, bits: u32| {
        let distance = (word >> low << (32 - bits)).cast_signed() >> (32 - bits);
        at.wrapping_add_signed(i64::from(distance) * 4)
    };
    let step = if is(0x7fe0_f800, 0x1ac0_0800) {
        Step::Divides
    } else if is(0x7f00_0000, 0x1b00_0000) || is(0x7f80_0000, 0x5300_0000) {
        Step::Multiplies
    } else if is(0xfc00_0000, 0x1400_0000) {
        Step::Jumps(target(0, 26))
    } else if is(0xfc00_0000, 0x9400_0000) || is(0xffff_fc1f, 0xd63f_0000) {
        Step::Calls
    } else if is(0xffff_f000, 0xd65f_0000) {
        Step::Leaves
    } else if is(0xfe00_0000, 0xd600_0000) {
        Step::Escapes
    } else if is(0xff00_0010, 0x5400_0000) || is(0x7e00_0000, 0x3400_0000) {
        Step::Branches(target(5, 19))
    } else if is(0x7e00_0000, 0x3600_0000) {
        Step::Branches(target(5, 14))
    } else {
        Step::Other
    };
    Some((step, at + 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_out_of_code_of_x86_64_are_told_from_each_other() {
        let of = |code: &[u8]| step(Processor::X86_64, code, 0x1000);
        // jmp 0x1050; jmp 0x1012; jne 0x1012
        assert_eq!(of(&[0xe9, 0x4b, 0, 0, 0]), Some((Step::Jumps(0x1050), 0x1005)));
        assert_eq!(of(&[0xeb, 0x10]), Some((Step::Jumps(0x1012), 0x1002)));
        assert_eq!(of(&[0x75, 0x10]), Some((Step::Branches(0x1012), 0x1002)));
        // jmp *%rax; jmp *0(%rip); ret; ud2
        assert_eq!(of(&[0xff, 0xe0]), Some((Step::Escapes, 0x1002)));
        assert_eq!(of(&[0xff, 0x25, 0, 0, 0, 0]), Some((Step::Escapes, 0x1006)));
        assert_eq!([of(&[0xc3]), of(&[0x0f, 0x0b])].map(|it| it.map(|(step, _)| step)), [Some(Step::Leaves); 2]);
        assert_eq!([of(&[0x06]), of(&[])], [None; 2]);
    }

    #[test]
    fn ways_out_of_code_of_aarch64_are_told_from_each_other() {
        let of = |word: u32| step(Processor::Aarch64, &word.to_le_bytes(), 0x1000).map(|(step, _)| step);
        // b .-8; br x16; blr x16; ret; retaa; nop
        assert_eq!(of(0x17ff_fffe), Some(Step::Jumps(0xff8)));
        assert_eq!([of(0xd61f_0200), of(0xd63f_0200)], [Some(Step::Escapes), Some(Step::Calls)]);
        assert_eq!([of(0xd65f_03c0), of(0xd65f_0bff)], [Some(Step::Leaves); 2]);
        assert_eq!(of(0xd503_201f), Some(Step::Other));
    }
}

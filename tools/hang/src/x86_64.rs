//! Instructions of x86-64.

use attach_outside::memory::Memory;
use iced_x86::{ConditionCode, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register};

use crate::flow::{Destination, Flow};
use crate::registers::{Compared, Registers, lower, sign_extended};

/// Maximum length of an instruction (Intel SDM, volume 2, 2.3.11).
pub(crate) const LONGEST: usize = 15;

/// Lengths of calls. Longer forms come first: without its first byte, a call through r12 is one through rsp.
pub(crate) const CALLS: [u64; 7] = [5, 8, 7, 6, 4, 3, 2];

pub(crate) fn decode(bytes: &[u8], address: u64) -> Option<Instruction> {
    let instruction = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE).decode();
    (!instruction.is_invalid()).then_some(instruction)
}

pub(crate) fn flow(instruction: &Instruction) -> Flow {
    let is_near = instruction.op_count() > 0 && instruction.op0_kind() == OpKind::NearBranch64;
    let destination = if instruction.is_ip_rel_memory_operand() {
        Destination::Word(instruction.ip_rel_memory_address())
    } else if is_near {
        Destination::Code(instruction.near_branch_target())
    } else {
        Destination::Register
    };
    match instruction.flow_control() {
        FlowControl::Call | FlowControl::IndirectCall => Flow::Call(destination),
        FlowControl::UnconditionalBranch if is_near => Flow::Jump(destination),
        FlowControl::IndirectBranch => Flow::Jump(destination),
        FlowControl::ConditionalBranch => Flow::Branch(instruction.near_branch_target()),
        FlowControl::Return => Flow::Return,
        FlowControl::Next if instruction.mnemonic() != Mnemonic::Hlt => Flow::Next,
        FlowControl::XbeginXabortXend => Flow::Next,
        _ => Flow::Stop,
    }
}

/// Destination of a call or jump by registers.
pub(crate) fn destination(instruction: &Instruction, registers: &Registers, memory: Memory) -> Option<u64> {
    match instruction.op0_kind() {
        OpKind::Register => get(registers, instruction.op0_register()),
        OpKind::Memory => memory.word(address(registers, instruction)?),
        _ => None,
    }
}

/// An access to a thread-local variable, and the preceding instructions: `mov reg, [rip + word]`, then `fs:[reg + place]`; in a program
/// that contains the variable, `mov reg, distance` first. Returns the distance and the offset.
pub(crate) fn thread_local(
    access: &Instruction,
    before: impl DoubleEndedIterator<Item = Instruction>,
    memory: Memory,
) -> Option<(u64, u64)> {
    if access.segment_prefix() != Register::FS || access.memory_base() == Register::None {
        return None;
    }
    let sets = |it: &Instruction| it.mnemonic() == Mnemonic::Mov && it.op0_register() == access.memory_base();
    let is_known = |it: &Instruction| it.is_ip_rel_memory_operand() || it.try_immediate(1).is_ok();
    let load = before.rev().find(|it| sets(it) && is_known(it))?;
    let word = load.is_ip_rel_memory_operand().then(|| load.ip_rel_memory_address());
    let distance = word.map_or_else(|| load.try_immediate(1).ok(), |word| memory.word(word))?;
    Some((distance, access.memory_displacement64()))
}

/// A constant that is added to the first argument's register.
pub(crate) fn added(it: &Instruction) -> Option<u64> {
    if it.op_count() < 2 || it.op0_kind() != OpKind::Register || it.op0_register() != Register::RDI {
        return None;
    }
    match it.mnemonic() {
        Mnemonic::Add => it.try_immediate(1).ok(),
        Mnemonic::Sub => it.try_immediate(1).ok().map(u64::wrapping_neg),
        Mnemonic::Lea if it.memory_base() != Register::RIP => Some(it.memory_displacement64()),
        _ => None,
    }
}

/// Number of the whole register that this one is, or is a part of.
fn number(register: Register) -> Option<u8> {
    let full = register.full_register();
    full.is_gpr64().then(|| u8::try_from(full.number()).ok()).flatten()
}

fn get(registers: &Registers, register: Register) -> Option<u64> {
    registers.get(number(register)?)
}

fn set(registers: &mut Registers, register: Register, value: Option<u64>) {
    if let Some(number) = number(register) {
        registers.set(number, value);
    }
}

/// Handles an instruction that writes memory.
fn store(registers: &mut Registers, memory: Memory, instruction: &Instruction) {
    let Some(address) = address(registers, instruction) else { return };
    let size = instruction.memory_size().size();
    let own = || operand(registers, memory, instruction, 0);
    let other = || operand(registers, memory, instruction, 1);
    let value = match instruction.mnemonic() {
        Mnemonic::Mov => other(),
        Mnemonic::Add => own().zip(other()).map(|(own, other)| own.wrapping_add(other)),
        Mnemonic::Sub => own().zip(other()).map(|(own, other)| own.wrapping_sub(other)),
        Mnemonic::Inc => own().map(|own| own.wrapping_add(1)),
        Mnemonic::Dec => own().map(|own| own.wrapping_sub(1)),
        _ => None,
    };
    registers.store(address, size, value);
}

/// Address of the memory operand.
fn address(registers: &Registers, instruction: &Instruction) -> Option<u64> {
    if instruction.is_ip_rel_memory_operand() {
        return Some(instruction.ip_rel_memory_address());
    }
    if instruction.segment_prefix() != Register::None {
        return None;
    }
    let part = |register: Register| if register == Register::None { Some(0) } else { get(registers, register) };
    let index = part(instruction.memory_index())?.wrapping_mul(instruction.memory_index_scale().into());
    let base = part(instruction.memory_base())?;
    Some(base.wrapping_add(index).wrapping_add(instruction.memory_displacement64()))
}

/// Address of the four-byte word that it loads, by a register and not from its frame.
pub(crate) fn tested(it: &Instruction, registers: &Registers) -> Option<u64> {
    let loads = it.mnemonic() == Mnemonic::Mov && it.op0_kind() == OpKind::Register && it.op1_kind() == OpKind::Memory;
    let points = !matches!(it.memory_base(), Register::None | Register::RIP | Register::RSP);
    if loads && points && it.memory_size().size() == 4 { address(registers, it) } else { None }
}

/// Value of an operand that is read.
fn operand(registers: &Registers, memory: Memory, instruction: &Instruction, number: u32) -> Option<u64> {
    match instruction.op_kind(number) {
        OpKind::Register if instruction.op_register(number).size() >= 4 => {
            let value = get(registers, instruction.op_register(number))?;
            Some(if instruction.op_register(number).size() == 4 { lower(value) } else { value })
        }
        OpKind::Memory => {
            let address = address(registers, instruction)?;
            registers.load(memory, address, instruction.memory_size().size())
        }
        OpKind::Register => None,
        _ => instruction.try_immediate(number).ok(),
    }
}

/// Outcome of a condition; `None` if not known.
pub(crate) fn holds(condition: ConditionCode, registers: &Registers) -> Option<bool> {
    let Compared { left, right } = registers.compared?;
    let (below, same) = (left.cast_unsigned() < right.cast_unsigned(), left == right);
    Some(match condition {
        ConditionCode::e => same,
        ConditionCode::ne => !same,
        ConditionCode::l => left < right,
        ConditionCode::le => left <= right,
        ConditionCode::g => left > right,
        ConditionCode::ge => left >= right,
        ConditionCode::b => below,
        ConditionCode::be => below || same,
        ConditionCode::a => !below && !same,
        ConditionCode::ae => !below,
        ConditionCode::s => left.wrapping_sub(right) < 0,
        ConditionCode::ns => left.wrapping_sub(right) >= 0,
        _ => return None,
    })
}

/// Operands of a comparison.
fn compare(registers: &Registers, memory: Memory, instruction: &Instruction) -> Option<Compared> {
    let (left, right) = (operand(registers, memory, instruction, 0)?, operand(registers, memory, instruction, 1)?);
    let is_short = match instruction.op0_kind() {
        OpKind::Register => instruction.op0_register().size() == 4,
        _ => instruction.memory_size().size() == 4,
    };
    let signed = |value: u64| if is_short { sign_extended(value) } else { value }.cast_signed();
    Some(match instruction.mnemonic() {
        Mnemonic::Cmp => Compared { left: signed(left), right: signed(right) },
        _ => Compared { left: signed(left & right), right: 0 },
    })
}

/// Executes an instruction.
pub(crate) fn step(instruction: &Instruction, registers: &mut Registers, memory: Memory) {
    if matches!(instruction.flow_control(), FlowControl::Call | FlowControl::IndirectCall) {
        registers.call();
        return;
    }
    if matches!(instruction.mnemonic(), Mnemonic::Cmp | Mnemonic::Test) {
        registers.compared = compare(registers, memory, instruction);
        return;
    }
    let condition = instruction.condition_code();
    if condition != ConditionCode::None {
        let value = match holds(condition, registers) {
            // Conditional moves do not change the flags.
            Some(false) => return,
            Some(true) if instruction.op_count() == 2 => operand(registers, memory, instruction, 1),
            _ => None,
        };
        set(registers, instruction.op0_register(), value);
        return;
    }
    if instruction.rflags_modified() != 0 {
        registers.compared = None;
    }
    let stack = get(registers, Register::RSP);
    match instruction.mnemonic() {
        Mnemonic::Push => {
            let stack = stack.map(|stack| stack.wrapping_sub(8));
            let value = operand(registers, memory, instruction, 0);
            if let Some(stack) = stack {
                registers.store(stack, 8, value);
            }
            set(registers, Register::RSP, stack);
        }
        Mnemonic::Pop => {
            let value = stack.and_then(|stack| registers.load(memory, stack, 8));
            set(registers, Register::RSP, stack.map(|stack| stack.wrapping_add(8)));
            if instruction.op0_kind() == OpKind::Register {
                set(registers, instruction.op0_register(), value);
            }
        }
        Mnemonic::Leave => {
            let base = get(registers, Register::RBP);
            set(registers, Register::RBP, base.and_then(|base| registers.load(memory, base, 8)));
            set(registers, Register::RSP, base.map(|base| base.wrapping_add(8)));
        }
        Mnemonic::Cdqe => {
            let value = get(registers, Register::RAX).map(sign_extended);
            set(registers, Register::RAX, value);
        }
        _ if instruction.op_count() > 0 && instruction.op0_kind() == OpKind::Register => {
            write(registers, memory, instruction);
        }
        _ if instruction.op_count() > 0 && instruction.op0_kind() == OpKind::Memory => {
            store(registers, memory, instruction);
        }
        _ => {}
    }
}

/// Executes an instruction whose first operand is a register.
fn write(registers: &mut Registers, memory: Memory, instruction: &Instruction) {
    let target = instruction.op0_register();
    let own = || operand(registers, memory, instruction, 0);
    let other = || operand(registers, memory, instruction, 1);
    let value = match instruction.mnemonic() {
        // Does not write registers.
        Mnemonic::Bt => return,
        Mnemonic::Mov | Mnemonic::Movzx => other(),
        Mnemonic::Movsxd | Mnemonic::Movsx if instruction.op0_register().size() == 8 => other().map(sign_extended),
        Mnemonic::Lea => address(registers, instruction),
        Mnemonic::Add => own().zip(other()).map(|(own, other)| own.wrapping_add(other)),
        Mnemonic::Sub => own().zip(other()).map(|(own, other)| own.wrapping_sub(other)),
        Mnemonic::Shl => own().zip(other()).map(|(own, other)| own.unbounded_shl(u32::try_from(other).unwrap_or(64))),
        Mnemonic::And => own().zip(other()).map(|(own, other)| own & other),
        Mnemonic::Xor if instruction.op1_kind() == OpKind::Register && instruction.op1_register() == target => Some(0),
        Mnemonic::Inc => own().map(|own| own.wrapping_add(1)),
        Mnemonic::Dec => own().map(|own| own.wrapping_sub(1)),
        _ => None,
    };
    let narrow = target.size() < 4;
    let value = value.filter(|_| !narrow);
    let value = value.map(|value| if target.size() == 4 { lower(value) } else { value });
    set(registers, target, value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_that_a_loop_tests_is_found() {
        let mut registers = Registers::default();
        set(&mut registers, Register::RBX, Some(0x2000));
        set(&mut registers, Register::RSP, Some(0x3000));
        let code: [(&[u8], Option<u64>); 5] = [
            (&[0x8b, 0x03], Some(0x2000)),       // mov (%rbx),%eax
            (&[0x8b, 0x43, 0x04], Some(0x2004)), // mov 0x4(%rbx),%eax
            (&[0x48, 0x8b, 0x03], None),         // mov (%rbx),%rax
            (&[0x8b, 0x04, 0x24], None),         // mov (%rsp),%eax
            (&[0x89, 0x03], None),               // mov %eax,(%rbx)
        ];
        for (bytes, wanted) in code {
            assert_eq!(tested(&decode(bytes, 0x1000).unwrap(), &registers), wanted, "{bytes:x?}");
        }
    }
}

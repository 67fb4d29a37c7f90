//! Registers along a path through the code, as far as they can be followed: constants, addresses, and words of memory at known
//! addresses.

use std::collections::BTreeMap;

use iced_x86::{ConditionCode, FlowControl, Instruction, Mnemonic, OpKind, Register};
use remote::memory::Memory;
use remote::unwind::Frame;

/// Known values of full registers, and of what was compared last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Registers {
    known: BTreeMap<Register, u64>,
    compared: Option<Compared>,
    /// Words that were written on the path, with their sizes.
    written: BTreeMap<(u64, usize), Option<u64>>,
}

/// Operands of a comparison, as numbers with a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Compared {
    left: i64,
    right: i64,
}

/// Registers that a call keeps (System V psABI, AMD64, 3.2.1).
const KEPT: [Register; 7] =
    [Register::RSP, Register::RBP, Register::RBX, Register::R12, Register::R13, Register::R14, Register::R15];

/// Numbers of registers in debug information (System V psABI, AMD64, figure 3.36).
const NUMBERED: [(Register, u16); 5] =
    [(Register::RBX, 3), (Register::R12, 12), (Register::R13, 13), (Register::R14, 14), (Register::R15, 15)];

impl Registers {
    /// Registers of a frame.
    pub(crate) fn of_frame(frame: &Frame) -> Self {
        let mut known = BTreeMap::from([(Register::RSP, frame.stack)]);
        known.extend(frame.base.map(|base| (Register::RBP, base)));
        let value = |(register, number)| Some((register, frame.kept.get(number)?));
        known.extend(NUMBERED.into_iter().filter_map(value));
        Self { known, ..Self::default() }
    }

    /// First argument of a call.
    pub(crate) fn first_argument(&self) -> Option<u64> {
        self.get(Register::RDI)
    }

    /// Value of a register.
    pub(crate) fn get(&self, register: Register) -> Option<u64> {
        self.known.get(&register.full_register()).copied()
    }

    fn set(&mut self, register: Register, value: Option<u64>) {
        match value {
            Some(value) => self.known.insert(register.full_register(), value),
            None => self.known.remove(&register.full_register()),
        };
    }

    /// Content of memory: what the path has written there, or what is there now.
    fn load(&self, memory: Memory, address: u64, size: usize) -> Option<u64> {
        if let Some(value) = self.written.get(&(address, size)) {
            return *value;
        }
        let end = |start: u64, size: usize| start.saturating_add(size as u64);
        let overlaps = |(start, bytes): &(u64, usize)| *start < end(address, size) && address < end(*start, *bytes);
        if self.written.keys().any(overlaps) {
            return None;
        }
        let mut bytes = [0; 8];
        memory.read(address, bytes.get_mut(..size)?).ok()?;
        Some(u64::from_le_bytes(bytes))
    }

    /// Goes over an instruction that writes to memory.
    fn store(&mut self, memory: Memory, instruction: &Instruction) {
        let Some(address) = self.address(instruction) else { return };
        let size = instruction.memory_size().size();
        let own = || self.operand(memory, instruction, 0);
        let other = || self.operand(memory, instruction, 1);
        let value = match instruction.mnemonic() {
            Mnemonic::Mov => other(),
            Mnemonic::Add => own().zip(other()).map(|(own, other)| own.wrapping_add(other)),
            Mnemonic::Sub => own().zip(other()).map(|(own, other)| own.wrapping_sub(other)),
            Mnemonic::Inc => own().map(|own| own.wrapping_add(1)),
            Mnemonic::Dec => own().map(|own| own.wrapping_sub(1)),
            _ => None,
        };
        let value = value.filter(|_| matches!(size, 4 | 8));
        let value = value.map(|value| if size == 4 { value & 0xffff_ffff } else { value });
        self.written.insert((address, size), value);
    }

    /// Address of the memory operand.
    pub(crate) fn address(&self, instruction: &Instruction) -> Option<u64> {
        if instruction.is_ip_rel_memory_operand() {
            return Some(instruction.ip_rel_memory_address());
        }
        if instruction.segment_prefix() != Register::None {
            return None;
        }
        let part = |register: Register| if register == Register::None { Some(0) } else { self.get(register) };
        let index = part(instruction.memory_index())?.wrapping_mul(instruction.memory_index_scale().into());
        let base = part(instruction.memory_base())?;
        Some(base.wrapping_add(index).wrapping_add(instruction.memory_displacement64()))
    }

    /// Value of an operand that is read.
    fn operand(&self, memory: Memory, instruction: &Instruction, number: u32) -> Option<u64> {
        match instruction.op_kind(number) {
            OpKind::Register if instruction.op_register(number).size() >= 4 => {
                let value = self.get(instruction.op_register(number))?;
                Some(if instruction.op_register(number).size() == 4 { value & 0xffff_ffff } else { value })
            }
            OpKind::Memory => {
                let address = self.address(instruction)?;
                self.load(memory, address, instruction.memory_size().size())
            }
            OpKind::Register => None,
            _ => instruction.try_immediate(number).ok(),
        }
    }

    /// Keeps only where the stack is: for the begin of a loop, whose other registers differ each time.
    pub(crate) fn forget(&mut self) {
        self.known.retain(|register, _| matches!(register, Register::RSP | Register::RBP));
        self.compared = None;
        self.written.values_mut().for_each(|value| *value = None);
    }

    /// Result of a call.
    pub(crate) fn returns(&mut self, value: u32) {
        self.set(Register::RAX, Some(value.into()));
    }

    /// Outcome of a condition; `None`: not known.
    pub(crate) fn holds(&self, condition: ConditionCode) -> Option<bool> {
        let Compared { left, right } = self.compared?;
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
    fn compare(&self, memory: Memory, instruction: &Instruction) -> Option<Compared> {
        let (left, right) = (self.operand(memory, instruction, 0)?, self.operand(memory, instruction, 1)?);
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

    /// Goes over an instruction.
    pub(crate) fn step(&mut self, memory: Memory, instruction: &Instruction) {
        if matches!(instruction.flow_control(), FlowControl::Call | FlowControl::IndirectCall) {
            self.known.retain(|register, _| KEPT.contains(register));
            self.compared = None;
            return;
        }
        if matches!(instruction.mnemonic(), Mnemonic::Cmp | Mnemonic::Test) {
            self.compared = self.compare(memory, instruction);
            return;
        }
        let condition = instruction.condition_code();
        if condition != ConditionCode::None {
            let value = match self.holds(condition) {
                // Conditional moves leave the flags alone.
                Some(false) => return,
                Some(true) if instruction.op_count() == 2 => self.operand(memory, instruction, 1),
                _ => None,
            };
            self.set(instruction.op0_register(), value);
            return;
        }
        if instruction.rflags_modified() != 0 {
            self.compared = None;
        }
        let stack = self.get(Register::RSP);
        match instruction.mnemonic() {
            Mnemonic::Push => {
                let stack = stack.map(|stack| stack.wrapping_sub(8));
                let value = self.operand(memory, instruction, 0);
                self.written.extend(stack.map(|stack| ((stack, 8), value)));
                self.set(Register::RSP, stack);
            }
            Mnemonic::Pop => {
                let value = stack.and_then(|stack| self.load(memory, stack, 8));
                self.set(Register::RSP, stack.map(|stack| stack.wrapping_add(8)));
                if instruction.op0_kind() == OpKind::Register {
                    self.set(instruction.op0_register(), value);
                }
            }
            Mnemonic::Leave => {
                let base = self.get(Register::RBP);
                self.set(Register::RBP, base.and_then(|base| self.load(memory, base, 8)));
                self.set(Register::RSP, base.map(|base| base.wrapping_add(8)));
            }
            Mnemonic::Cdqe => {
                let value = self.get(Register::RAX).map(sign_extended);
                self.set(Register::RAX, value);
            }
            _ if instruction.op_count() > 0 && instruction.op0_kind() == OpKind::Register => {
                self.write(memory, instruction);
            }
            _ if instruction.op_count() > 0 && instruction.op0_kind() == OpKind::Memory => {
                self.store(memory, instruction);
            }
            _ => {}
        }
    }

    /// Goes over an instruction whose first operand is a register.
    fn write(&mut self, memory: Memory, instruction: &Instruction) {
        let target = instruction.op0_register();
        let own = || self.operand(memory, instruction, 0);
        let other = || self.operand(memory, instruction, 1);
        let value = match instruction.mnemonic() {
            // Writes no register.
            Mnemonic::Bt => return,
            Mnemonic::Mov | Mnemonic::Movzx => other(),
            Mnemonic::Movsxd | Mnemonic::Movsx if instruction.op0_register().size() == 8 => other().map(sign_extended),
            Mnemonic::Lea => self.address(instruction),
            Mnemonic::Add => own().zip(other()).map(|(own, other)| own.wrapping_add(other)),
            Mnemonic::Sub => own().zip(other()).map(|(own, other)| own.wrapping_sub(other)),
            Mnemonic::Shl => {
                own().zip(other()).map(|(own, other)| own.unbounded_shl(u32::try_from(other).unwrap_or(64)))
            }
            Mnemonic::And => own().zip(other()).map(|(own, other)| own & other),
            Mnemonic::Xor if instruction.op1_kind() == OpKind::Register && instruction.op1_register() == target => {
                Some(0)
            }
            Mnemonic::Inc => own().map(|own| own.wrapping_add(1)),
            Mnemonic::Dec => own().map(|own| own.wrapping_sub(1)),
            _ => None,
        };
        let narrow = target.size() < 4;
        let value = value.filter(|_| !narrow);
        let value = value.map(|value| if target.size() == 4 { value & 0xffff_ffff } else { value });
        self.set(target, value);
    }
}

/// The lower four bytes as a number with a sign.
fn sign_extended(value: u64) -> u64 {
    let [a, b, c, d, ..] = value.to_le_bytes();
    i64::from(i32::from_le_bytes([a, b, c, d])).cast_unsigned()
}

//! Instructions of 64-bit ARM (Arm Architecture Reference Manual, C4.1 "A64 instruction set encoding").

mod arithmetic;
mod memory_access;

use attach_outside::memory::Memory;

use crate::flow::{Destination, Flow};
use crate::registers::Registers;

/// Bytes of an instruction.
pub(crate) const BYTES: u64 = 4;

/// Number of the stack pointer and, in other instructions, of the zero register.
const SP: u8 = 31;
const ZERO: u8 = 31;
/// Number of the link register.
const LINK: u8 = 30;

/// Represents the address of the thread's block: not an address of a program, nor near one.
const THREAD_BLOCK: u64 = 1 << 60;
/// Maximum distance of a thread-local variable from that.
const MAX_DISTANCE: u64 = 1 << 32;

/// An instruction, and its address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    bits: u32,
    address: u64,
}

impl Word {
    pub(crate) fn read(bytes: &[u8], address: u64) -> Option<Self> {
        let bits = u32::from_le_bytes(*bytes.first_chunk()?);
        // `udf`: there are zeros between functions.
        (bits >> 16 != 0).then_some(Self { bits, address })
    }

    pub(crate) fn next(self) -> u64 {
        self.address.wrapping_add(BYTES)
    }

    /// True if these bits of the instruction are as in `pattern`.
    fn is(self, mask: u32, pattern: u32) -> bool {
        self.bits & mask == pattern
    }

    /// The bits from `first` on, `count` of them.
    fn field(self, first: u32, count: u32) -> u32 {
        self.bits >> first & ((1 << count) - 1)
    }

    /// The bits from `first` on, `count` of them, as a signed number.
    fn signed(self, first: u32, count: u32) -> i64 {
        i64::from((self.bits << (32 - first - count)).cast_signed() >> (32 - count))
    }

    fn register(self, first: u32) -> u8 {
        (self.bits >> first & 31) as u8
    }

    /// The register in the lowest bits, which most instructions write.
    fn target(self) -> u8 {
        self.register(0)
    }

    /// The address at a distance in instructions, given by the number in these bits.
    fn place(self, first: u32, count: u32) -> u64 {
        self.address.wrapping_add_signed(self.signed(first, count) * BYTES.cast_signed())
    }

    pub(crate) fn flow(self) -> Flow {
        // `b`, `bl`
        if self.is(0x7c00_0000, 0x1400_0000) {
            let target = Destination::Code(self.place(0, 26));
            return if self.bits >> 31 == 1 { Flow::Call(target) } else { Flow::Jump(target) };
        }
        // `b.cond`, `bc.cond`; condition 14 and 15: always
        if self.is(0xff00_0000, 0x5400_0000) {
            let target = self.place(5, 19);
            return if self.field(0, 4) < 14 { Flow::Branch(target) } else { Flow::Jump(Destination::Code(target)) };
        }
        // `cbz`, `cbnz`; `tbz`, `tbnz`
        if self.is(0x7e00_0000, 0x3400_0000) {
            return Flow::Branch(self.place(5, 19));
        }
        if self.is(0x7e00_0000, 0x3600_0000) {
            return Flow::Branch(self.place(5, 14));
        }
        // `br`, `blr`, `ret`, and those that authenticate the address first
        if self.is(0xfe1f_f000, 0xd61f_0000) {
            return match self.field(21, 2) {
                0 => Flow::Jump(Destination::Register),
                1 => Flow::Call(Destination::Register),
                2 if self.field(23, 2) == 0 => Flow::Return,
                _ => Flow::Stop,
            };
        }
        // `brk`, `hlt`
        if self.is(0xffe0_001f, 0xd420_0000) || self.is(0xffe0_001f, 0xd440_0000) { Flow::Stop } else { Flow::Next }
    }

    /// Destination of `br` or `blr`.
    pub(crate) fn destination(self, registers: &Registers) -> Option<u64> {
        registers.get(self.register(5))
    }

    /// Outcome of the condition of a branch.
    pub(crate) fn holds(self, registers: &Registers) -> Option<bool> {
        if self.is(0xff00_0000, 0x5400_0000) {
            return condition(self.field(0, 4), registers);
        }
        let value = self.value(self.target(), registers)?;
        let is_inverse = self.field(24, 1) == 1;
        let is_zero = if self.is(0x7e00_0000, 0x3400_0000) {
            let value = if self.bits >> 31 == 1 { value } else { crate::registers::lower(value) };
            value == 0
        } else {
            let bit = self.field(19, 5) | self.field(31, 1) << 5;
            value >> bit & 1 == 0
        };
        Some(is_zero != is_inverse)
    }

    /// Value of a register, where the last one is zero.
    fn value(self, register: u8, registers: &Registers) -> Option<u64> {
        if register == ZERO { Some(0) } else { registers.get(register) }
    }

    /// Sets a register, except for the last one, which stays zero.
    fn set(self, register: u8, value: Option<u64>, registers: &mut Registers) {
        if register != ZERO {
            registers.set(register, value);
        }
    }

    /// Executes the instruction.
    pub(crate) fn step(self, registers: &mut Registers, memory: Memory) {
        if matches!(self.flow(), Flow::Call(_)) {
            registers.call();
            return;
        }
        match self.field(25, 4) {
            0b1000 | 0b1001 => self.step_immediate(registers),
            0b0101 | 0b1101 => self.step_registers(registers),
            0b0100 | 0b0110 | 0b1100 | 0b1110 => self.step_memory(registers, memory),
            0b1010 | 0b1011 => self.step_system(registers),
            0b0111 | 0b1111 => self.step_vectors(registers),
            // Scalable vectors: some of them count, and set the condition.
            _ => {
                self.set(self.target(), None, registers);
                registers.compared = None;
            }
        }
    }

    /// System registers, and system calls.
    fn step_system(self, registers: &mut Registers) {
        if self.is(0xffff_ffe0, 0xd53b_d040) {
            // `mrs x, tpidr_el0`
            self.set(self.target(), Some(THREAD_BLOCK), registers);
        } else if self.is(0xfff0_0000, 0xd530_0000) {
            self.set(self.target(), None, registers);
        } else if self.is(0xffe0_001f, 0xd400_0001) {
            // `svc`
            registers.set(0, None);
        } else if self.is(0xffff_f01f, 0xd503_201f) {
            // Hints: some sign the return address.
            registers.set(LINK, None);
        }
    }

    /// Vector registers: only a few instructions write other registers.
    fn step_vectors(self, registers: &mut Registers) {
        let writes_general = self.is(0xbfe0_fc00, 0x0e00_3c00)
            || self.is(0xbfe0_fc00, 0x0e00_2c00)
            || self.is(0x5f20_fc00, 0x1e20_0000) && !matches!(self.field(16, 3), 2 | 3 | 7);
        if writes_general {
            self.set(self.target(), None, registers);
        }
        let compares = self.is(0xff20_fc07, 0x1e20_2000) || self.is(0xff20_0c00, 0x1e20_0400);
        if compares {
            registers.compared = None;
        }
    }

    /// Its access to a thread-local variable: the distance of the thread's block, and the offset in it.
    pub(crate) fn thread_local(self, registers: &Registers) -> Option<(u64, u64)> {
        // `ldr`, `ldrsw`, `str` of 4 or 8 bytes, with an offset
        if !self.is(0xbf00_0000, 0xb900_0000) {
            return None;
        }
        let distance = registers.get(self.register(5))?.wrapping_sub(THREAD_BLOCK);
        (distance < MAX_DISTANCE).then(|| (distance, u64::from(self.field(10, 12)) << self.field(30, 2)))
    }

    /// Address of the four-byte word that it loads, other than from its frame: `ldr w, [x, #number]`, `ldar w, [x]`.
    pub(crate) fn tested(self, registers: &Registers) -> Option<u64> {
        let is_ordered = self.is(0xffff_fc00, 0x88df_fc00);
        if !is_ordered && !self.is(0xffc0_0000, 0xb940_0000) || matches!(self.register(5), 29 | SP) {
            return None;
        }
        let distance = if is_ordered { 0 } else { u64::from(self.field(10, 12)) * 4 };
        Some(registers.get(self.register(5))?.wrapping_add(distance))
    }

    /// A constant that it adds to the first argument's register: `add x0, x, #number`.
    pub(crate) fn added(self) -> Option<u64> {
        let is_sum = self.is(0xff80_001f, 0x9100_0000) && self.register(5) == 0;
        is_sum.then(|| u64::from(self.field(10, 12)) << (12 * self.field(22, 1)))
    }
}

/// Outcome of a condition (C1.2.4 "Condition code").
fn condition(code: u32, registers: &Registers) -> Option<bool> {
    let compared = registers.compared?;
    let (left, right) = (compared.left, compared.right);
    let (below, difference) = (left.cast_unsigned() < right.cast_unsigned(), left.wrapping_sub(right));
    let holds = match code >> 1 {
        0 => left == right,
        1 => !below,
        2 => difference < 0,
        4 => !below && left != right,
        5 => left >= right,
        6 => left > right,
        _ => return None,
    };
    Some(holds != (code & 1 == 1))
}

#[cfg(test)]
mod tests;

//! Loads and stores (C4.1.66 "Loads and Stores").

use attach_outside::memory::Memory;

use super::arithmetic::extended;
use super::{SP, Word};
use crate::registers::{Registers, sign_extended};

impl Word {
    /// A load or a store.
    pub(super) fn step_memory(self, registers: &mut Registers, memory: Memory) {
        let is_vector = self.field(26, 1) == 1;
        match self.field(27, 3) {
            // `ldapur`, `stlur` and their kinds
            3 if self.field(24, 1) == 1 => self.set(self.target(), None, registers),
            // `ldr` from an address near the instruction
            3 => {
                let size = if self.field(30, 1) == 1 { 8 } else { 4 };
                let value = registers.load(memory, self.place(5, 19), size);
                let value = if self.field(30, 2) == 2 { value.map(sign_extended) } else { value };
                if !is_vector && self.field(30, 2) != 3 {
                    self.set(self.target(), value, registers);
                }
            }
            5 => self.pair(registers, memory, is_vector),
            7 => self.single(registers, memory, is_vector),
            // Exclusive and ordered ones
            _ if !is_vector => self.ordered(registers, memory),
            _ => {}
        }
    }

    /// `ldp`, `stp`
    fn pair(self, registers: &mut Registers, memory: Memory, is_vector: bool) {
        let (kind, mode) = (self.field(30, 2), self.field(23, 2));
        let size: usize = match kind {
            _ if is_vector => 4 << kind,
            2 => 8,
            _ => 4,
        };
        let address = self.indexed(self.signed(15, 7) * size as i64, mode, registers);
        let second = address.map(|address| address.wrapping_add(size as u64));
        let is_load = self.field(22, 1) == 1;
        for (register, address) in [(self.target(), address), (self.register(10), second)] {
            match address {
                _ if is_load && !is_vector => {
                    let value = address.and_then(|address| registers.load(memory, address, size));
                    let value = if kind == 1 { value.map(sign_extended) } else { value };
                    self.set(register, value, registers);
                }
                Some(address) if !is_load => {
                    let value = if is_vector { None } else { self.value(register, registers) };
                    registers.store(address, size, value);
                }
                _ => {}
            }
        }
    }

    /// The address of an access, and the base register after it. `mode`: 1 changes that afterwards, 3 before.
    fn indexed(self, offset: i64, mode: u32, registers: &mut Registers) -> Option<u64> {
        let base = registers.get(self.register(5));
        let sum = base.map(|base| base.wrapping_add_signed(offset));
        if matches!(mode, 1 | 3) {
            registers.set(self.register(5), sum);
        }
        if mode == 1 { base } else { sum }
    }

    /// `ldr`, `str` and their kinds
    fn single(self, registers: &mut Registers, memory: Memory, is_vector: bool) {
        let kind = self.field(22, 2);
        let scale = self.field(30, 2) | if is_vector { (kind >> 1) << 2 } else { 0 };
        let address = if self.field(24, 1) == 1 {
            self.indexed(i64::from(self.field(10, 12)) << scale, 2, registers)
        } else if self.field(21, 1) == 0 {
            self.indexed(self.signed(12, 9), self.field(10, 2), registers)
        } else if self.field(10, 2) == 2 {
            let shift = if self.field(12, 1) == 1 { scale } else { 0 };
            let index = extended(self.field(13, 3), self.value(self.register(16), registers));
            let sum = |(base, index): (u64, u64)| base.wrapping_add(index << shift);
            registers.get(self.register(5)).zip(index).map(sum)
        } else {
            let (address, size) = (registers.get(self.register(5)), 1 << scale);
            // `ldapr`
            if self.is(0x3fff_fc00, 0x38bf_c000) {
                let value = address.and_then(|address| registers.load(memory, address, size));
                return self.set(self.target(), value, registers);
            }
            // Atomic operations: `ldadd`, `swp`, ...
            if let Some(address) = address {
                registers.store(address, size, None);
            }
            return self.set(self.target(), None, registers);
        };
        let size = 1 << scale;
        match kind {
            // `prfm`
            2 if !is_vector && scale == 3 => {}
            0 | 2 if is_vector || kind == 0 => {
                let value = if is_vector { None } else { self.value(self.target(), registers) };
                if let Some(address) = address {
                    registers.store(address, size, value);
                }
            }
            _ if is_vector => {}
            _ => {
                let value = address.and_then(|address| registers.load(memory, address, size));
                let value = match (kind, size) {
                    (1, _) => value,
                    (2, _) => value.and_then(|value| extended(4 | scale, Some(value))),
                    _ => value.and_then(|value| extended(4 | scale, Some(value))).map(crate::registers::lower),
                };
                self.set(self.target(), value, registers);
            }
        }
    }

    /// `ldxr`, `stxr`, `ldar`, `stlr`, `cas` and their kinds
    fn ordered(self, registers: &mut Registers, memory: Memory) {
        let size = 1 << self.field(30, 2);
        let address = registers.get(self.register(5));
        let (is_load, is_plain) = (self.field(22, 1) == 1, self.field(23, 1) == 1 && self.field(21, 1) == 0);
        if is_plain && is_load {
            let value = address.and_then(|address| registers.load(memory, address, size));
            return self.set(self.target(), value, registers);
        }
        if let Some(address) = address.filter(|_| is_plain) {
            let value = self.value(self.target(), registers);
            return registers.store(address, size, value);
        }
        if let Some(address) = address.filter(|_| !is_load || self.field(21, 1) == 1) {
            registers.store(address, size, None);
        }
        for register in [self.target(), self.register(10), self.register(16)] {
            if register != SP {
                registers.set(register, None);
            }
        }
    }
}

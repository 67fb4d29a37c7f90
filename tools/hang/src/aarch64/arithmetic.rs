//! Arithmetic with constants and with registers (C4.1.65 "Data Processing -- Immediate", C4.1.68 "Data Processing -- Register").

use super::{SP, Word, condition};
use crate::registers::{Compared, Registers, lower, sign_extended};

impl Word {
    /// True for operands of 8 bytes.
    fn is_wide(self) -> bool {
        self.bits >> 31 == 1
    }

    /// A value in the size of the operands.
    fn sized(self, value: u64) -> u64 {
        if self.is_wide() { value } else { lower(value) }
    }

    /// A value in the size of the operands, with a sign.
    fn with_sign(self, value: u64) -> i64 {
        if self.is_wide() { value } else { sign_extended(value) }.cast_signed()
    }

    /// Arithmetic with a constant.
    pub(super) fn step_immediate(self, registers: &mut Registers) {
        let target = self.target();
        match self.field(23, 3) {
            // `adr`, `adrp`
            0 | 1 => {
                let distance = self.signed(5, 19) << 2 | i64::from(self.field(29, 2));
                let value = if self.is_wide() {
                    (self.address & !0xfff).wrapping_add_signed(distance << 12)
                } else {
                    self.address.wrapping_add_signed(distance)
                };
                self.set(target, Some(value), registers);
            }
            // `add`, `sub`
            2 => {
                let constant = u64::from(self.field(10, 12)) << (12 * self.field(22, 1));
                self.sum(registers.get(self.register(5)), Some(constant), registers, SP);
            }
            // `and`, `orr`, `eor`, `ands`
            4 => {
                let constant = self.mask();
                self.logical(constant, registers, SP);
            }
            // `movn`, `movz`, `movk`
            5 => {
                let shift = 16 * self.field(21, 2);
                let half = u64::from(self.field(5, 16)) << shift;
                let value = match self.field(29, 2) {
                    0 => Some(!half),
                    2 => Some(half),
                    _ => registers.get(target).map(|value| value & !(0xffff << shift) | half),
                };
                self.set(target, value.map(|value| self.sized(value)), registers);
            }
            // `sbfm`, `bfm`, `ubfm`
            6 => {
                let value = self.bit_field(registers);
                self.set(target, value, registers);
            }
            _ => self.set(target, None, registers),
        }
    }

    /// Arithmetic with registers.
    pub(super) fn step_registers(self, registers: &mut Registers) {
        let (target, first, second) = (self.target(), self.register(5), self.register(16));
        let (left, right) = (self.value(first, registers), self.value(second, registers));
        if self.is(0x1f00_0000, 0x0a00_0000) {
            let right = self.shifted(right).map(|value| if self.field(21, 1) == 1 { !value } else { value });
            self.logical(right, registers, super::ZERO);
        } else if self.is(0x1f20_0000, 0x0b00_0000) {
            let right = self.shifted(right);
            self.sum(left, right, registers, super::ZERO);
        } else if self.is(0x1f20_0000, 0x0b20_0000) {
            let right = extended(self.field(13, 3), right).map(|value| value << self.field(10, 3));
            self.sum(registers.get(first), right, registers, SP);
        } else if self.is(0x1fe0_0000, 0x1a80_0000) {
            let value = self.chosen(left, right, registers);
            self.set(target, value, registers);
        } else {
            // `ccmp`, `ccmn`; `adcs`, `sbcs`
            if self.is(0x3fe0_0000, 0x3a40_0000) {
                registers.compared = None;
                return;
            }
            if self.is(0x3fe0_0000, 0x3a00_0000) {
                registers.compared = None;
            }
            let third = self.value(self.register(10), registers);
            let value = match self.bits & 0x7fe0_8000 {
                // `madd`, `msub`
                0x1b00_0000 => all([left, right, third]).map(|[a, b, c]| c.wrapping_add(a.wrapping_mul(b))),
                0x1b00_8000 => all([left, right, third]).map(|[a, b, c]| c.wrapping_sub(a.wrapping_mul(b))),
                _ => None,
            };
            self.set(target, value.map(|value| self.sized(value)), registers);
        }
    }

    /// `add` and `sub`, which may set the condition. `last`: the meaning of the last register's number, unless they do.
    fn sum(self, left: Option<u64>, right: Option<u64>, registers: &mut Registers, last: u8) {
        let (subtracts, compares) = (self.field(30, 1) == 1, self.field(29, 1) == 1);
        let value = left.zip(right).map(
            |(left, right)| {
                if subtracts { left.wrapping_sub(right) } else { left.wrapping_add(right) }
            },
        );
        if compares {
            registers.compared = left.zip(right).map(|(left, right)| {
                let right = if subtracts { right } else { right.wrapping_neg() };
                Compared { left: self.with_sign(left), right: self.with_sign(right) }
            });
        }
        let value = value.map(|value| self.sized(value));
        let target = self.target();
        if target != super::ZERO {
            registers.set(target, value);
        } else if !compares && last == SP {
            registers.set(SP, value);
        }
    }

    /// `and`, `orr`, `eor`, `ands`. `last` as for [`Self::sum`].
    fn logical(self, right: Option<u64>, registers: &mut Registers, last: u8) {
        let left = self.value(self.register(5), registers);
        let operation = self.field(29, 2);
        let value = left.zip(right).map(|(left, right)| match operation {
            0 | 3 => left & right,
            1 => left | right,
            _ => left ^ right,
        });
        if operation == 3 {
            registers.compared = value.map(|value| Compared { left: self.with_sign(value), right: 0 });
        }
        let value = value.map(|value| self.sized(value));
        let target = self.target();
        if target != super::ZERO {
            registers.set(target, value);
        } else if operation != 3 && last == SP {
            registers.set(SP, value);
        }
    }

    /// `csel`, `csinc`, `csinv`, `csneg`
    fn chosen(self, left: Option<u64>, right: Option<u64>, registers: &Registers) -> Option<u64> {
        let other = right.map(|right| match (self.field(30, 1), self.field(10, 1)) {
            (0, 0) => right,
            (0, _) => right.wrapping_add(1),
            (_, 0) => !right,
            _ => right.wrapping_neg(),
        });
        let code = self.field(12, 4);
        let holds = if code < 14 { condition(code, registers)? } else { true };
        if holds { left } else { other }.map(|value| self.sized(value))
    }

    /// The second operand, shifted by a constant.
    fn shifted(self, value: Option<u64>) -> Option<u64> {
        let (value, by) = (value?, self.field(10, 6));
        Some(match self.field(22, 2) {
            0 => self.sized(value).unbounded_shl(by),
            1 => self.sized(value).unbounded_shr(by),
            2 => self.with_sign(value).unbounded_shr(by).cast_unsigned(),
            _ if by == 0 => value,
            _ => return None,
        })
    }

    /// `sbfm` and `ubfm`: shifts, and parts of a register.
    fn bit_field(self, registers: &Registers) -> Option<u64> {
        let value = self.value(self.register(5), registers)?;
        let (rotation, last, size) = (self.field(16, 6), self.field(10, 6), if self.is_wide() { 64 } else { 32 });
        let operation = self.field(29, 2);
        if operation == 1 {
            return None;
        }
        // The lowest `last + 1` bits move to the left, or those from `rotation` on to the lowest position.
        let (bits, place) = if last >= rotation { (last - rotation + 1, 0) } else { (last + 1, size - rotation) };
        let taken = if last >= rotation { value >> rotation } else { value };
        let left = taken.unbounded_shl(64 - bits);
        let part =
            if operation == 0 { (left.cast_signed() >> (64 - bits)).cast_unsigned() } else { left >> (64 - bits) };
        Some(self.sized(part.unbounded_shl(place)))
    }

    /// The constant of a logical instruction: a run of ones in a repeated element ("DecodeBitMasks").
    fn mask(self) -> Option<u64> {
        let (ones, rotation) = (self.field(10, 6), self.field(16, 6));
        let length = (self.field(22, 1) << 6 | !ones & 0x3f).checked_ilog2()?;
        let size = 1_u32.checked_shl(length).filter(|size| (2..=64).contains(size))?;
        let (ones, rotation) = (ones & (size - 1), rotation & (size - 1));
        let row = u64::MAX >> (63 - ones);
        let element = u64::MAX >> (64 - size);
        let rotated = (row >> rotation | row.unbounded_shl(size - rotation)) & element;
        Some((0..64 / size).fold(0, |mask, at| mask | rotated << (at * size)))
    }
}

/// A register's lower part, extended to the whole (`uxtb` to `sxtx`).
pub(super) fn extended(option: u32, value: Option<u64>) -> Option<u64> {
    let value = value?;
    let bits = 8 << (option & 3);
    let left = value.unbounded_shl(64 - bits);
    Some(if option & 4 == 0 { left >> (64 - bits) } else { (left.cast_signed() >> (64 - bits)).cast_unsigned() })
}

fn all<const N: usize>(values: [Option<u64>; N]) -> Option<[u64; N]> {
    values.iter().all(Option::is_some).then(|| values.map(Option::unwrap_or_default))
}

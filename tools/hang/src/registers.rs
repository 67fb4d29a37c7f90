//! Registers along a path through the code, as far as they can be followed: constants, addresses, and words of memory at known
//! addresses.

use std::collections::BTreeMap;

use attach_outside::arch::KEPT;
use attach_outside::memory::Memory;
use attach_outside::unwind::Frame;

use crate::calling_convention::{Roles, roles};

/// Maximum number of words that are recorded as written on a path: each store and each load searches them.
const MAX_WRITTEN: usize = 256;

/// Known values of registers, by the processor's numbers, and of what was compared last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Registers {
    known: BTreeMap<u8, u64>,
    pub(crate) compared: Option<Compared>,
    /// Words that were written on the path, with their sizes.
    written: BTreeMap<(u64, usize), Option<u64>>,
}

/// Operands of a comparison, as numbers with a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Compared {
    pub(crate) left: i64,
    pub(crate) right: i64,
}

impl Registers {
    /// Registers of a frame. The callee-saved ones have the same numbers in debug information.
    pub(crate) fn of_frame(frame: &Frame) -> Self {
        let Roles { stack, base, .. } = *roles();
        let mut known = BTreeMap::from([(stack, frame.stack)]);
        known.extend(frame.base.map(|value| (base, value)));
        let kept = |(number, value)| Some((u8::try_from(number).ok()?, value?));
        known.extend(KEPT.into_iter().zip(frame.kept.0).filter_map(kept));
        Self { known, ..Self::default() }
    }

    /// An argument of a call, by its position: 0 to 2.
    pub(crate) fn argument(&self, place: usize) -> Option<u64> {
        self.get(*roles().arguments.get(place)?)
    }

    /// Value of a register.
    pub(crate) fn get(&self, register: u8) -> Option<u64> {
        self.known.get(&register).copied()
    }

    /// Sets a register; `None` if its value isn't known any more.
    pub(crate) fn set(&mut self, register: u8, value: Option<u64>) {
        match value {
            Some(value) => self.known.insert(register, value),
            None => self.known.remove(&register),
        };
    }

    /// True if all registers that are known in another set have the same values here.
    pub(crate) fn has_all_of(&self, other: &Self) -> bool {
        other.known.iter().all(|(register, value)| self.known.get(register) == Some(value))
    }

    /// Forgets registers that are not the same in another set.
    pub(crate) fn keep_common(&mut self, other: &Self) {
        self.known.retain(|register, value| other.known.get(register) == Some(value));
    }

    /// Content of memory: the value that the path has written there, or the current one.
    pub(crate) fn load(&self, memory: Memory, address: u64, size: usize) -> Option<u64> {
        if let Some(value) = self.written.get(&(address, size)) {
            return *value;
        }
        if self.written.keys().any(|place| overlaps(*place, (address, size))) {
            return None;
        }
        let mut bytes = [0; 8];
        memory.read(address, bytes.get_mut(..size)?).ok()?;
        Some(u64::from_le_bytes(bytes))
    }

    /// Records a write to memory.
    pub(crate) fn store(&mut self, address: u64, size: usize, value: Option<u64>) {
        let value = value.filter(|_| matches!(size, 4 | 8));
        let value = value.map(|value| if size == 4 { lower(value) } else { value });
        let others = self.written.iter_mut().filter(|(place, _)| overlaps(**place, (address, size)));
        others.for_each(|(_, value)| *value = None);
        if self.written.len() >= MAX_WRITTEN {
            // From here on any word may have been written before.
            self.written = BTreeMap::from([((0, usize::MAX), None)]);
        }
        self.written.insert((address, size), value);
    }

    /// Handles a call, which preserves some registers.
    pub(crate) fn call(&mut self) {
        let Roles { is_kept, .. } = *roles();
        self.known.retain(|register, _| is_kept(*register));
        self.compared = None;
    }

    /// Keeps only the stack pointers: for the start of a loop, whose other registers differ each time.
    pub(crate) fn forget(&mut self) {
        let Roles { stack, base, .. } = *roles();
        self.known.retain(|register, _| *register == stack || *register == base);
        self.compared = None;
        self.written.values_mut().for_each(|value| *value = None);
    }

    /// Result of a call.
    pub(crate) fn returns(&mut self, value: u32) {
        self.set(roles().result, Some(value.into()));
    }
}

/// True if two ranges of memory with these sizes have a byte in common.
fn overlaps((one, size): (u64, usize), (other, other_size): (u64, usize)) -> bool {
    let end = |start: u64, size: usize| start.saturating_add(size as u64);
    one < end(other, other_size) && other < end(one, size)
}

/// The lower four bytes.
pub(crate) fn lower(value: u64) -> u64 {
    value & 0xffff_ffff
}

/// The lower four bytes as a number with a sign.
pub(crate) fn sign_extended(value: u64) -> u64 {
    let [a, b, c, d, ..] = value.to_le_bytes();
    i64::from(i32::from_le_bytes([a, b, c, d])).cast_unsigned()
}

#[cfg(test)]
mod tests {
    use attach_outside::process::Process;

    use super::*;

    #[test]
    fn a_path_that_writes_everywhere_is_noted_up_to_a_bound_and_words_are_unknown_then() {
        let word = std::hint::black_box(Box::new(7_u64));
        let (memory, place) = (Memory(Process { pid: std::process::id() }), (&raw const *word).addr() as u64);
        let mut registers = Registers::default();
        assert_eq!(registers.load(memory, place, 8), Some(7));
        (0..1000).for_each(|number| registers.store(number * 8, 8, Some(number)));
        assert!(registers.written.len() <= MAX_WRITTEN + 1);
        assert_eq!((registers.load(memory, 999 * 8, 8), registers.load(memory, place, 8)), (Some(999), None));
    }
}

//! Hashing of numbers: our keys are small, and there are many of them.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map whose keys are numbers.
pub type Map<K, V> = HashMap<K, V, BuildHasherDefault<Quick>>;

/// Odd, and half of its bits are ones: 2^64 divided by the golden ratio.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Multiplies and turns.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quick(u64);

impl Hasher for Quick {
    fn finish(&self) -> u64 {
        // Maps look at the highest and at the lowest bits.
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(23) ^ number).wrapping_mul(FACTOR);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_u64(number.cast_unsigned() as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::hash::{BuildHasher, Hash};

    fn lowest_bits(things: impl Iterator<Item = impl Hash>) -> usize {
        let hasher = BuildHasherDefault::<Quick>::default();
        things.map(|thing| hasher.hash_one(thing) & 0xffff).collect::<HashSet<_>>().len()
    }

    #[test]
    fn numbers_in_a_row_and_addresses_are_spread() {
        // Of 65,536 chances about 63 % would be taken by chance.
        assert!(lowest_bits(0..65_536_u64) > 35_000);
        assert!(lowest_bits((0..65_536_u64).map(|n| 0x7fff_0000_0000 + n * 4096)) > 35_000);
        assert!(lowest_bits((0..65_536_u32).map(|n| (n / 256, n % 256))) > 35_000);
    }
}

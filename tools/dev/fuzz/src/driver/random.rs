//! Pseudo-random numbers.

/// Generator: xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled").
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A random element.
    pub(crate) fn choose<T: Copy + Default>(&mut self, all: &[T]) -> T {
        let index = (self.next() >> 32) as usize % all.len().max(1);
        all.get(index).copied().unwrap_or_default()
    }
}

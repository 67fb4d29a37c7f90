//! Pseudo-random numbers, the same in every run.

/// Generator: Marsaglia's xorshift.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below `end`, uniformly distributed.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    /// A number below `end`, small ones far more often, as for the functions and lines of programs.
    pub(crate) fn mostly_small(&mut self, end: u64) -> u64 {
        let (a, b, c) = (self.below(end), self.below(end), self.below(end));
        u64::try_from(u128::from(a) * u128::from(b) * u128::from(c) / u128::from(end) / u128::from(end)).unwrap()
    }
}

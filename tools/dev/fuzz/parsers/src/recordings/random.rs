//! Random numbers that are reproducible from their seed (splitmix64).

/// Sequence of numbers.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

/// Limits of ranges, and numbers that a reader might add to or multiply.
const EXTREMES: [u64; 14] = [
    0,
    1,
    2,
    200,
    4095,
    4096,
    0xffff,
    0x7fff_ffff,
    0xffff_ffff,
    1 << 32,
    1 << 44,
    i64::MAX.cast_unsigned(),
    1 << 63,
    u64::MAX,
];

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Returns a number below `end`, or 0 if `end` is 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end.max(1) as u64)).unwrap_or(0)
    }

    /// Returns a replacement for `old`: an extreme number, a neighbour of `old`, or any number.
    pub(super) fn word(&mut self, old: u64) -> u64 {
        let any = self.next();
        match self.below(10) {
            0..5 => EXTREMES.get(self.below(EXTREMES.len())).copied().unwrap_or(0),
            5 => old.wrapping_add(1),
            6 => old.wrapping_sub(1),
            // Replaces one of the halves.
            7 => old & 0xffff_ffff | any << 32,
            8 => old & !0xffff_ffff | any & 0xffff_ffff,
            _ => any >> self.below(64),
        }
    }
}

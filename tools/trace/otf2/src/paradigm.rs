//! Paradigms of regions, teams and locks.

/// Paradigm of a region or lock (`OTF2_Paradigm`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Paradigm(pub u8);

impl Paradigm {
    /// OpenMP.
    pub const OPENMP: Self = Self(3);
}

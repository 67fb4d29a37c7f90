//! The tool interfaces, and tokens, which say what sessions of them could be notified of a span's start.

use crate::subscription::{EPOCH_BITS, EPOCH_MASK};

pub use crate::subscription::INTERFACES;

/// The tool interfaces. All of them can be attached at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// The Sun Collector API.
    Ora,
    /// OMPT of Technical Report 2.
    Tr2,
    /// OMPT of OpenMP 5.
    V5,
}

impl Interface {
    /// All of them, in the order in which they are notified of an event.
    pub(crate) const ALL: [Self; INTERFACES] = [Self::Ora, Self::Tr2, Self::V5];

    /// The epoch that represents every session of the interface in tokens; `None` if each session has its own. A
    /// process has at most one session of OpenMP 5.
    #[inline(always)]
    pub(crate) const fn only_epoch(self) -> Option<u32> {
        match self {
            Self::Ora | Self::Tr2 => None,
            Self::V5 => Some(1),
        }
    }

    /// The lowest bit of the interface's epoch in a token.
    #[inline(always)]
    pub(crate) const fn shift(self) -> usize {
        self as usize * EPOCH_BITS
    }
}

/// The sessions that could be notified of a span's start: the epoch of each interface's session, or 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Token(u64);

impl Token {
    /// No session.
    pub const NONE: Self = Self(0);

    /// The session of this interface and epoch.
    #[inline(always)]
    pub const fn of(interface: Interface, epoch: u32) -> Self {
        Self((epoch as u64) << interface.shift())
    }

    /// The token without that interface's session.
    pub(crate) fn without(self, interface: Interface) -> Self {
        Self(self.0 & !(u64::from(EPOCH_MASK) << interface.shift()))
    }

    /// The sessions of both tokens.
    #[inline(always)]
    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The epoch whose lowest bit is at that [shift](Interface::shift).
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation)] // takes the interface's own bits
    pub(crate) fn at(self, shift: usize) -> u32 {
        (self.0 >> shift) as u32 & EPOCH_MASK
    }

    /// The epoch of that interface's session, or 0.
    #[inline(always)]
    pub(crate) fn of_face(self, interface: Interface) -> u32 {
        self.at(interface.shift())
    }

    /// The token as a word, to be stored elsewhere.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The token that [`bits`](Self::bits) came from.
    #[inline]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }
}

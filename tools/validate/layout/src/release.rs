//! Releases of the specification.

use std::fmt;

/// A release of OpenMP with the tool interface OMPT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Release {
    /// 5.0, November 2018.
    V5_0,
    /// 5.1, November 2020.
    V5_1,
    /// 5.2, November 2021.
    V5_2,
    /// 6.0, November 2024.
    V6_0,
}

impl Release {
    /// All releases, the oldest first.
    pub const ALL: [Self; 4] = [Self::V5_0, Self::V5_1, Self::V5_2, Self::V6_0];

    /// The release's number, such as `5.0`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V5_0 => "5.0",
            Self::V5_1 => "5.1",
            Self::V5_2 => "5.2",
            Self::V6_0 => "6.0",
        }
    }

    /// The release with that number. `None` for any other text.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|release| release.name() == name)
    }
}

impl fmt::Display for Release {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

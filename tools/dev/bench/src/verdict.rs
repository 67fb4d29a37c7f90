//! Verdict on a goal: met, missed, or near, which means that the best rounds and the median of all rounds disagree.

use std::fmt;

/// Result by the best rounds and by the median of all rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Met,
    /// Met by only one of the two.
    Near,
    Missed,
}

impl Verdict {
    pub(crate) fn of(by_best: bool, by_median: bool) -> Self {
        match (by_best, by_median) {
            (true, true) => Self::Met,
            (false, false) => Self::Missed,
            _ => Self::Near,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Met => "met",
            Self::Near => "near",
            Self::Missed => "MISSED",
        })
    }
}

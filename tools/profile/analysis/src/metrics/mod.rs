//! Metrics: total, CPU, OpenMP Work and OpenMP Wait (white paper, section 6, "OpenMP Metrics"), by function, line,
//! region, thread and cause.

mod amount;
mod attributed;
mod imbalance;
mod outside;
mod regions;
mod sums;
mod tree;
mod waits;

#[cfg(test)]
mod imbalance_tests;
#[cfg(test)]
mod off_processor_tests;
#[cfg(test)]
mod outside_tests;
#[cfg(test)]
pub(crate) mod tests;

pub use amount::Amount;
pub use attributed::{Attributed, functions, lines};
pub use imbalance::Imbalance;
pub(crate) use imbalance::{is_barrier, without_processor_ns};
pub use outside::Outside;
pub use regions::{RegionSums, regions};
pub use sums::Sums;
pub use tree::{Tree, TreeNode, tree};
pub use waits::{Cause, WaitPlace, causes};

//! Derives from the figures of a process what costs it time, and what to do about it.
//!
//! [`Facts`] are what a collector has recorded about one process. Each rule looks for one fault in them and creates a
//! [`Finding`]: the place, the evidence, the cost of the fault, the time that a fix would save as far as the figures show it,
//! and the fix. A rule whose evidence is missing doesn't report anything.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod code;
mod declarations;
mod directive;
mod document;
mod excluded;
mod facts;
mod finding;
mod html;
mod loop_extent;
#[cfg(feature = "record")]
mod record;
mod region_body;
mod rules;
mod runtime_kind;
mod sentinel;
pub mod tally;
pub mod tasks;

pub use directive::Directive;
pub use excluded::excluded;
pub use facts::{Facts, Place, Region, Setting, SharedBy, Together, Wait, Waits};
pub use finding::{Finding, HowKnown};
pub use rules::{PROCESSES, has_pool};
pub use runtime_kind::RuntimeKind;
pub use sentinel::is_atomic as is_atomic_directive;

/// Findings that save less than this fraction of the wall time are not worth a change.
const MIN_GAIN: f64 = 0.01;
/// Shorter times of threads may be due to chance.
const LONG_NS: f64 = 20e6;
/// Waits of at least this time are not due to chance if there are [`FREQUENT`] of them.
const LONG_OF_FREQUENT_NS: f64 = 2e6;
const FREQUENT: u64 = 10_000;
/// Fewer samples may be due to chance as well: this is four times their standard deviation.
const SAMPLES: f64 = 16.0;

/// All findings that are worth a change of the program or of its environment. Findings about processors come first, since a lack of
/// them prolongs every wait; those that save the most follow.
pub fn findings(facts: &Facts) -> Vec<Finding> {
    #[cfg(feature = "record")]
    record::print("process", facts);
    let mut found = rules::all(facts);
    let least_ns = LONG_NS.max(SAMPLES * facts.period_ns.unwrap_or(0.0));
    let least_ns = |finding: &Finding| {
        let count = facts.waits.named(finding.id).and_then(|wait| wait.count).unwrap_or(0);
        if count >= FREQUENT { LONG_OF_FREQUENT_NS } else { least_ns }
    };
    found.retain(|finding| {
        finding.is_first
            || finding.costs_ns >= least_ns(finding) && finding.weight_ns(facts) >= MIN_GAIN * facts.wall_ns
    });
    found.sort_by(|one, other| {
        let first = other.is_first.cmp(&one.is_first);
        first.then(other.weight_ns(facts).total_cmp(&one.weight_ns(facts)))
    });
    found
}

//! Whether threads are ready without a processor for long enough to report it.

use crate::facts::Facts;

/// Minimum fraction of the threads' time that is a finding by itself.
pub(super) const MIN_SHARE: f64 = 0.05;
/// The same fraction if it isn't known whether threads wait for a processor for long, or often.
const MIN_SHARE_OF_UNKNOWN_TURNS: f64 = 0.1;
/// Shorter turns without a processor are those of threads that are waking up.
const WAKE_UP_NS: f64 = 50e3;

/// True if threads lacked a processor for much of their time, and for more than a moment each time.
pub(super) fn is_much(facts: &Facts) -> bool {
    let much = if facts.turns.is_some() { MIN_SHARE } else { MIN_SHARE_OF_UNKNOWN_TURNS };
    let is_short = |turns: f64| facts.ready_ns / turns.max(1.0) < WAKE_UP_NS;
    facts.ready_ns > 0.0 && facts.ready_ns >= facts.all_ns * much && !facts.turns.is_some_and(is_short)
}

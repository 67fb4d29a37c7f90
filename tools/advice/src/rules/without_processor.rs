//! Threads that are ready without a processor: for how long, whether that is long enough to report it, and beside whom.

use terminal::quantity::{percent, time};

use crate::facts::Facts;

/// Minimum fraction of the threads' time that is a finding by itself.
pub(super) const MIN_SHARE: f64 = 0.05;
/// The same fraction if it isn't known whether threads wait for a processor for long, or often.
const MIN_SHARE_OF_UNKNOWN_TURNS: f64 = 0.1;
/// Shorter turns without a processor are those of threads that are waking up.
const WAKE_UP_NS: f64 = 50e3;

/// Setting that lets threads sleep while they wait.
pub(super) const PASSIVE: &str = "OMP_WAIT_POLICY=passive";

/// True if threads lacked a processor for much of their time, and for more than a moment each time.
pub(super) fn is_much(facts: &Facts) -> bool {
    let much = if facts.turns.is_some() { MIN_SHARE } else { MIN_SHARE_OF_UNKNOWN_TURNS };
    let is_short = |turns: f64| facts.ready_ns / turns.max(1.0) < WAKE_UP_NS;
    facts.ready_ns > 0.0 && facts.ready_ns >= facts.all_ns * much && !facts.turns.is_some_and(is_short)
}

/// The time without a processor, for the evidence.
pub(super) fn ready(facts: &Facts) -> String {
    let share = percent(facts.ready_ns, facts.all_ns);
    format!("ready without a processor for {}, {share} % of their time", time(facts.ready_ns))
}

/// True if the program's threads outside of OpenMP have used processors for much of the time for which others lacked them.
pub(super) fn is_own_load(facts: &Facts) -> bool {
    facts.outside_ns * 2.0 >= facts.ready_ns
}

/// Other users of the processors: threads had to wait although there are enough processors for the team.
pub(super) fn others(facts: &Facts) -> &'static str {
    if is_own_load(facts) { "the program's threads outside of OpenMP" } else { "other programs" }
}

//! States of threads over time, by their samples.

use page::{Change, State};

use crate::profile::Point;
use crate::state::State as Sampled;

/// Names of the states by their numbers, and whether they are waits.
const STATES: [(&str, bool); 8] = [
    ("outside of regions", false),
    ("serial", false),
    ("work in a region", false),
    ("task", false),
    ("barrier", true),
    ("taskwait", true),
    ("wait for a mutex", true),
    ("has a mutex", false),
];

/// The states with the time in each of them.
pub fn states(sums: [u64; 8]) -> Vec<State> {
    STATES.into_iter().zip(sums).map(|((name, waits), ns)| State { name, ns, waits }).collect()
}

/// The changes of a thread's state, from its samples in their order.
pub fn of_samples<'p>(samples: impl Iterator<Item = &'p Point>) -> Vec<Change> {
    let mut lane: Vec<Change> = Vec::new();
    for point in samples {
        let begin_ns = point.at_ns.saturating_sub(point.wall_ns);
        // A sample that follows immediately replaces the end.
        lane.pop_if(|(end_ns, _)| *end_ns >= begin_ns);
        let begin_ns = lane.last().map_or(begin_ns, |(last_ns, _)| begin_ns.max(*last_ns));
        lane.extend([(begin_ns, state(point.state)), (point.at_ns.max(begin_ns), 0)]);
    }
    lane
}

fn state(sampled: Sampled) -> u8 {
    match sampled {
        Sampled::IDLE => 0,
        Sampled::NONE | Sampled::SERIAL => 1,
        Sampled::IMPLICIT_BARRIER | Sampled::EXPLICIT_BARRIER => 4,
        Sampled::TASK_SUSPEND => 5,
        Sampled::LOCK | Sampled::CRITICAL | Sampled::ORDERED | Sampled::ATOMIC => 6,
        _ => 2,
    }
}

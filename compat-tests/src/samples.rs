//! Rules for the answers to a signal handler's queries, at any point of interruption.

use std::collections::{BTreeMap, BTreeSet};

use crate::numbers::{ec, event, state};
use crate::trace::{Record, Trace};

/// Reports each impossible sample, as a sentence.
///
/// A sample is CURRENT_PRID, STATE and CURRENT_PRID again. The master moves a worker from its last barrier into the pool, which can happen
/// between two of these queries. So the state is checked only in samples that saw one region throughout.
pub fn violations(trace: &Trace) -> Vec<String> {
    let mut members: BTreeMap<u64, BTreeSet<i32>> = BTreeMap::new();
    let mut workers = BTreeSet::new();
    for record in trace.events() {
        members.entry(record.prid).or_default().insert(record.tid);
        if record.event == event::BEGIN_IDLE {
            workers.insert(record.tid);
        }
    }
    // Without events the members of regions are unknown.
    let blind = members.is_empty();
    let wrong = |s: &Record| {
        let is_worker = blind || workers.contains(&s.tid);
        let fits = match s.state {
            state::WORK | state::IBAR | state::EBAR | state::ODWT => s.prid != 0,
            state::SERIAL => s.prid == 0,
            state::IDLE => s.prid == 0 && is_worker,
            state::OVHD | state::LKWT | state::CTWT | state::ATWT => true,
            state::TASK_CREATE | state::TASK_SUSPEND | state::TASK_FINISH => true,
            _ => false,
        };
        // A state with a wait id may be queried with enough space for the state alone.
        let answered = s.state_ec == ec::OK || (s.state_ec == ec::MEM_TOO_SMALL && state::waits(s.state));
        let known = blind || s.prid == 0 || members.get(&s.prid).is_some_and(|tids| tids.contains(&s.tid));
        !(answered && s.prid_ec == ec::OK && s.parent_ec == ec::OK && known && (fits || s.prid != s.parent))
    };
    trace.samples().filter(|s| wrong(s)).map(|s| format!("impossible sample: {s:?}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(sampled: (i32, u64), state_ec: i32) -> Trace {
        let event = |event, prid| Record { event, prid, tid: 1, ..Record::default() };
        let sample =
            Record { tid: 1, state: sampled.0, prid: sampled.1, parent: sampled.1, state_ec, ..Record::default() };
        Trace { records: vec![event(event::BEGIN_IDLE, 0), event(event::END_IDLE, 3), sample], ..Trace::default() }
    }

    #[test]
    fn pairs_that_can_not_be_are_found() {
        for good in [(state::WORK, 3), (state::SERIAL, 0), (state::IDLE, 0), (state::OVHD, 0), (state::OVHD, 3)] {
            assert_eq!(violations(&trace(good, 0)), Vec::<String>::new());
        }
        for bad in [(state::WORK, 0), (state::SERIAL, 3), (state::IDLE, 3), (0, 0), (7, 3), (state::WORK, 4)] {
            assert_eq!(violations(&trace(bad, 0)).len(), 1, "{bad:?}");
        }
        assert_eq!(violations(&trace((state::WORK, 3), ec::MEM_TOO_SMALL)).len(), 1);
        assert_eq!(violations(&trace((state::EBAR, 3), ec::MEM_TOO_SMALL)).len(), 0);
    }

    #[test]
    fn a_region_that_changes_meanwhile_proves_nothing() {
        let mut trace = trace((state::IDLE, 3), 0);
        trace.records[2].parent = 0;
        assert_eq!(violations(&trace), Vec::<String>::new());
    }
}

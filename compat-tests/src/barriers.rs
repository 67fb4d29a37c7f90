//! Wait ids of barriers: shared by the threads that wait in one barrier, and different from the next barrier's.

use std::collections::BTreeMap;

use crate::numbers::event;
use crate::trace::Trace;

/// Reports each violation of the rules for wait ids of a team's barriers, as a sentence.
///
/// Only for programs in which each thread of a team reaches the same barriers, which excludes cancellation.
pub fn violations(trace: &Trace) -> Vec<String> {
    let mut teams: BTreeMap<u64, BTreeMap<i32, Vec<u64>>> = BTreeMap::new();
    for record in trace.events().filter(|r| matches!(r.event, event::BEGIN_IBAR | event::BEGIN_EBAR)) {
        teams.entry(record.prid).or_default().entry(record.tid).or_default().push(record.wait);
    }
    let mut found = Vec::new();
    for (region, members) in teams {
        let Some((first, waits)) = members.first_key_value() else { continue };
        for (tid, other) in &members {
            if other != waits {
                found.push(format!("region {region}: wait ids of {first} are {waits:x?}, of {tid} {other:x?}"));
            }
        }
        if let Some(pair) = waits.windows(2).find(|pair| pair.first() == pair.last()) {
            found.push(format!("region {region}: barriers in a row have one wait id: {pair:x?}"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Record;

    fn trace(barriers: &[(i32, u64)]) -> Trace {
        let record = |(tid, wait): &(i32, u64)| Record {
            tid: *tid,
            wait: *wait,
            event: event::BEGIN_EBAR,
            prid: 1,
            ..Record::default()
        };
        Trace { records: barriers.iter().map(record).collect(), ..Trace::default() }
    }

    #[test]
    fn threads_that_meet_share_the_id_and_the_next_barrier_has_another() {
        assert!(violations(&trace(&[(1, 10), (2, 10), (2, 11), (1, 11), (1, 10), (2, 10)])).is_empty());
        assert_eq!(violations(&trace(&[(1, 10), (2, 12)])).len(), 1);
        assert_eq!(violations(&trace(&[(1, 10), (2, 10), (1, 10), (2, 10)])).len(), 1);
        assert_eq!(violations(&trace(&[(1, 10), (2, 10), (1, 11)])).len(), 1);
    }
}

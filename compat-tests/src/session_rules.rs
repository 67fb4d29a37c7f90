//! Rules for traces of sessions that start, stop and pause: an END event is reported only after its BEGIN event.

use std::collections::BTreeMap;

use crate::numbers::{ec, event, state};
use crate::trace::{Record, Trace};

/// Reports each END event without its BEGIN event, and each state that doesn't fit its event, as a sentence.
pub fn violations(trace: &Trace) -> Vec<String> {
    let mut found = Vec::new();
    let mut threads: BTreeMap<i32, Vec<Record>> = BTreeMap::new();
    for record in trace.events() {
        let open = threads.entry(record.tid).or_default();
        // A query in a callback may be answered after another thread's STOP; then no answer can be checked.
        let answered = record.state_ec == ec::OK && record.prid_ec == ec::OK;
        if answered && !fits(record) {
            found.push(format!("{} in state {}: {record:?}", event::name(record.event), record.state));
        }
        if event::begins(record.event) {
            open.push(*record);
        }
        let Some(begins) = event::closes(record.event) else { continue };
        // Inner BEGIN events that have lost their END events are dropped with it.
        match open.iter().rposition(|begin| begin.event == begins) {
            Some(at) => open.truncate(at),
            None => found.push(format!("{} without its begin: {record:?}", event::name(record.event))),
        }
    }
    found
}

fn fits(record: &Record) -> bool {
    match (record.event + 1) / 2 {
        1 => record.state == state::OVHD,
        2 => record.state == if record.event == event::BEGIN_IDLE { state::IDLE } else { state::OVHD },
        3 => record.state == state::IBAR,
        4 => record.state == state::EBAR,
        5 => record.state == state::LKWT,
        6 => record.state == state::CTWT,
        7 => record.state == state::ODWT,
        9 | 10 => matches!(record.state, state::WORK | state::SERIAL),
        11 => record.state == state::ATWT,
        _ => match record.event {
            event::BEGIN_CREATE | event::END_CREATE_IMM | event::END_CREATE_DEL => record.state == state::TASK_CREATE,
            event::BEGIN_SUSPEND | event::END_SUSPEND => record.state == state::TASK_SUSPEND,
            event::FETCHED => record.state == state::OVHD,
            event::BEGIN_EXEC => matches!(record.state, state::WORK | state::SERIAL),
            event::BEGIN_FINISH | event::END_FINISH => record.state == state::TASK_FINISH,
            _ => false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(events: &[(i32, i32)]) -> Trace {
        let record = |(event, state): &(i32, i32)| Record { event: *event, state: *state, ..Record::default() };
        Trace { records: events.iter().map(record).collect(), ..Trace::default() }
    }

    #[test]
    fn an_end_needs_its_begin() {
        let (begin, end) = ((event::BEGIN_IBAR, state::IBAR), (event::END_IBAR, state::IBAR));
        assert_eq!(violations(&trace(&[begin, end])).len(), 0);
        assert_eq!(violations(&trace(&[begin, begin, end])).len(), 0);
        assert_eq!(violations(&trace(&[end])).len(), 1);
        assert_eq!(violations(&trace(&[begin, end, end])).len(), 1);
        assert_eq!(violations(&trace(&[(event::BEGIN_IBAR, state::WORK)])).len(), 1);
    }

    #[test]
    fn a_task_is_fetched_in_the_runtime() {
        assert_eq!(violations(&trace(&[(event::FETCHED, state::OVHD)])).len(), 0);
        assert_eq!(violations(&trace(&[(event::FETCHED, state::WORK)])).len(), 1);
        assert_eq!(violations(&trace(&[(event::FETCHED, state::TASK_SUSPEND)])).len(), 1);
    }

    #[test]
    fn what_was_begun_inside_is_gone_with_the_end_around_it() {
        let fork = (event::FORK, state::OVHD);
        let join = (event::JOIN, state::OVHD);
        let barrier = (event::BEGIN_EBAR, state::EBAR);
        let end = (event::BEGIN_EBAR + 1, state::EBAR);
        assert_eq!(violations(&trace(&[fork, barrier, join])).len(), 0);
        assert_eq!(violations(&trace(&[fork, barrier, join, end])).len(), 1);
    }
}

//! Files for Paraver, read according to the grammar that its authors publish.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use trace_analysis::paraver;

use crate::events::two_threads;

/// Content of the three files.
#[derive(Debug, Default)]
struct Seen {
    /// State intervals by thread.
    states: BTreeMap<u64, Vec<[u64; 3]>>,
    /// Time, type and value by thread.
    events: BTreeMap<u64, Vec<[u64; 3]>>,
    /// Thread and time of both ends, and tag.
    flows: Vec<[u64; 5]>,
    length_ns: u64,
    pcf: String,
    row: String,
}

/// The numbers of a record after its kind.
fn numbers(rest: &str) -> Vec<u64> {
    rest.split(':').map(|number| number.parse().unwrap()).collect()
}

/// Writes and reads two threads, and checks the rules: records are sorted by time, places exist.
fn seen() -> Seen {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("two.prv");
    paraver::write(&path, &[two_threads()]).unwrap();
    let read = |extension| fs::read_to_string(path.with_extension(extension)).unwrap();
    let mut seen = Seen { pcf: read("pcf"), row: read("row"), ..Seen::default() };
    let text = read("prv");
    let (header, records) = text.split_once('\n').unwrap();
    let rest = header.strip_prefix("#Paraver (01/01/1970 at 00:00):").unwrap();
    let (length, objects) = rest.split_once("_ns:").unwrap();
    seen.length_ns = length.parse().unwrap();
    // One node with two processors; one application with one task with two threads on the node.
    assert_eq!(objects, "1(2):1:1(2:1)");
    let mut last = 0;
    for record in records.lines() {
        let (kind, rest) = record.split_once(':').unwrap();
        let fields = numbers(rest);
        let [cpu, application, task, thread, at, ..] = fields[..] else { panic!("{record}") };
        assert!((application, task, cpu) == (1, 1, thread) && (1..=2).contains(&thread), "{record}");
        assert!(at >= last && at <= seen.length_ns, "{record}");
        last = at;
        match (kind, &fields[5..]) {
            ("1", [end, state]) => seen.states.entry(thread).or_default().push([at, *end, *state]),
            ("2", [kind, value]) => seen.events.entry(thread).or_default().push([at, *kind, *value]),
            ("3", [_, 1..=2, 1, 1, to @ 1..=2, got, _, 0, tag]) => seen.flows.push([thread, at, *to, *got, *tag]),
            _ => panic!("{record}"),
        }
    }
    seen
}

#[test]
fn states_follow_each_other_and_have_names() {
    let seen = seen();
    assert_eq!(seen.states.len(), 2);
    for states in seen.states.values() {
        for pair in states.windows(2) {
            assert_eq!(pair[0][1], pair[1][0], "{states:?}");
        }
        assert!(states.iter().all(|[begin, end, _]| begin <= end && *end <= seen.length_ns));
    }
    // The thread that comes late does not wait for others; it waits for the critical section.
    let worker: BTreeSet<_> = seen.states[&2].iter().copied().collect();
    assert!(worker.contains(&[52_000, 70_100, 5]), "{worker:?}");
    for states in seen.states.values().flatten() {
        assert!(seen.pcf.lines().any(|line| line.starts_with(&format!("{}    ", states[2]))), "{states:?}");
    }
}

#[test]
fn each_event_ends_and_is_of_a_type_with_a_name() {
    let seen = seen();
    let mut values = BTreeMap::new();
    for (thread, events) in &seen.events {
        for [_, kind, value] in events {
            assert!(seen.pcf.contains(&format!("\n0    {kind}    ")), "{kind}");
            values.insert((thread, kind), *value);
        }
    }
    // Lasting values are 0 at the end: apart from places of mutexes and tasks' numbers, these are all.
    assert!(values.values().all(|value| *value == 0), "{values:?}");
    let begun = |thread, kind, value| seen.events[&thread].iter().filter(|event| event[1..] == [kind, value]).count();
    assert_eq!([begun(1, 60_000_001, 3), begun(1, 60_000_005, 1), begun(2, 60_000_005, 1)], [1, 2, 2]);
    // One thread waited for the critical section, both had it.
    assert_eq!([begun(1, 60_000_006, 3), begun(2, 60_000_006, 3)], [0, 1]);
    assert_eq!([begun(1, 60_000_006, 6), begun(2, 60_000_006, 6)], [1, 1]);
    assert!(
        seen.row.contains("LEVEL CPU SIZE 2\n") && seen.row.contains("LEVEL THREAD SIZE 2\nTHREAD 1.1.1 (0 initial)\n")
    );
}

#[test]
fn flows_are_communications() {
    // The critical section's holder, and the task's creator, both to the second thread.
    assert_eq!(seen().flows, [[1, 51_100, 2, 70_100, 3], [1, 71_000, 2, 82_000, 1]]);
}

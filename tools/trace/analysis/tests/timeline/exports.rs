//! Files for other programs. Field numbers are those that Perfetto publishes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use trace_analysis::{Timeline, firefox, perfetto, text};

use crate::events::two_threads;
use crate::protobuf::{messages, numbers, text as text_of};

fn perfetto_of(timeline: Timeline) -> Vec<u8> {
    let mut bytes = Vec::new();
    perfetto::write(&mut bytes, &[timeline], None).unwrap();
    bytes
}

/// Content of a file for Perfetto.
#[derive(Debug, Default)]
struct Seen {
    /// Names of slices by track, ordered by their start, with start and end.
    slices: BTreeMap<u64, Vec<(String, u64, u64)>>,
    sources: BTreeMap<u64, u64>,
    sinks: BTreeMap<u64, u64>,
    counters: BTreeMap<u64, Vec<(u64, u64)>>,
    tracks: BTreeMap<u64, String>,
}

/// Reads a file, and checks the rules: names are defined first, tracks are described, slices nest, times don't decrease on
/// a track.
fn seen(bytes: &[u8]) -> Seen {
    let mut seen = Seen::default();
    let mut names = BTreeMap::new();
    let mut open: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    let mut last = BTreeMap::new();
    for packet in messages(bytes, 1) {
        assert_eq!(numbers(packet, 10), [1], "the sequence");
        for defined in messages(packet, 12).iter().flat_map(|interned| messages(interned, 2)) {
            names.insert(numbers(defined, 1)[0], text_of(defined, 2));
        }
        for track in messages(packet, 60) {
            let thread = messages(track, 4);
            let name = thread.first().map_or_else(String::new, |thread| text_of(thread, 5));
            seen.tracks.insert(numbers(track, 1)[0], name);
        }
        for event in messages(packet, 11) {
            let (at_ns, track) = (numbers(packet, 8)[0], numbers(event, 11)[0]);
            assert!(seen.tracks.contains_key(&track));
            for (field, flows) in [(47, &mut seen.sources), (48, &mut seen.sinks)] {
                for flow in numbers(event, field) {
                    assert_eq!(flows.insert(flow, at_ns), None, "a flow has one source and one sink");
                }
            }
            let slices = seen.slices.entry(track).or_default();
            let open = open.entry(track).or_default();
            match numbers(event, 9)[0] {
                1 => {
                    open.push(slices.len());
                    slices.push((names[&numbers(event, 10)[0]].clone(), at_ns, 0));
                }
                2 => slices[open.pop().unwrap()].2 = at_ns,
                3 => assert!(names.contains_key(&numbers(event, 10)[0])),
                4 => seen.counters.entry(track).or_default().push((at_ns, numbers(event, 30)[0])),
                other => panic!("type {other}"),
            }
            if numbers(event, 9)[0] < 3 {
                let before = last.insert(track, at_ns).unwrap_or(0);
                assert!(before <= at_ns);
            }
        }
    }
    assert!(open.values().all(Vec::is_empty), "each slice ends");
    seen
}

#[test]
fn a_file_for_perfetto_keeps_its_rules() {
    let seen = seen(&perfetto_of(two_threads()));
    let threads: BTreeSet<_> = seen.tracks.values().filter(|name| !name.is_empty()).cloned().collect();
    assert_eq!(threads, ["0 initial", "1 worker"].map(String::from).into());
    let worker = seen.tracks.iter().find(|(_, name)| *name == "1 worker").map(|(track, _)| *track).unwrap();
    let expected = [
        ("implicit task", 2_500, 99_100),
        ("explicit barrier", 49_000, 50_000),
        ("wait for critical", 52_000, 70_100),
        ("critical", 70_100, 80_000),
        ("implicit barrier", 81_000, 99_000),
        ("task", 82_000, 92_000),
    ];
    assert_eq!(seen.slices[&worker], expected.map(|(name, begin, end)| (name.to_owned(), begin, end)));
    // From the task's creation to its execution, and from the holder of the critical section.
    assert_eq!(seen.sources.values().collect::<Vec<_>>(), [&71_000, &51_100]);
    assert_eq!(seen.sinks.values().collect::<Vec<_>>(), [&82_000, &70_100]);
    assert_eq!(seen.sources.keys().collect::<Vec<_>>(), seen.sinks.keys().collect::<Vec<_>>());
}

#[test]
fn counters_have_the_threads_that_work_and_the_tasks_that_wait() {
    let seen = seen(&perfetto_of(two_threads()));
    let [working, waiting] = [0, 1].map(|number| seen.counters.values().nth(number).unwrap());
    assert_eq!(waiting, &[(71_000, 1), (82_000, 0)]);
    assert_eq!(working[..4], [(2_000, 1), (2_500, 2), (3_000, 1), (49_000, 0)]);
    assert_eq!(working.last(), Some(&(99_500, 0)));
}

#[test]
fn a_file_for_firefox_has_the_same_slices_as_markers() {
    let mut bytes = Vec::new();
    firefox::write(&mut bytes, &[two_threads()], None).unwrap();
    let document: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(document["meta"]["importedFrom"], "ora trace");
    let markers = &document["threads"][1]["markers"];
    let names = markers["name"].as_array().unwrap().iter();
    let text =
        |index: &Value| usize::try_from(index.as_u64().unwrap()).map(|at| &document["shared"]["stringArray"][at]);
    let names: Vec<_> = names.map(|name| text(name).unwrap()).collect();
    let expected = ["implicit task", "explicit barrier", "wait for critical", "critical", "implicit barrier", "task"];
    assert_eq!(names, expected);
    assert_eq!((&markers["startTime"][2], &markers["endTime"][2]), (&0.052.into(), &0.0701.into()));
    // A wait has the category of waits.
    assert_eq!(markers["category"], serde_json::json!([1, 2, 2, 1, 2, 1]));
}

#[test]
fn the_text_names_both_sides_of_a_wait() {
    let said = text::page(&two_threads(), 5).render(terminal::page::Paper::default());
    for part in ["47.000 us", "waits by place", "1 worker, the last to arrive", "0 initial, in critical for 18.900 us"]
    {
        assert!(said.contains(part), "{part}:\n{said}");
    }
}

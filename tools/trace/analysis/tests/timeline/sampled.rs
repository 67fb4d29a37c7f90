//! Samples in addition to the events of the same process, and in place of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use profile_analysis::input::Process;
use profile_analysis::out::Stacks;
use profile_analysis::profile::{Profile, build};
use profile_analysis::user_model::View;
use profile_format::simulated::Simulated;
use profile_format::{Moment, Reader, Record, Sample};
use serde_json::Value;
use symbols::{Name, Names};
use trace_analysis::{Samples, Timeline, firefox, perfetto};

use crate::events::two_threads;
use crate::protobuf::{messages, numbers, text as text_of};

/// Folder of the process in both.
const FOLDER: &str = "/no/such/folder";

/// Functions by their addresses, with lines of a file.
struct Named(PathBuf);

impl Names for Named {
    fn at(&mut self, address: u64, _: bool, _: u64) -> Vec<Name> {
        let (function, line) = match address {
            1100 => ("main", 2),
            1200 => ("smooth", 4),
            _ => return Vec::new(),
        };
        let file = Some(self.0.display().to_string());
        let (function, object) = (function.to_owned(), "prog".to_owned());
        vec![Name { function, file, line, object, place: None, construct: None, ends: None }]
    }
}

/// Two sampled threads, the second of which is without events: the first works in `smooth` for 60 us, and waits for 30.
pub(crate) fn profile(source: &Path) -> Profile {
    let mut file = Simulated::new();
    for (thread, tid) in [(0, 100), (1, 999)] {
        file.add(Record::Thread { thread, tid, begun_ns: 1000, routine: 0 });
    }
    let work = file.stack(&[1200, 1100]);
    for (thread, at_ns, wall_ns, state) in [(0, 61_000, 60_000, 2), (0, 91_000, 30_000, 3), (1, 51_000, 50_000, 2)] {
        let (stack, moment, region) = (work, Moment::Tick, 0);
        file.add(Record::Sample(Sample { thread, moment, state, stack, at_ns, wall_ns, cpu_ns: 0, wait: 0, region }));
    }
    file.add(Record::End { ended_ns: 100_000 });
    let mut process = Process::read(Reader::new(&file.bytes).unwrap());
    process.folder = FOLDER.into();
    let mut names = |_: &Process| -> Box<dyn Names> { Box::new(Named(source.to_owned())) };
    build([Ok::<_, std::io::Error>(process)], View::User, &mut names).unwrap()
}

/// The timeline as that of the sampled process.
fn with_samples(mut timeline: Timeline) -> Timeline {
    (timeline.folder, timeline.facts.pid) = (FOLDER.into(), Some(4711));
    timeline
}

/// Output of a writer for a process, with its samples.
pub(crate) fn written(
    timeline: Option<Timeline>,
    profile: &Profile,
    write: impl Fn(&mut Vec<u8>, &[Timeline], Option<&Samples<'_>>),
) -> Vec<u8> {
    let stacks = Stacks::of(profile);
    let samples = Samples::of(profile, &stacks);
    let mut timelines: Vec<Timeline> = timeline.into_iter().map(with_samples).collect();
    samples.complete(&mut timelines);
    assert_eq!(timelines.len(), 1, "events and samples are one process's");
    let mut bytes = Vec::new();
    write(&mut bytes, &timelines, Some(&samples));
    bytes
}

#[test]
fn a_file_for_firefox_has_samples_and_markers_of_one_thread_together() {
    let profile = profile(Path::new("/src/heat.c"));
    let write = |bytes: &mut Vec<u8>, timelines: &[Timeline], samples: Option<&Samples<'_>>| {
        firefox::write(bytes, timelines, samples).unwrap();
    };
    let document: Value = serde_json::from_slice(&written(Some(two_threads()), &profile, write)).unwrap();
    let threads = document["threads"].as_array().unwrap();
    let shown: Vec<_> =
        threads.iter().map(|it| (&it["tid"], &it["markers"]["length"], &it["samples"]["length"])).collect();
    // After the last sample a row ends the stack. The worker had no sample, the last thread no event.
    let [initial, worker, other] = &shown[..] else { panic!("{shown:?}") };
    assert_eq!((initial.0, initial.2, worker.2), (&"100".into(), &3.into(), &0.into()));
    assert!(initial.1.as_u64() > Some(3) && worker.1.as_u64() > Some(3), "{shown:?}");
    assert_eq!(*other, (&"999".into(), &0.into(), &2.into()));
    // Events and samples have the same clock: the first sample covers the time from 1 us on.
    assert_eq!(
        (&threads[0]["samples"]["time"][0], &threads[0]["markers"]["startTime"][0]),
        (&0.001.into(), &0.001.into())
    );
}

/// Field numbers are those that Perfetto publishes.
#[test]
fn a_file_for_perfetto_has_samples_with_their_stacks() {
    let profile = profile(Path::new("/src/heat.c"));
    let write = |bytes: &mut Vec<u8>, timelines: &[Timeline], samples: Option<&Samples<'_>>| {
        perfetto::write(bytes, timelines, samples).unwrap();
    };
    for timeline in [Some(two_threads()), None] {
        let bytes = written(timeline, &profile, write);
        let (mut functions, mut frames, mut stacks) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let (mut samples, mut mappings) = (Vec::new(), BTreeSet::new());
        for packet in messages(&bytes, 1) {
            for interned in messages(packet, 12) {
                functions.extend(messages(interned, 5).iter().map(|it| (numbers(it, 1)[0], text_of(it, 2))));
                mappings.extend(messages(interned, 19).iter().map(|it| numbers(it, 1)[0]));
                for frame in messages(interned, 6) {
                    let name = functions[&numbers(frame, 2)[0]].clone();
                    frames.insert(numbers(frame, 1)[0], (name, numbers(frame, 6)));
                    assert!(mappings.contains(&numbers(frame, 3)[0]));
                }
                for stack in messages(interned, 7) {
                    let names = numbers(stack, 2).into_iter().map(|frame| frames[&frame].clone());
                    stacks.insert(numbers(stack, 1)[0], names.collect::<Vec<_>>());
                }
            }
            for sample in messages(packet, 66) {
                assert_eq!(numbers(sample, 2), [4711]);
                let stack = &stacks[&numbers(sample, 4)[0]];
                let names = stack.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(";");
                samples.push((numbers(packet, 8)[0], numbers(sample, 3)[0], names));
            }
        }
        let sample = |at_ns, tid, names: &str| (at_ns, tid, names.to_owned());
        let expected = [
            sample(61_000, 100, "main;smooth"),
            sample(91_000, 100, "main;smooth;<OMP-implicit_barrier>"),
            sample(51_000, 999, "main;smooth"),
        ];
        assert_eq!(samples, expected);
        assert_eq!(frames.values().find(|(name, _)| name == "smooth").unwrap().1, [4], "the line");
    }
}

//! A file for the Firefox Profiler (profiler.firefox.com), which shows slices as markers.

use std::io::{self, Write};
use std::rc::Rc;

use profile_analysis::out::Weighted;
use profile_analysis::out::firefox::{self, Marker, ProcessTrack, Recording};
use rustc_hash::FxHashMap;

use crate::drawn::is_drawn;
use crate::{Samples, Site, Slice, Thread, Timeline};

/// Writes the processes of a trace, with their samples.
///
/// # Errors
/// If they can't be written.
pub fn write(mut to: &mut dyn Write, timelines: &[Timeline], samples: Option<&Samples<'_>>) -> io::Result<()> {
    let first = timelines.first();
    let began_ns = timelines.iter().map(|timeline| timeline.begin_ns).min().unwrap_or(0);
    let late_ns = first.map_or(0, |timeline| timeline.begin_ns.saturating_sub(began_ns));
    let began_real_ns = first.map_or(0, |timeline| timeline.header.begin_real_ns.saturating_sub(late_ns));
    let name = first.map(|timeline| timeline.facts.name()).unwrap_or_default();
    let recording = Recording {
        program: name.clone(),
        command: first.map(|timeline| timeline.facts.command.join(" ")).unwrap_or_default(),
        began_real_ms: began_real_ns / 1_000_000,
        began_ns,
        rate: first.and_then(|timeline| timeline.facts.rate).unwrap_or(0).into(),
        recorder: "ora trace",
        processes: timelines.iter().map(|timeline| process(timeline, samples)).collect(),
    };
    let stacks = (0..).zip(timelines).flat_map(|(number, timeline)| stacks(number, timeline, samples));
    firefox::write(&mut to, &recording, stacks)
}

/// Index in the file of a sampled thread: that of the thread with its events, otherwise one after those.
fn indices(timeline: &Timeline, samples: &Samples<'_>) -> Vec<usize> {
    let mut next = timeline.threads.len();
    let mut index = |place: Option<usize>| {
        place.unwrap_or_else(|| {
            next += 1;
            next - 1
        })
    };
    samples.places(timeline).into_iter().map(&mut index).collect()
}

/// The samples of a process, with its index and those of threads as in the file.
fn stacks<'s>(process: usize, timeline: &Timeline, samples: Option<&Samples<'s>>) -> Vec<Weighted<'s>> {
    let Some(samples) = samples else { return Vec::new() };
    let indices = indices(timeline, samples);
    let stacks = samples.of_process(timeline).iter();
    stacks.filter_map(|stack| Some(Weighted { process, thread: *indices.get(stack.thread)?, ..*stack })).collect()
}

/// The threads of a process that have samples and no events.
fn without_events(timeline: &Timeline, samples: &Samples<'_>) -> Vec<firefox::ThreadTrack> {
    let threads = samples.threads_of(timeline).iter().zip(samples.places(timeline));
    let apart = threads.filter(|(_, place)| place.is_none()).map(|(thread, _)| firefox::ThreadTrack {
        name: format!("thread {}", thread.number),
        tid: thread.tid,
        begun_ns: Samples::monotonic_ns(timeline, thread.begun_ns),
        ended_ns: thread.ended_ns.map(|at_ns| Samples::monotonic_ns(timeline, at_ns)),
        markers: Vec::new(),
    });
    apart.collect()
}

fn process(timeline: &Timeline, samples: Option<&Samples<'_>>) -> ProcessTrack {
    let mut texts = Texts::default();
    let threads = timeline.threads.iter().enumerate().map(|(index, thread)| firefox::ThreadTrack {
        name: timeline.thread_name(index),
        tid: thread.tid,
        begun_ns: thread.begin_ns,
        ended_ns: Some(thread.end_ns),
        markers: markers(timeline, thread, &mut texts),
    });
    let apart = samples.map(|samples| without_events(timeline, samples)).unwrap_or_default();
    let threads = threads.chain(apart).collect();
    ProcessTrack { name: timeline.name(), pid: timeline.facts.pid.unwrap_or(0), threads }
}

fn markers(timeline: &Timeline, thread: &Thread, texts: &mut Texts) -> Vec<Marker> {
    let drawn = thread.slices.iter().filter(|slice| is_drawn(timeline, slice));
    let marker = |slice: &Slice| Marker {
        name: texts.shared(slice.name()),
        place: texts.shared(&timeline.site(slice).map(Site::whole).unwrap_or_default()),
        begin_ns: slice.begin_ns,
        end_ns: slice.end_ns,
        waits: slice.is_wait(),
    };
    drawn.map(marker).collect()
}

/// Texts that are shared by many markers.
#[derive(Default)]
struct Texts(FxHashMap<String, Rc<str>>);

impl Texts {
    fn shared(&mut self, text: &str) -> Rc<str> {
        if let Some(known) = self.0.get(text) {
            return Rc::clone(known);
        }
        let shared: Rc<str> = text.into();
        self.0.insert(text.to_owned(), Rc::clone(&shared));
        shared
    }
}

//! A file for the Firefox Profiler (profiler.firefox.com), which shows slices as markers.

use std::io::{self, Write};
use std::rc::Rc;

use report::out::firefox::{self, Marker, Process, Recording};
use rustc_hash::FxHashMap;

use crate::perfetto::is_drawn;
use crate::{Site, Slice, Thread, Timeline};

/// Writes the processes of a trace.
///
/// # Errors
/// If they can't be written.
pub fn write(mut to: &mut dyn Write, timelines: &[Timeline]) -> io::Result<()> {
    let first = timelines.first();
    let began_ns = timelines.iter().map(|timeline| timeline.begin_ns).min().unwrap_or(0);
    let late_ns = first.map_or(0, |timeline| timeline.begin_ns - began_ns);
    let began_real_ns = first.map_or(0, |timeline| timeline.header.begin_real_ns.saturating_sub(late_ns));
    let name = first.map(|timeline| timeline.facts.name()).unwrap_or_default();
    let recording = Recording {
        program: name.clone(),
        command: first.map(|timeline| timeline.facts.command.join(" ")).unwrap_or_default(),
        began_real_ms: began_real_ns / 1_000_000,
        began_ns,
        rate: 0,
        recorder: "ora trace",
        processes: timelines.iter().map(process).collect(),
    };
    firefox::write(&mut to, &recording, [])
}

fn process(timeline: &Timeline) -> Process {
    let mut texts = Texts::default();
    let threads = timeline.threads.iter().enumerate().map(|(index, thread)| firefox::Thread {
        name: timeline.thread_name(index),
        tid: thread.tid,
        begun_ns: thread.begin_ns,
        ended_ns: Some(thread.end_ns),
        markers: markers(timeline, thread, &mut texts),
    });
    Process { name: timeline.name(), pid: timeline.facts.pid.unwrap_or(0), threads: threads.collect() }
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

/// Texts that many markers have.
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

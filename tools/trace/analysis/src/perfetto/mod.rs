//! A file for Perfetto (ui.perfetto.dev): its protocol buffers, by the field numbers that it publishes
//! (`protos/perfetto/trace/perfetto_trace.proto`).
//!
//! Each thread has a track with nested slices; mutexes that are held beyond the enclosing slice have a track of their
//! own. Two counters have the number of threads that work and of tasks that wait. Samples have their call stacks.

mod counters;
mod definitions;
mod field;
mod interned;
mod message;
mod stacks;

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use crate::cause::Causes;
use crate::drawn::is_drawn;
use crate::flow::{self, Flow};
use crate::steps::{self, Step};
use crate::{Samples, Slice, Timeline};
use field::{counter, descriptor, event, event_type, packet, process, sample, thread};
use interned::Interned;
use message::Message;

/// Sequence number of all packets: any number but 0.
const SEQUENCE: u64 = 1;
/// `SEQ_NEEDS_INCREMENTAL_STATE`: names are numbers that earlier packets have defined.
const NEEDS_STATE: u64 = 2;
/// `SEQ_INCREMENTAL_STATE_CLEARED`: definitions start here.
const STATE_CLEARED: u64 = 1;

/// Writes the processes of a trace, with their samples.
///
/// # Errors
/// If they can't be written.
pub fn write(to: &mut dyn Write, timelines: &[Timeline], samples: Option<&Samples<'_>>) -> io::Result<()> {
    let mut writer = Writer { to, names: Interned::default(), is_first: true, next_flow: 0 };
    for (number, timeline) in (1..).zip(timelines) {
        writer.process(number, timeline)?;
        if let Some(samples) = samples {
            writer.samples(timeline, samples)?;
        }
    }
    Ok(())
}

struct Writer<'w> {
    to: &'w mut dyn Write,
    names: Interned,
    is_first: bool,
    /// Number of flows of earlier processes.
    next_flow: u64,
}

/// Numbers of tracks: unique in the file.
#[derive(Clone, Copy)]
struct Tracks(u64);

impl Tracks {
    fn process(self) -> u64 {
        self.0 << 32
    }

    fn thread(self, index: usize) -> u64 {
        self.process() + 16 + 2 * index as u64
    }

    /// Track for slices that don't nest.
    fn separate(self, index: usize) -> u64 {
        self.thread(index) + 1
    }

    fn working(self) -> u64 {
        self.process() + 1
    }

    fn waiting(self) -> u64 {
        self.process() + 2
    }
}

/// Start or end of a flow at a slice.
#[derive(Clone, Copy)]
struct End {
    id: u64,
    is_source: bool,
}

impl Writer<'_> {
    fn process(&mut self, number: u64, timeline: &Timeline) -> io::Result<()> {
        let tracks = Tracks(number);
        let causes = Causes::of(timeline);
        let flows = flow::all(timeline, &causes);
        let first_flow = self.next_flow;
        self.next_flow += flows.len() as u64;
        let mut ends: FxHashMap<(u32, u32), Vec<End>> = FxHashMap::default();
        let mut creations: FxHashMap<u32, Vec<&Flow>> = FxHashMap::default();
        for flow in &flows {
            if flow.kind == flow::Kind::Creation {
                creations.entry(flow.from.0).or_default().push(flow);
            } else {
                ends.entry(flow.from).or_default().push(End { id: first_flow + flow.id, is_source: true });
            }
            ends.entry(flow.to).or_default().push(End { id: first_flow + flow.id, is_source: false });
        }
        self.describe_process(tracks, timeline)?;
        for index in 0..timeline.threads.len() {
            self.describe_thread(tracks, timeline, index)?;
            let number = u32::try_from(index).unwrap_or(u32::MAX);
            let creations = creations.remove(&number).unwrap_or_default();
            self.thread(tracks, timeline, number, &ends)?;
            for flow in creations {
                let name = self.names.name("create task");
                let mut it = self.event(tracks.thread(index), event_type::INSTANT);
                it.number(event::NAME, name);
                it.fixed(event::FLOW, first_flow + flow.id);
                self.put_event(flow.from_ns, it)?;
            }
        }
        for (track, values) in
            [(tracks.working(), counters::working(timeline)), (tracks.waiting(), counters::waiting(timeline))]
        {
            for (at_ns, value) in values {
                let mut it = self.event(track, event_type::COUNTER);
                it.number(event::COUNTER_VALUE, value);
                self.put_event(at_ns, it)?;
            }
        }
        Ok(())
    }

    /// The samples of a process: the interface draws a flame graph of those that are selected.
    fn samples(&mut self, timeline: &Timeline, samples: &Samples<'_>) -> io::Result<()> {
        let pid = u64::from(timeline.facts.pid.unwrap_or(0));
        let threads = samples.threads_of(timeline);
        for stack in samples.of_process(timeline) {
            let Some(callstack) = self.names.stack(stack.frames) else { continue };
            let mut it = Message::default();
            it.number(sample::PID, pid);
            it.number(sample::TID, threads.get(stack.thread).map_or(0, |thread| thread.tid.into()));
            it.number(sample::CALLSTACK, callstack);
            it.number(sample::MODE, sample::USER);
            self.put_at(stack.at_ns, packet::SAMPLE, &it)?;
        }
        Ok(())
    }

    fn describe_process(&mut self, tracks: Tracks, timeline: &Timeline) -> io::Result<()> {
        let pid = u64::from(timeline.facts.pid.unwrap_or(0));
        let mut about = Message::default();
        about.number(process::PID, pid);
        timeline.facts.command.iter().for_each(|word| about.text(process::COMMAND, word));
        about.text(process::NAME, &timeline.name());
        let mut track = Message::default();
        track.number(descriptor::UUID, tracks.process());
        track.message(descriptor::PROCESS, &about);
        self.put_descriptor(&track)?;
        for (uuid, name) in [(tracks.working(), "threads that work"), (tracks.waiting(), "tasks that wait")] {
            let mut track = Message::default();
            track.number(descriptor::UUID, uuid);
            track.number(descriptor::PARENT, tracks.process());
            track.text(descriptor::NAME, name);
            let mut about = Message::default();
            about.number(counter::UNIT, counter::COUNT);
            track.message(descriptor::COUNTER, &about);
            self.put_descriptor(&track)?;
        }
        Ok(())
    }

    fn describe_thread(&mut self, tracks: Tracks, timeline: &Timeline, index: usize) -> io::Result<()> {
        let Some(it) = timeline.threads.get(index) else { return Ok(()) };
        let pid = u64::from(timeline.facts.pid.unwrap_or(0));
        let mut about = Message::default();
        about.number(thread::PID, pid);
        about.number(thread::TID, it.tid.into());
        about.text(thread::NAME, &timeline.thread_name(index));
        let mut track = Message::default();
        track.number(descriptor::UUID, tracks.thread(index));
        track.number(descriptor::PARENT, tracks.process());
        track.message(descriptor::THREAD, &about);
        self.put_descriptor(&track)?;
        if it.slices.iter().any(|slice| slice.is_apart) {
            let mut track = Message::default();
            track.number(descriptor::UUID, tracks.separate(index));
            track.number(descriptor::PARENT, tracks.thread(index));
            track.text(descriptor::NAME, "locks");
            self.put_descriptor(&track)?;
        }
        Ok(())
    }

    /// The slices of a thread: nested ones in their order, each end before the next start; the others on a track of
    /// their own.
    fn thread(
        &mut self,
        tracks: Tracks,
        timeline: &Timeline,
        thread: u32,
        ends: &FxHashMap<(u32, u32), Vec<End>>,
    ) -> io::Result<()> {
        let index = thread as usize;
        let Some(it) = timeline.threads.get(index) else { return Ok(()) };
        let (nested, apart) = (tracks.thread(index), tracks.separate(index));
        for (at_ns, step) in steps::of_thread(timeline, thread, Vec::new()) {
            let event = match step {
                Step::Begin(number) => {
                    let Some(slice) = timeline.slice(thread, number) else { continue };
                    self.slice_begin(timeline, nested, slice, ends.get(&(thread, number)))
                }
                Step::End(_) => self.event(nested, event_type::END),
                Step::Create(_) => continue,
            };
            self.put_event(at_ns, event)?;
        }
        for (number, slice) in (0..).zip(&it.slices).filter(|(_, slice)| slice.is_apart && is_drawn(timeline, slice)) {
            let begin = self.slice_begin(timeline, apart, slice, ends.get(&(thread, number)));
            self.put_event(slice.begin_ns, begin)?;
            let end = self.event(apart, event_type::END);
            self.put_event(slice.end_ns, end)?;
        }
        Ok(())
    }

    fn slice_begin(&mut self, timeline: &Timeline, track: u64, slice: &Slice, ends: Option<&Vec<End>>) -> Message {
        let name = self.names.name(&timeline.describe(slice));
        let category = self.names.category(slice.category());
        let mut it = self.event(track, event_type::BEGIN);
        it.number(event::NAME, name);
        it.number(event::CATEGORY, category);
        if let Some(site) = timeline.site(slice).filter(|site| !site.function.is_empty()) {
            it.number(event::PLACE, self.names.place(site));
        }
        for end in ends.into_iter().flatten() {
            it.fixed(if end.is_source { event::FLOW } else { event::FLOW_END }, end.id);
        }
        it
    }

    fn event(&self, track: u64, kind: u64) -> Message {
        let mut it = Message::default();
        it.number(event::TYPE, kind);
        it.number(event::TRACK, track);
        it
    }

    fn put_event(&mut self, at_ns: u64, it: Message) -> io::Result<()> {
        self.put_at(at_ns, packet::EVENT, &it)
    }

    /// Writes a message for a moment, with the names that it is the first to use.
    fn put_at(&mut self, at_ns: u64, field: u64, it: &Message) -> io::Result<()> {
        let mut out = Message::default();
        out.number(packet::TIME, at_ns);
        out.number(packet::SEQUENCE, SEQUENCE);
        out.message(field, it);
        let fresh = self.names.take();
        if !fresh.is_empty() {
            out.message(packet::INTERNED, &fresh);
        }
        out.number(packet::FLAGS, NEEDS_STATE);
        self.put(&out)
    }

    fn put_descriptor(&mut self, track: &Message) -> io::Result<()> {
        let mut out = Message::default();
        out.number(packet::SEQUENCE, SEQUENCE);
        out.message(packet::TRACK, track);
        if std::mem::take(&mut self.is_first) {
            out.number(packet::FLAGS, STATE_CLEARED);
        }
        self.put(&out)
    }

    fn put(&mut self, out: &Message) -> io::Result<()> {
        let mut whole = Message::default();
        whole.message(packet::IN_TRACE, out);
        self.to.write_all(whole.bytes())
    }
}

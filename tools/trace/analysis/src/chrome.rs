//! A file in Chrome's format of trace events, in JSON: for small traces, and for programs that support no other
//! format.

use std::io::{self, Write};

use serde::Serialize;

use crate::Timeline;
use crate::cause::Causes;
use crate::drawn::is_drawn;
use crate::flow::{self, Flow, Kind};

/// An event. Times are microseconds.
#[derive(Debug, Default, Serialize)]
struct Event<'a> {
    name: &'a str,
    cat: &'a str,
    ph: &'a str,
    ts: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<f64>,
    pid: u32,
    tid: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    /// `e`: the flow ends at the slice around this moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    bp: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Arguments<'a>>,
}

#[derive(Debug, Serialize)]
struct Arguments<'a> {
    name: &'a str,
}

/// Writes the processes of a trace.
///
/// # Errors
/// If they can't be written.
pub fn write(to: &mut dyn Write, timelines: &[Timeline]) -> io::Result<()> {
    let mut out = Events { to, is_first: true };
    out.to.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
    let mut next_flow = 0;
    for (number, timeline) in (1..).zip(timelines) {
        let pid = timeline.facts.pid.unwrap_or(number);
        out.names(timeline, pid)?;
        let flows = flow::all(timeline, &Causes::of(timeline));
        for (tid, thread) in timeline.threads.iter().enumerate() {
            for slice in thread.slices.iter().filter(|slice| !slice.is_apart && is_drawn(timeline, slice)) {
                let name = timeline.describe(slice);
                let (ts, dur) = (us(timeline, slice.begin_ns), Some(slice.length_ns() as f64 / 1e3));
                let cat = slice.category();
                out.put(&Event { name: &name, cat, ph: "X", ts, dur, pid, tid, ..Event::default() })?;
            }
        }
        for flow in &flows {
            out.flow(timeline, flow, pid, next_flow + flow.id)?;
        }
        next_flow += flows.len() as u64;
    }
    out.to.write_all(b"\n]}\n")
}

/// Microseconds since the start of the trace.
fn us(timeline: &Timeline, at_ns: u64) -> f64 {
    at_ns.saturating_sub(timeline.begin_ns) as f64 / 1e3
}

struct Events<'w> {
    to: &'w mut dyn Write,
    is_first: bool,
}

impl Events<'_> {
    fn put(&mut self, event: &Event<'_>) -> io::Result<()> {
        self.to.write_all(if std::mem::take(&mut self.is_first) { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut self.to, event).map_err(io::Error::from)
    }

    fn names(&mut self, timeline: &Timeline, pid: u32) -> io::Result<()> {
        let process = timeline.name();
        let args = Some(Arguments { name: &process });
        self.put(&Event { name: "process_name", ph: "M", pid, args, ..Event::default() })?;
        for tid in 0..timeline.threads.len() {
            let thread = timeline.thread_name(tid);
            let args = Some(Arguments { name: &thread });
            self.put(&Event { name: "thread_name", ph: "M", pid, tid, args, ..Event::default() })?;
        }
        Ok(())
    }

    fn flow(&mut self, timeline: &Timeline, flow: &Flow, pid: u32, id: u64) -> io::Result<()> {
        let Some(to) = timeline.slice(flow.to.0, flow.to.1) else { return Ok(()) };
        let name = match flow.kind {
            Kind::Creation => "creation",
            Kind::Dependence => "dependence",
            Kind::Mutex => "mutex",
        };
        let (id, cat) = (Some(id), "flow");
        let ts = us(timeline, flow.from_ns);
        self.put(&Event { name, cat, ph: "s", ts, pid, tid: flow.from.0 as usize, id, ..Event::default() })?;
        let (ts, tid, bp) = (us(timeline, to.begin_ns), flow.to.0 as usize, Some("e"));
        self.put(&Event { name, cat, ph: "f", ts, pid, tid, id, bp, ..Event::default() })
    }
}

//! Facts of a process, and how to get its data.

use page::{Quantity, View};
use terminal::quantity::count;

use crate::{Timeline, text};

/// Adds the facts of a process.
pub(super) fn add(view: &mut View, timeline: &Timeline) {
    view.name = timeline.name();
    let length_ns = timeline.end_ns.saturating_sub(timeline.begin_ns);
    view.about =
        vec![Quantity::Time(length_ns as f64), count(timeline.threads.len() as u64, "thread", "threads").into()];
    view.about.extend(timeline.facts.host.clone().map(|host| format!("on {host}").into()));
    let header = &timeline.header;
    view.fact("command", timeline.facts.name());
    view.fact("machine", timeline.facts.host.clone().unwrap_or_default());
    view.fact("OpenMP runtime", timeline.runtime.clone());
    if let Some(processors) = timeline.facts.processors {
        view.fact("processors allowed", Quantity::Count(processors.into()));
    }
    for (name, value) in &timeline.facts.environment {
        view.fact(name, value.clone());
    }
    view.fact("events", Quantity::Count(timeline.counts.events));
    view.fact("threads", Quantity::Count(timeline.threads.len() as u64));
    view.fact("recorder, to get room", Quantity::Time(timeline.recorder_ns as f64));
    for (name, number) in [("events lost", header.lost), ("events overwritten", header.overwritten)] {
        if number > 0 {
            view.fact(name, Quantity::Count(number));
        }
    }
    view.fact("ora", env!("CARGO_PKG_VERSION"));
    view.notes = text::notes(timeline);
    view.exports = [
        ("ora report DIR", "the same as text"),
        ("ora report DIR --json -o FILE", "all figures as JSON"),
        ("ora report DIR --perfetto FILE", "all events for ui.perfetto.dev"),
        ("ora report DIR --otf2 DIR", "all events for Vampir and Scalasca"),
        ("ora report DIR --paraver FILE.prv", "all events for Paraver"),
        ("ora report DIR --firefox FILE", "slices for profiler.firefox.com"),
    ]
    .map(|(command, what)| (command.to_owned(), what.to_owned()))
    .to_vec();
}

/// The view of a process that has only samples, with the name that it has among the others.
pub(super) fn named(view: View, timeline: &Timeline) -> View {
    View { name: timeline.name(), ..view }
}

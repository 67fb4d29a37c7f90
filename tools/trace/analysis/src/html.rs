//! One page that needs nothing else: summary, timeline, waits, regions, and tasks where they are few; with samples also a flame graph
//! and source lines. It makes no request.
//!
//! The timeline has several resolutions that are made beforehand: for each thread and piece of time what the thread did for
//! most of it. The longest slices have their names beside that, so the page stays small however many events there are.

mod dearest;
mod flame;
mod lines;
mod states;
mod tasks;

use std::io::{self, Write};

use serde::Serialize;

use crate::cause::{Causes, slices};
use crate::drawn::is_drawn;
use crate::text;
use crate::{Samples, Site, Timeline, facts};
use dearest::Dearest;
use flame::Flame;
use lines::Line;
use states::Resolution;
use tasks::Graph;

/// Most slices that are named, of all processes.
const NAMED: usize = 12_000;
/// Most rows of a table.
const ROWS: usize = 20;

#[derive(Debug, Serialize)]
struct Data<'t> {
    processes: Vec<Process<'t>>,
}

#[derive(Debug, Serialize)]
struct Process<'t> {
    name: String,
    length_ns: u64,
    facts: Vec<(&'static str, String)>,
    states: Vec<State>,
    /// Sentences.
    findings: Vec<String>,
    dearest: Vec<Dearest>,
    threads: Vec<String>,
    resolutions: Vec<Resolution>,
    /// Names of slices, each once.
    names: Vec<String>,
    /// Thread, begin, length, depth and name of each slice that is named. Times are nanoseconds since the begin.
    slices: Vec<(u32, u64, u64, u16, usize)>,
    waits: Vec<Row>,
    regions: Vec<Region>,
    flame: Flame,
    lines: Vec<Line>,
    tasks: Graph,
    counts: Vec<(&'t str, u64)>,
}

/// A state of threads, with the time that they spent in it.
#[derive(Debug, Serialize)]
struct State {
    name: &'static str,
    ns: u64,
}

/// A wait, and the other side.
#[derive(Debug, Serialize)]
struct Row {
    ns: u64,
    at_ns: u64,
    thread: u32,
    wait: String,
    cause: String,
}

/// Regions of one place.
#[derive(Debug, Serialize)]
struct Region {
    place: String,
    count: u64,
    total_ns: u64,
    longest_ns: u64,
    team: u32,
}

/// Writes the page of the processes of a trace, with their samples.
///
/// # Errors
/// If it can't be written.
pub fn write(to: &mut dyn Write, timelines: &[Timeline], samples: Option<&Samples<'_>>) -> io::Result<()> {
    let processes = timelines.iter().map(|timeline| process(timeline, samples, timelines.len()));
    let data = Data { processes: processes.collect() };
    let title = timelines.first().map_or_else(String::new, |timeline| timeline.facts.name());
    page::write(to, &title, &data)
}

/// The process, one of so many on the page.
fn process<'t>(timeline: &'t Timeline, samples: Option<&Samples<'_>>, processes: usize) -> Process<'t> {
    let stacks = samples.map_or(&[][..], |samples| samples.of_process(timeline));
    let findings = facts::findings(timeline);
    let lanes = if timeline.counts.events == 0 && !stacks.is_empty() {
        states::lanes_of_samples(timeline, stacks)
    } else {
        states::lanes(timeline)
    };
    let mut names = Vec::new();
    let slices = longest_slices(timeline, NAMED / processes.max(1), &mut names);
    let sums = states::sums(&lanes);
    Process {
        name: timeline.name(),
        length_ns: timeline.end_ns.saturating_sub(timeline.begin_ns),
        facts: facts(timeline),
        states: states::NAMES.into_iter().zip(sums).map(|(name, ns)| State { name, ns }).collect(),
        findings: findings.iter().map(|finding| finding.text(facts::wall_ns(timeline))).collect(),
        dearest: dearest::of(timeline),
        threads: (0..timeline.threads.len()).map(|index| timeline.thread_name(index)).collect(),
        resolutions: states::resolutions(timeline, &lanes, processes),
        names,
        slices,
        waits: waits(timeline),
        regions: regions(timeline),
        flame: flame::of(stacks, processes),
        lines: lines::of(timeline, stacks, processes),
        tasks: tasks::of(timeline),
        counts: timeline.counts.named().into_iter().filter(|(_, count)| *count > 0).collect(),
    }
}

fn waits(timeline: &Timeline) -> Vec<Row> {
    let causes = Causes::of(timeline);
    let waits = crate::cause::longest(timeline, &causes, ROWS).into_iter().filter_map(|wait| {
        let slice = timeline.slice(wait.thread, wait.slice)?;
        Some(Row {
            ns: wait.idle_ns,
            at_ns: slice.begin_ns - timeline.begin_ns.min(slice.begin_ns),
            thread: wait.thread,
            wait: timeline.describe(slice),
            cause: wait.cause.map_or_else(String::new, |cause| text::describe(timeline, cause)),
        })
    });
    waits.collect()
}

fn regions(timeline: &Timeline) -> Vec<Region> {
    let regions = text::sums(timeline).into_iter().take(ROWS).map(|(code, sum)| Region {
        place: timeline.sites.get(code).map_or_else(|| "(unknown)".to_owned(), Site::whole),
        count: sum.count,
        total_ns: sum.total_ns,
        longest_ns: sum.longest_ns,
        team: sum.team,
    });
    regions.collect()
}

fn facts(timeline: &Timeline) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("runtime", timeline.runtime.clone()),
        ("host", timeline.facts.host.clone().unwrap_or_default()),
        ("events", timeline.counts.events.to_string()),
        ("threads", timeline.threads.len().to_string()),
    ];
    facts.extend(timeline.efficiency().map(|efficiency| ("efficiency", efficiency.text())));
    let header = &timeline.header;
    for (name, count) in [("events lost", header.lost), ("events overwritten", header.overwritten)] {
        if count > 0 {
            facts.push((name, count.to_string()));
        }
    }
    facts.retain(|(_, value)| !value.is_empty());
    facts
}

/// The longest slices, in the order of threads and begins.
fn longest_slices(timeline: &Timeline, most: usize, names: &mut Vec<String>) -> Vec<(u32, u64, u64, u16, usize)> {
    let drawn = slices(timeline).filter(|(_, _, slice)| !slice.is_apart && is_drawn(timeline, slice));
    let mut all: Vec<_> = drawn.map(|(thread, index, slice)| (slice.length_ns(), thread, index)).collect();
    if all.len() > most && most > 0 {
        all.select_nth_unstable_by(most - 1, |a, b| b.cmp(a));
        all.truncate(most);
    }
    all.sort_unstable_by_key(|(_, thread, index)| (*thread, *index));
    let mut known = rustc_hash::FxHashMap::default();
    let named = all.into_iter().filter_map(|(length_ns, thread, index)| {
        let slice = timeline.slice(thread, index)?;
        let name = *known.entry(timeline.describe(slice)).or_insert_with_key(|name| {
            names.push(name.clone());
            names.len() - 1
        });
        Some((thread, slice.begin_ns.saturating_sub(timeline.begin_ns), length_ns, slice.depth, name))
    });
    named.collect()
}

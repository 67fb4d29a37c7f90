//! The report of a trace as JSON (see `docs/reference/trace-json.md`).

use advice::Finding;
use json_document::{Document, Versioned};
use profile_analysis::Report;
use serde::Serialize;

use crate::cause::{Cause, Causes, longest};
use crate::{Efficiency, Site, Timeline, facts};

#[derive(Debug, Serialize)]
struct Body<'t, P> {
    processes: Vec<Process<'t>>,
    /// The report of the samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<P>,
}

impl<P: Serialize> Versioned for Body<'_, P> {
    const SCHEMA: &'static str = "ora-trace";
    const VERSION: u32 = 1;
}

#[derive(Debug, Serialize)]
struct Process<'t> {
    pid: Option<u32>,
    parent_pid: Option<u32>,
    rank: Option<u32>,
    command: &'t [String],
    runtime: &'t str,
    begin_ns: u64,
    end_ns: u64,
    has_ended: bool,
    error: u64,
    events: u64,
    lost_events: u64,
    overwritten_events: u64,
    recorder_ns: u64,
    threads_begun_before: usize,
    last_ns: u64,
    slow_ns: u64,
    counts: Counts,
    threads: Vec<Thread>,
    regions: Vec<Region<'t>>,
    longest_waits: Vec<Wait<'t>>,
    efficiency: Option<Efficiency>,
    findings: Vec<Finding>,
}

#[derive(Debug, Serialize)]
struct Counts {
    regions: u64,
    leagues: u64,
    implicit_tasks: u64,
    tasks_created: u64,
    tasks_executed: u64,
    dependences: u64,
    implicit_barriers: u64,
    explicit_barriers: u64,
    taskwaits: u64,
    taskgroups: u64,
    locks: u64,
    criticals: u64,
    atomics: u64,
    ordered: u64,
}

#[derive(Debug, Serialize)]
struct Thread {
    tid: u32,
    kind: &'static str,
    begin_ns: u64,
    end_ns: u64,
    slices: usize,
}

#[derive(Debug, Serialize)]
struct Place<'t> {
    function: &'t str,
    file: Option<&'t str>,
    line: Option<u32>,
}

#[derive(Debug, Serialize)]
struct Region<'t> {
    place: Option<Place<'t>>,
    thread: u32,
    team: u32,
    begin_ns: u64,
    end_ns: u64,
    is_over: bool,
}

#[derive(Debug, Serialize)]
struct Wait<'t> {
    kind: &'static str,
    place: Option<Place<'t>>,
    thread: u32,
    begin_ns: u64,
    end_ns: u64,
    idle_ns: u64,
    cause: Option<For<'t>>,
}

/// The other side of a wait.
#[derive(Debug, Serialize)]
struct For<'t> {
    kind: &'static str,
    thread: u32,
    at_ns: u64,
    place: Option<Place<'t>>,
}

/// The document of all processes, with at most `most` regions and waits of each, and the report of their samples.
///
/// # Errors
/// If it can't be written, which memory can always be.
pub fn document(timelines: &[Timeline], samples: Option<&Report<'_>>, most: usize) -> serde_json::Result<String> {
    let processes = timelines.iter().map(|timeline| process(timeline, most)).collect();
    let profile = samples.map(profile_analysis::json::of);
    Document::of(Body { processes, profile }).text()
}

fn process(timeline: &Timeline, most: usize) -> Process<'_> {
    let (facts, header) = (&timeline.facts, &timeline.header);
    // A flight recorder may have only a worker's part of one.
    let mut longest_first: Vec<_> = timeline.regions.iter().filter(|region| region.begin_ns > 0).collect();
    longest_first.sort_by_key(|region| std::cmp::Reverse(region.end_ns.saturating_sub(region.begin_ns)));
    let regions = longest_first.into_iter().take(most).map(|region| Region {
        place: place(timeline.sites.get(region.code)),
        thread: region.thread,
        team: region.team,
        begin_ns: region.begin_ns,
        end_ns: region.end_ns,
        is_over: region.is_over,
    });
    Process {
        pid: facts.pid,
        parent_pid: facts.parent,
        rank: facts.rank,
        command: &facts.command,
        runtime: &timeline.runtime,
        begin_ns: timeline.begin_ns,
        end_ns: timeline.end_ns,
        has_ended: header.end.is_some(),
        error: header.error,
        events: timeline.counts.events,
        lost_events: header.lost,
        overwritten_events: header.overwritten,
        recorder_ns: timeline.recorder_ns,
        threads_begun_before: timeline.threads_begun_before(),
        last_ns: header.last_ns,
        slow_ns: header.slow_ns,
        counts: counts(timeline),
        threads: threads(timeline),
        regions: regions.collect(),
        longest_waits: waits(timeline, most),
        efficiency: timeline.efficiency(),
        findings: facts::findings(timeline),
    }
}

fn counts(timeline: &Timeline) -> Counts {
    let counts = timeline.counts;
    Counts {
        regions: counts.regions,
        leagues: counts.leagues,
        implicit_tasks: counts.implicit_tasks,
        tasks_created: counts.tasks_created,
        tasks_executed: counts.tasks_executed,
        dependences: counts.dependences,
        implicit_barriers: counts.implicit_barriers,
        explicit_barriers: counts.explicit_barriers,
        taskwaits: counts.taskwaits,
        taskgroups: counts.taskgroups,
        locks: counts.locks,
        criticals: counts.criticals,
        atomics: counts.atomics,
        ordered: counts.ordered,
    }
}

fn threads(timeline: &Timeline) -> Vec<Thread> {
    let threads = timeline.threads.iter().map(|thread| Thread {
        tid: thread.tid,
        kind: thread.kind_name(),
        begin_ns: thread.begin_ns,
        end_ns: thread.end_ns,
        slices: thread.slices.len(),
    });
    threads.collect()
}

fn waits(timeline: &Timeline, most: usize) -> Vec<Wait<'_>> {
    let causes = Causes::of(timeline);
    let found = longest(timeline, &causes, most);
    let waits = found.iter().filter_map(|wait| {
        let slice = timeline.slice(wait.thread, wait.slice)?;
        Some(Wait {
            kind: slice.name(),
            place: place(timeline.site(slice)),
            thread: wait.thread,
            begin_ns: slice.begin_ns,
            end_ns: slice.end_ns,
            idle_ns: wait.idle_ns,
            cause: wait.cause.and_then(|cause| other_side(timeline, cause)),
        })
    });
    waits.collect()
}

fn other_side(timeline: &Timeline, cause: Cause) -> Option<For<'_>> {
    Some(match cause {
        Cause::LastArrival { thread, at_ns } => For { kind: "last_arrival", thread, at_ns, place: None },
        Cause::Holder { thread, slice } => {
            let held = timeline.slice(thread, slice)?;
            For { kind: "holder", thread, at_ns: held.begin_ns, place: place(timeline.site(held)) }
        }
        Cause::LastTask { task } => {
            let task = timeline.task(task)?;
            let place = place(timeline.sites.get(task.code));
            For { kind: "last_task", thread: task.last.0, at_ns: task.ended_ns, place }
        }
    })
}

fn place(site: Option<&Site>) -> Option<Place<'_>> {
    let site = site.filter(|site| !site.function.is_empty())?;
    let line = (site.line > 0).then_some(site.line);
    Some(Place { function: &site.function, file: site.file.as_deref(), line })
}

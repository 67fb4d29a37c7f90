//! The report of a trace as JSON (see `docs/reference/trace-json.md`).

use advice::Finding;
use json_document::{Document, Versioned};
use profile_analysis::Report;
use serde::Serialize;

use crate::cause::{Cause, Causes, longest};
use crate::{Efficiency, Site, Timeline, facts};

/// Report of a trace.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Body<'t, P> {
    /// One object for each process, in the order of the folders.
    processes: Vec<Process<'t>>,
    /// Of a recording with samples (`ora trace --sample`). Its times are by CLOCK_REALTIME where that is known.
    /// Otherwise the key is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<P>,
}

impl<P: Serialize> Versioned for Body<'_, P> {
    const SCHEMA: &'static str = "ora-trace";
    const VERSION: u32 = 1;
}

/// A process.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Process<'t> {
    /// Its number.
    pid: Option<u32>,
    /// Number of its parent.
    parent_pid: Option<u32>,
    /// The rank that a launcher has given it.
    rank: Option<u32>,
    /// The program and its arguments.
    command: &'t [String],
    /// Name and version of the OpenMP runtime, as it gives them.
    runtime: &'t str,
    /// First moment of the trace.
    begin_ns: u64,
    /// Last moment of the trace.
    end_ns: u64,
    /// False: the process was killed, went on as another program, or was still running.
    has_ended: bool,
    /// The error number that has ended the recording; 0: none.
    error: u64,
    /// Number of events in the trace.
    events: u64,
    /// Number of events that found no room.
    lost_events: u64,
    /// Number of events that a flight recorder has overwritten by newer ones.
    overwritten_events: u64,
    /// Time that the threads took to get room in the file.
    recorder_ns: u64,
    /// Number of threads that were in a region that had begun before the recording (`ora attach PID trace`).
    threads_begun_before: usize,
    /// The time of `--last`; 0: not given.
    last_ns: u64,
    /// The time of `--slow`; 0: not given.
    slow_ns: u64,
    /// Numbers of the things that happened.
    counts: Counts,
    /// One object for each thread.
    threads: Vec<Thread>,
    /// The longest parallel regions, at most as many as `--rows` says.
    regions: Vec<Region<'t>>,
    /// The longest waits, at most as many as `--rows` says.
    longest_waits: Vec<Wait<'t>>,
    /// Efficiencies by what each thread did up to a barrier. `null` of a flight recorder's trace, where there are
    /// more threads than processors, where waits were not recorded, and where much is of regions begun before.
    efficiency: Option<Efficiency>,
    /// Findings by the same rules as of `ora stat`. A trace doesn't know which thread had a processor: where
    /// there are more threads than processors, nothing is said of uneven shares. None of a flight recorder's
    /// trace, which has parts of the run.
    #[cfg_attr(test, schemars(with = "Vec<schemas::Finding>"))]
    findings: Vec<Finding>,
}

/// Counts.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Counts {
    /// Parallel regions.
    regions: u64,
    /// Leagues of teams.
    leagues: u64,
    /// Implicit tasks, without initial ones.
    implicit_tasks: u64,
    /// Explicit tasks that were created.
    tasks_created: u64,
    /// Explicit tasks that were executed.
    tasks_executed: u64,
    /// Dependences of tasks.
    dependences: u64,
    /// Waits at implicit barriers.
    implicit_barriers: u64,
    /// Waits at explicit barriers.
    explicit_barriers: u64,
    /// Waits at taskwaits.
    taskwaits: u64,
    /// Waits at the ends of taskgroups.
    taskgroups: u64,
    /// Locks acquired.
    locks: u64,
    /// Critical sections entered.
    criticals: u64,
    /// Atomic sections entered.
    atomics: u64,
    /// Ordered sections entered.
    ordered: u64,
}

/// A thread.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Thread {
    /// Its number in the system.
    tid: u32,
    /// `"initial"`, `"worker"`, `"helper"` or `"thread"`.
    kind: &'static str,
    /// Its first event.
    begin_ns: u64,
    /// Its last event.
    end_ns: u64,
    /// Number of parts of its time.
    slices: usize,
}

/// A place.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Place<'t> {
    /// The function.
    function: &'t str,
    /// Its source file; `null` without debug information.
    file: Option<&'t str>,
    /// The line; `null` without debug information.
    line: Option<u32>,
}

/// A construct with an implicit barrier.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct End<'t> {
    /// `"loop"` or `"single"`.
    construct: &'static str,
    /// Its source file.
    file: &'t str,
    /// Its line.
    line: u32,
}

/// A region.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Region<'t> {
    /// Its place.
    place: Option<Place<'t>>,
    /// The thread that met the construct: its number in `threads`, from 0.
    thread: u32,
    /// Number of implicit tasks.
    team: u32,
    /// Time of the fork.
    begin_ns: u64,
    /// Time of the join.
    end_ns: u64,
    /// False: it hadn't ended.
    is_over: bool,
}

/// A wait.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Wait<'t> {
    /// `"implicit barrier"`, `"explicit barrier"`, `"runtime's barrier"`, `"teams barrier"`, `"barrier"`,
    /// `"taskwait"`, `"taskgroup"`, `"reduction"`, `"wait for dependences"`, `"wait for lock"`, `"wait for
    /// critical"`, `"wait for atomic"` or `"wait for ordered"`.
    kind: &'static str,
    /// Place in the program that waits.
    place: Option<Place<'t>>,
    /// The construct that this implicit barrier ends, in code by gcc with debug information; else `null`.
    ends: Option<End<'t>>,
    /// The thread that waits.
    thread: u32,
    /// First moment of the wait.
    begin_ns: u64,
    /// Last moment of the wait.
    end_ns: u64,
    /// The wait without the tasks that the thread executed meanwhile.
    idle_ns: u64,
    /// The other side of the wait.
    cause: Option<For<'t>>,
}

/// The other side of a wait.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct For<'t> {
    /// `"last_arrival"`: the thread that came to the barrier last. `"holder"`: the thread that had the mutex.
    /// `"last_task"`: the thread of the task that was waited for and ended last.
    kind: &'static str,
    /// The number of that thread.
    thread: u32,
    /// Time of its arrival, since which it had the mutex, or at which the task ended.
    at_ns: u64,
    /// The place that had asked for the mutex, or had created the task.
    place: Option<Place<'t>>,
}

/// The document of all processes, with at most `most` regions and waits for each, and the report of their samples.
///
/// # Errors
/// If it can't be written, which does not happen in memory.
pub fn document(timelines: &[Timeline], samples: Option<&Report<'_>>, most: usize) -> serde_json::Result<String> {
    let processes = timelines.iter().map(|timeline| process(timeline, most)).collect();
    let profile = samples.map(profile_analysis::json::of);
    Document::of(Body { processes, profile }).text()
}

fn process(timeline: &Timeline, most: usize) -> Process<'_> {
    let (facts, header) = (&timeline.facts, &timeline.header);
    // A flight recorder may have only a worker's part of a region.
    let begun = timeline.regions.iter().filter(|region| region.begin_ns > 0 && !region.is_league);
    let mut longest_first: Vec<_> = begun.collect();
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
            ends: timeline.construct_ended_by(slice).map(|end| End {
                construct: end.construct,
                file: &end.file,
                line: end.line,
            }),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_and_page_are_current() {
        schemas::assert_current::<Body<'_, schemas::Report>>("trace-json.md");
    }
}

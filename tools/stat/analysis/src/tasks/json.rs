//! The same figures for programs: JSON, described in `tasks-json.md`.

use std::ffi::OsString;

use advice::Finding;
use anyhow::Result;
use json_document::{Document, Versioned, words};
use serde::Serialize;
use symbols::Place;

use super::construct::Construct;
use super::snapshot::{Level, Node, Process, Run, Thread};
use super::times::Times;
use super::{facts, gains};

/// Profile of explicit tasks.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Body<'a> {
    /// The program and its arguments, as given.
    command: Vec<String>,
    /// Exit code of the program; `null`: a signal ended it.
    exit_code: Option<u8>,
    /// The signal that ended it.
    signal: Option<i32>,
    /// Time from its start to its end, as `ora` saw it.
    wall_ns: u64,
    /// False: the collector never ran in the program, and `processes` doesn't begin with it.
    collector_started: bool,
    /// First the process that `ora` started, as the program that it was last; then those that used tasks:
    /// earlier programs of the first process, forked and executed children.
    processes: Vec<OneProcess<'a>>,
    /// Number of further processes that were met.
    processes_without_tasks: usize,
    /// Number of processes that found no room in the shared memory.
    processes_left_out: usize,
    /// Number of threads that found no room there, or that the system refused memory for.
    threads_left_out: usize,
    /// Number of pairs of a thread and a place that found no room there.
    cells_left_out: usize,
    /// The tree, with `--tree`.
    tree: Option<TreePart<'a>>,
}

impl Versioned for Body<'_> {
    const SCHEMA: &'static str = "ora-tasks";
    const VERSION: u32 = 2;
}

/// The tree.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TreePart<'a> {
    /// Number of tasks that were created.
    tasks_created: usize,
    /// The first of these (`--max`), in the order of their creation.
    tasks: Vec<OneTask<'a>>,
}

impl Versioned for TreePart<'_> {
    const SCHEMA: &'static str = "ora-tasks-tree";
    const VERSION: u32 = 2;
}

/// A task.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneTask<'a> {
    /// TASK_ID of the interface.
    id: u64,
    /// TASK_PID of the interface. A parent that is not in the list is an implicit or initial task, or found no
    /// room.
    parent_id: u64,
    /// Its place.
    place: OnePlace<'a>,
    /// Number of the thread in `threads` that created it.
    created_by: Option<usize>,
    /// Number of the thread in `threads` that executed it; `null`: it was not executed to its end.
    executed_by: Option<usize>,
    /// Time of its creation; `null` where that can't be seen.
    creation_ns: Option<f64>,
    /// Time from its creation to its execution; `null` if it never began, or is not known.
    waiting_ns: Option<f64>,
    /// Time of its execution.
    execution_ns: f64,
    /// Time of its suspensions.
    suspension_ns: f64,
    /// Time from the end of its body to its end; `null` where that can't be seen, or it did not end.
    exit_ns: Option<f64>,
}

/// A process.
///
/// The keys up to `unsupported_events` are those of `ora stat --json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneProcess<'a> {
    /// Its number.
    pid: u32,
    /// Number of its parent.
    parent_pid: u32,
    /// Its command line.
    command: &'a str,
    /// `"started"`, `"forked"` or `"executed"`.
    origin: &'static str,
    /// `"exited"`, `"replaced"`, `"silent"` or `"running"`.
    end: &'static str,
    /// The OpenMP runtimes found in it.
    runtimes: Vec<&'static str>,
    /// The file of the first.
    runtime_path: Option<&'a str>,
    /// The answer to the request START.
    session_error_code: Option<u32>,
    /// Numbers of events that the library can't raise here.
    unsupported_events: &'a [u32],
    /// Number of tasks that were created.
    tasks_created: u64,
    /// Number of tasks that ended.
    tasks_executed: u64,
    /// Number of tasks that were not remembered between creation and execution, for want of room or time: they
    /// lack their place and times.
    tasks_forgotten: u64,
    /// Number of tasks that were not timed because they ran inside of so many others that the system refused
    /// memory for them.
    tasks_too_deep: u64,
    /// True if the runtime shows the time of creations. LLVM's and Intel's runtimes report each with one event:
    /// it is not known.
    creation_visible: bool,
    /// True if the runtime shows the time of clean-ups. No runtime of these does; libgomp's clean-up isn't
    /// seen, either.
    cleanup_visible: bool,
    /// Half of all creations took less. `null` where none can be seen.
    creation_typical_ns: Option<f64>,
    /// Time that a thread typically takes to get the next task from the pool: a quarter of the times from the
    /// end of a task (or the beginning of a wait) to the next task stay below it. `null` if no task came from a
    /// pool.
    fetch_ns: Option<f64>,
    /// Time that watching has added to that of all threads, about: some of its callbacks are timed, and a
    /// request in place of each event's way to them. Executions and creations are without the callbacks.
    watching_ns: f64,
    /// Findings: `id` is `"small_tasks"` or `"long_tasks"`; `costs_ns` is the time of all threads; the dearest
    /// comes first. Here if that is 1 % of the threads' time, and 20 ms.
    #[cfg_attr(test, schemars(with = "Vec<schemas::Finding>"))]
    findings: Vec<Finding>,
    /// One object for each place in the program that creates tasks, the most expensive one first.
    constructs: Vec<OneConstruct<'a>>,
    /// One object for each distance from the implicit or initial task.
    levels: Vec<OneLevel>,
    /// Effect of a cut-off. `null` if it would bring less than 1 %, where creations can't be seen, and where
    /// `tasks_too_deep` isn't 0.
    cut_off: Option<CutOff>,
    /// One object for each thread that had to do with tasks, in the order that they came into being.
    threads: Vec<OneThread>,
}

/// A construct.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneConstruct<'a> {
    /// Its place.
    place: OnePlace<'a>,
    /// Number of tasks that were created.
    tasks: u64,
    /// Those of them that run at once.
    undeferred: u64,
    /// Times of creations. Of tasks that run at once, on libgomp, about one of 16 is timed once 64 of their
    /// place were on the same thread, later one of 64, and the others count as the median of these, up to then.
    /// After one that takes far longer than that, the next 1024 are all timed; after an execution of ten
    /// microseconds or so whose creation was not timed, the next 64. A creation that was not timed and took
    /// longer than the median counts as execution for the rest, which matters where slow creations are rarer
    /// than one of a hundred; the sum of both is right, but for what counts as watching. `null` where
    /// `creation_visible` is false, and for taskloops, whose chunks the runtime creates all at once.
    creation_ns: Option<Spread>,
    /// Times from the end of the creation to the beginning of the execution, not of undeferred tasks.
    waiting_ns: Spread,
    /// Number of the waiting times that count as 0 because the execution began before the creation's end was
    /// reported on the creating thread.
    began_early: u64,
    /// Number of the waiting times that count as 0 because the clock says so.
    negative_waits: u64,
    /// Number of tasks that began to run. `tasks` less `started` were cancelled or still waited at the end.
    started: u64,
    /// Number of these that were not timed: see `tasks_too_deep`.
    too_deep: u64,
    /// Times without suspensions, creations, and tasks run meanwhile.
    execution_ns: Spread,
    /// Times of the tasks that had any suspension; 0 where there was nothing to wait for, since all that the
    /// task had created had run at once (on libgomp).
    suspension_ns: Spread,
    /// The part of all suspensions in which the thread ran no other task.
    suspension_idle_ns: f64,
    /// Number of tasks that ran for some milliseconds while no other thread executed or created a task.
    alone: u64,
    /// Time for which that was so in all, without the time in which their threads were ready without a
    /// processor.
    alone_ns: f64,
    /// Times of clean-ups. `null` where `cleanup_visible` is false.
    cleanup_ns: Option<Spread>,
    /// Mean of their levels.
    depth_mean: f64,
    /// The largest of their levels.
    depth_max: u64,
    /// Number of tasks that they created.
    children: u64,
    /// The most that one of them created.
    children_max: u64,
    /// Cost of one of them: the creation that half of them stay below, and `fetch_ns` if it came from the pool.
    /// `null` where `creation_ns` is.
    cost_ns: Option<f64>,
    /// Number of tasks that ran for less than that, about; `null` if that isn't known.
    too_small: Option<u64>,
    /// Executions on each thread.
    by_thread: Vec<Share>,
}

/// A place.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OnePlace<'a> {
    /// `"line"`, `"symbol"`, `"offset"`, `"address"` (code without a file), `"taskloop_chunk"` (chunks run
    /// outside of their taskloop's call), `"unknown"`, `"more"` (a thread tells 192 places apart).
    kind: &'static str,
    /// Name for people.
    name: String,
    /// Function from debug information: of the body if gcc's code shows it, else of the call. With `"symbol"`
    /// it comes from the symbol table.
    function: Option<&'a str>,
    /// Its source file, from debug information.
    file: Option<&'a str>,
    /// Its line, from debug information.
    line: Option<u32>,
    /// The file.
    object: Option<&'a str>,
    /// With `"offset"` the return address in it, as `objdump` shows it.
    address: Option<u64>,
}

/// Times.
///
/// The quartiles are from a histogram with four steps to an octave.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Spread {
    /// Number of times.
    count: u64,
    /// Their sum.
    total: f64,
    /// The shortest.
    min: Option<f64>,
    /// Their mean.
    mean: Option<f64>,
    /// The longest.
    max: Option<f64>,
    /// A quarter of the times are shorter.
    lower_quartile: Option<f64>,
    /// Half of the times are shorter.
    median: Option<f64>,
    /// Three quarters of the times are shorter.
    upper_quartile: Option<f64>,
}

/// Executions on a thread.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Share {
    /// Its number in `threads`, from 0.
    thread: Option<usize>,
    /// Number of executions.
    executed: u64,
}

/// A level.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneLevel {
    /// The distance, from 1; the 64th stands for all deeper ones as well.
    level: usize,
    /// Number of tasks.
    created: u64,
    /// Time of all their creations; `null` where they can't be seen.
    creation_ns: Option<f64>,
    /// Number of tasks that were executed.
    executed: u64,
    /// Time of all their executions.
    execution_ns: f64,
}

/// A cut-off.
///
/// The figures say what it would bring to create no tasks below a level. What is left is without the longest
/// thousandth of each level's times, at least one: a thread may have lost its processor.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct CutOff {
    /// The level.
    level: usize,
    /// Number of tasks that it saves.
    saved_tasks: u64,
    /// Time of typical creations and fetches that it saves, of all threads.
    saved_ns: f64,
    /// Number of tasks that are left on the level.
    tasks_left_on_level: u64,
    /// Time of each of them, with all that was below.
    execution_ns_left: f64,
}

/// A thread.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneThread {
    /// Its number in the system.
    tid: u32,
    /// Above 1 when several shared one object, one after the other.
    threads_in_turn: u32,
    /// Number of tasks that it created.
    created: u64,
    /// Number of tasks that it executed.
    executed: u64,
    /// Time of its creations; `null` where it can't be seen.
    creation_ns: Option<f64>,
    /// Time of its executions.
    execution_ns: f64,
    /// Time in suspensions, with no task to run.
    idle_ns: f64,
}

/// The profile, with a line end behind it.
///
/// # Errors
/// None is known: there is nothing in it that JSON can't say.
pub fn document(command: &[OsString], run: &Run, with_tree: bool) -> Result<String> {
    let (exit_code, signal) = run.exit.code_and_signal();
    let body = Body {
        command: words(command),
        exit_code,
        signal,
        wall_ns: run.wall_ns,
        collector_started: run.main.is_some(),
        processes: run.main.iter().chain(&run.others).map(|process| one_process(run, process)).collect(),
        processes_without_tasks: run.without_tasks,
        processes_left_out: run.processes_left_out,
        threads_left_out: run.threads_left_out,
        cells_left_out: run.cells_left_out,
        tree: with_tree.then(|| tree_part(run)),
    };
    Ok(Document::of(body).text()?)
}

/// The tree alone.
///
/// # Errors
/// None is known.
pub fn tree(run: &Run) -> Result<String> {
    Ok(Document::of(tree_part(run)).text()?)
}

fn tree_part(run: &Run) -> TreePart<'_> {
    let one =
        |process: &'_ Process, node: &Node| (process.row_of(node.creator), node.executor.map(|e| process.row_of(e)));
    let tasks = run.subject().into_iter().flat_map(|process| {
        process.instances.iter().map(move |node| {
            let (created_by, executed_by) = one(process, node);
            OneTask {
                id: node.id,
                parent_id: node.parent,
                place: one_place(&node.place),
                created_by,
                executed_by: executed_by.flatten(),
                creation_ns: node.creation_ns,
                waiting_ns: node.waiting_ns,
                execution_ns: node.execution_ns,
                suspension_ns: node.suspension_ns,
                exit_ns: node.exit_ns,
            }
        })
    });
    let created = run.subject().map_or(0, |process| process.sum(|thread| thread.created));
    TreePart { tasks_created: usize::try_from(created).unwrap_or(usize::MAX), tasks: tasks.collect() }
}

fn one_process<'a>(run: &'a Run, process: &'a Process) -> OneProcess<'a> {
    let who = &process.who;
    OneProcess {
        pid: who.pid,
        parent_pid: who.parent,
        command: who.command.raw(),
        origin: who.origin_word(),
        end: who.end_word(),
        runtimes: who.runtime_words(),
        runtime_path: Some(who.runtime_path.raw()).filter(|path| !path.is_empty()),
        session_error_code: who.session,
        unsupported_events: &who.refused,
        tasks_created: process.sum(|thread| thread.created),
        tasks_executed: process.sum(|thread| thread.executed),
        tasks_forgotten: process.sum(|thread| thread.forgotten),
        tasks_too_deep: process.too_deep(),
        creation_visible: process.sight.creation,
        cleanup_visible: process.sight.exit,
        creation_typical_ns: process.creation_ns,
        fetch_ns: process.fetch_ns,
        watching_ns: process.sum_ns(|thread| thread.watching_ns),
        findings: advice::tasks::findings(&facts::of(run, process)),
        constructs: process.constructs.iter().map(|construct| one_construct(process, construct)).collect(),
        levels: process.levels.iter().zip(1..).map(|(level, number)| one_level(process, number, level)).collect(),
        cut_off: gains::cut_off(process).map(|cut| CutOff {
            level: cut.level,
            saved_tasks: cut.saved_tasks,
            saved_ns: cut.saved_ns,
            tasks_left_on_level: cut.left,
            execution_ns_left: cut.left_ns,
        }),
        threads: process.threads.iter().map(|thread| one_thread(process, thread)).collect(),
    }
}

fn one_construct<'a>(process: &Process, construct: &'a Construct) -> OneConstruct<'a> {
    let small = gains::small(construct, process.fetch_ns);
    OneConstruct {
        place: one_place(&construct.place),
        tasks: construct.creation.count,
        undeferred: construct.undeferred,
        creation_ns: construct.shows_creation.then(|| spread(&construct.creation)),
        waiting_ns: spread(&construct.waiting),
        began_early: construct.early,
        negative_waits: construct.negative,
        started: construct.started,
        too_deep: construct.too_deep,
        execution_ns: spread(&construct.execution),
        suspension_ns: spread(&construct.suspension),
        suspension_idle_ns: construct.idle_ns,
        alone: construct.alone_tasks,
        alone_ns: construct.alone_ns,
        cleanup_ns: process.sight.exit.then(|| spread(&construct.cleanup)),
        depth_mean: construct.depth_mean(),
        depth_max: construct.depth_max,
        children: construct.children,
        children_max: construct.children_max,
        cost_ns: small.map(|small| small.cost_ns),
        too_small: small.map(|small| small.count),
        by_thread: construct
            .by_thread
            .iter()
            .map(|(number, executed)| Share { thread: process.row_of(*number), executed: *executed })
            .collect(),
    }
}

fn one_place(place: &Place) -> OnePlace<'_> {
    let nothing = OnePlace {
        kind: place.kind(),
        name: place.name(),
        function: None,
        file: None,
        line: None,
        object: None,
        address: None,
    };
    match place {
        Place::Line { function, file, line } => {
            OnePlace { function: Some(function), file: Some(file), line: Some(*line), ..nothing }
        }
        Place::Symbol { function, offset: _, object } => {
            OnePlace { function: Some(function), object: Some(object), ..nothing }
        }
        Place::Offset { object, address } => OnePlace { object: Some(object), address: Some(*address), ..nothing },
        Place::Address(address) => OnePlace { address: Some(*address), ..nothing },
        Place::Chunk | Place::Unknown | Place::Many => nothing,
    }
}

fn spread(times: &Times) -> Spread {
    let some = |value| (times.count > 0).then_some(value);
    Spread {
        count: times.count,
        total: times.total_ns,
        min: some(times.min_ns),
        mean: some(times.mean_ns()),
        max: some(times.max_ns),
        lower_quartile: times.quantile_ns(0.25),
        median: times.quantile_ns(0.5),
        upper_quartile: times.quantile_ns(0.75),
    }
}

fn one_level(process: &Process, number: usize, level: &Level) -> OneLevel {
    OneLevel {
        level: number,
        created: level.created,
        creation_ns: process.sight.creation.then_some(level.creation_ns),
        executed: level.executed,
        execution_ns: level.execution_ns,
    }
}

fn one_thread(process: &Process, thread: &Thread) -> OneThread {
    OneThread {
        tid: thread.tid,
        threads_in_turn: thread.turns,
        created: thread.created,
        executed: thread.executed,
        creation_ns: process.sight.creation.then_some(thread.creation_ns),
        execution_ns: thread.execution_ns,
        idle_ns: thread.idle_ns,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_and_page_are_current() {
        schemas::assert_current::<Body<'_>>("tasks-json.md");
        schemas::assert_current::<TreePart<'_>>("tasks-json.md");
    }
}

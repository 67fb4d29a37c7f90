//! The keys of the documents, and their meaning.

use advice::Finding;
use json_document::Versioned;
use serde::Serialize;

/// Profile of explicit tasks.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Body<'a> {
    /// The program and its arguments, as given.
    pub(super) command: Vec<String>,
    /// Exit code of the program; `null`: a signal ended it.
    pub(super) exit_code: Option<u8>,
    /// The signal that ended it.
    pub(super) signal: Option<i32>,
    /// Time from its start to its end, as `ora` saw it.
    pub(super) wall_ns: u64,
    /// False: the collector never ran in the program, and `processes` doesn't begin with it.
    pub(super) collector_started: bool,
    /// First the process that `ora` started, as the program that it was last; then those that used tasks:
    /// earlier programs of the first process, forked and executed children.
    pub(super) processes: Vec<OneProcess<'a>>,
    /// Number of further processes that were met.
    pub(super) processes_without_tasks: usize,
    /// Number of processes that found no room in the shared memory.
    pub(super) processes_left_out: usize,
    /// Number of threads that found no room there, or that the system refused memory for.
    pub(super) threads_left_out: usize,
    /// Number of pairs of a thread and a place that found no room there.
    pub(super) cells_left_out: usize,
    /// Number of loaded objects that found no room there: places in them have no names.
    pub(super) objects_left_out: usize,
    /// The tree, with `--tree`.
    pub(super) tree: Option<TreePart<'a>>,
}

impl Versioned for Body<'_> {
    const SCHEMA: &'static str = "ora-tasks";
    const VERSION: u32 = 2;
}

/// The tree.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct TreePart<'a> {
    /// Number of tasks that were created.
    pub(super) tasks_created: usize,
    /// The first of these (`--tree-max`), in the order of their creation.
    pub(super) tasks: Vec<OneTask<'a>>,
}

impl Versioned for TreePart<'_> {
    const SCHEMA: &'static str = "ora-tasks-tree";
    const VERSION: u32 = 2;
}

/// A task.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OneTask<'a> {
    /// TASK_ID of the interface.
    pub(super) id: u64,
    /// TASK_PID of the interface. A parent that is not in the list is an implicit or initial task, or found no
    /// room.
    pub(super) parent_id: u64,
    /// Its place.
    pub(super) place: OnePlace<'a>,
    /// Number of the thread in `threads` that created it.
    pub(super) created_by: Option<usize>,
    /// Number of the thread in `threads` that executed it; `null`: it was not executed to its end.
    pub(super) executed_by: Option<usize>,
    /// Time of its creation; `null` where that can't be seen.
    pub(super) creation_ns: Option<f64>,
    /// Time from its creation to its execution; `null` if it never began, or is not known.
    pub(super) waiting_ns: Option<f64>,
    /// Time of its execution.
    pub(super) execution_ns: f64,
    /// Time of its suspensions.
    pub(super) suspension_ns: f64,
    /// Time from the end of its body to its end; `null` where that can't be seen, or it did not end.
    pub(super) exit_ns: Option<f64>,
}

/// A process.
///
/// The keys up to `unsupported_events` are those of `ora stat --json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OneProcess<'a> {
    /// Its number.
    pub(super) pid: u32,
    /// Number of its parent.
    pub(super) parent_pid: u32,
    /// Its command line.
    pub(super) command: &'a str,
    /// `"started"`, `"forked"` or `"executed"`.
    pub(super) origin: &'static str,
    /// `"exited"`, `"replaced"`, `"silent"` or `"running"`.
    pub(super) end: &'static str,
    /// The OpenMP runtimes found in it.
    pub(super) runtimes: Vec<&'static str>,
    /// The file of the first.
    pub(super) runtime_path: Option<&'a str>,
    /// The answer to the request START.
    pub(super) session_error_code: Option<u32>,
    /// Numbers of events that the library can't raise here.
    pub(super) unsupported_events: &'a [u32],
    /// Number of tasks that were created.
    pub(super) tasks_created: u64,
    /// Number of tasks that ended.
    pub(super) tasks_executed: u64,
    /// Number of tasks that were not remembered between creation and execution, because room or time ran out: they
    /// lack their place and times.
    pub(super) tasks_forgotten: u64,
    /// Number of tasks that were not timed because they ran inside of so many others that the system refused
    /// memory for them.
    pub(super) tasks_too_deep: u64,
    /// True if the runtime shows the time of creations. LLVM's and Intel's runtimes report each with one event:
    /// it is not known.
    pub(super) creation_visible: bool,
    /// True if the runtime shows the time of clean-ups. No runtime of these does; libgomp's clean-up isn't
    /// seen, either.
    pub(super) cleanup_visible: bool,
    /// Half of all creations took less. `null` where none can be seen.
    pub(super) creation_typical_ns: Option<f64>,
    /// Time that a thread typically takes to get the next task from the pool: a quarter of the times from the
    /// end of a task (or the beginning of a wait) to the next task stay below it. `null` if no task came from a
    /// pool.
    pub(super) fetch_ns: Option<f64>,
    /// Time that watching has taken on all threads, about: some of its callbacks are timed, and a request in
    /// place of each event's path to them. Executions and creations are without the callbacks. Threads that
    /// pass tasks to each other may also sleep and wake more often while they are watched: not included.
    pub(super) watching_ns: f64,
    /// Findings: `id` is `"small_tasks"`, `"long_tasks"` or `"few_tasks"`; `costs_ns` is the time of all threads; the dearest
    /// comes first. Here if that is 1 % of the threads' time, and 20 ms.
    #[cfg_attr(test, schemars(with = "Vec<schemas::Finding>"))]
    pub(super) findings: Vec<Finding>,
    /// One object for each place in the program that creates tasks, the most expensive one first.
    pub(super) constructs: Vec<OneConstruct<'a>>,
    /// One object for each distance from the implicit or initial task.
    pub(super) levels: Vec<OneLevel>,
    /// Effect of a cut-off. `null` if it would bring less than 1 %, where creations can't be seen, where
    /// `tasks_too_deep` isn't 0, and where one of the tasks left may have more than a thread's share of all work.
    pub(super) cut_off: Option<CutOff>,
    /// One object for each thread that had to do with tasks, in the order that they came into being.
    pub(super) threads: Vec<OneThread>,
}

/// A construct.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OneConstruct<'a> {
    /// Its place.
    pub(super) place: OnePlace<'a>,
    /// Number of tasks that were created.
    pub(super) tasks: u64,
    /// Those of them that were undeferred.
    pub(super) undeferred: u64,
    /// Times of creations. Of undeferred tasks, on libgomp, about one of 16 is timed once 64 of their
    /// place were on the same thread, later one of 64, and the others count as the median of these, up to then.
    /// After one that takes far longer than that, the next 1024 are all timed; after an execution of ten
    /// microseconds or so whose creation was not timed, the next 64. A creation that was not timed and took
    /// longer than the median counts as execution for the rest, which matters where slow creations are rarer
    /// than one of a hundred; the sum of both is right, but for what counts as watching. `null` where
    /// `creation_visible` is false, and for taskloops, whose chunks the runtime creates together.
    pub(super) creation_ns: Option<Spread>,
    /// Times from the end of the creation to the beginning of the execution, not of undeferred tasks.
    pub(super) waiting_ns: Spread,
    /// Number of the waiting times that count as 0 because the execution began before the creation's end was
    /// reported on the creating thread.
    pub(super) began_early: u64,
    /// Number of the waiting times that count as 0 because the clock says so.
    pub(super) negative_waits: u64,
    /// Number of tasks that began to run. `tasks` less `started` were cancelled or still waited at the end.
    pub(super) started: u64,
    /// Number of these that were not timed: see `tasks_too_deep`.
    pub(super) too_deep: u64,
    /// Times without suspensions, creations, and tasks run meanwhile.
    pub(super) execution_ns: Spread,
    /// Times of the tasks that had any suspension; 0 where there was nothing to wait for, since all that the
    /// task had created had been undeferred (on libgomp).
    pub(super) suspension_ns: Spread,
    /// The part of all suspensions in which the thread ran no other task.
    pub(super) suspension_idle_ns: f64,
    /// Number of tasks that ran for some milliseconds while no other thread executed or created a task.
    pub(super) alone: u64,
    /// Time for which that was so in all, without the time in which their threads were ready without a
    /// processor.
    pub(super) alone_ns: f64,
    /// Times of clean-ups. `null` where `cleanup_visible` is false.
    pub(super) cleanup_ns: Option<Spread>,
    /// Mean of their levels.
    pub(super) depth_mean: f64,
    /// The largest of their levels.
    pub(super) depth_max: u64,
    /// Number of tasks that they created.
    pub(super) children: u64,
    /// The most that one of them created.
    pub(super) children_max: u64,
    /// Cost of one of them: the creation that half of them stay below, and `fetch_ns` if it came from the pool.
    /// `null` where `creation_ns` is.
    pub(super) cost_ns: Option<f64>,
    /// Number of tasks that ran for less than that, about; `null` if that isn't known.
    pub(super) too_small: Option<u64>,
    /// Executions on each thread.
    pub(super) by_thread: Vec<Share>,
}

/// A place.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OnePlace<'a> {
    /// `"line"`, `"symbol"`, `"offset"`, `"address"` (code without a file), `"taskloop_chunk"` (chunks run
    /// outside of their taskloop's call), `"unknown"`, `"more"` (a thread tells 192 places apart).
    pub(super) kind: &'static str,
    /// Name for people.
    pub(super) name: String,
    /// Function from debug information: of the body if gcc's code shows it, else of the call. With `"symbol"`
    /// it comes from the symbol table.
    pub(super) function: Option<&'a str>,
    /// Its source file, from debug information.
    pub(super) file: Option<&'a str>,
    /// Its line, from debug information.
    pub(super) line: Option<u32>,
    /// The file.
    pub(super) object: Option<&'a str>,
    /// With `"offset"` the return address in it, as `objdump` shows it.
    pub(super) address: Option<u64>,
}

/// Times.
///
/// The quartiles are from a histogram with four steps to an octave.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Spread {
    /// Number of times.
    pub(super) count: u64,
    /// Their sum.
    pub(super) total: f64,
    /// The shortest.
    pub(super) min: Option<f64>,
    /// Their mean.
    pub(super) mean: Option<f64>,
    /// The longest.
    pub(super) max: Option<f64>,
    /// A quarter of the times are shorter.
    pub(super) lower_quartile: Option<f64>,
    /// Half of the times are shorter.
    pub(super) median: Option<f64>,
    /// Three quarters of the times are shorter.
    pub(super) upper_quartile: Option<f64>,
}

/// Executions on a thread.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Share {
    /// Its number in `threads`, from 0.
    pub(super) thread: Option<usize>,
    /// Number of executions.
    pub(super) executed: u64,
}

/// A level.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OneLevel {
    /// The distance, from 1; the 64th stands for all deeper ones as well.
    pub(super) level: usize,
    /// Number of tasks.
    pub(super) created: u64,
    /// Time of all their creations; `null` where they can't be seen.
    pub(super) creation_ns: Option<f64>,
    /// Number of tasks that were executed.
    pub(super) executed: u64,
    /// Time of all their executions.
    pub(super) execution_ns: f64,
}

/// A cut-off.
///
/// The figures say what it would bring to create no tasks below a level. What is left is without the longest
/// thousandth of each level's times, at least one: a thread may have lost its processor.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct CutOff {
    /// The level.
    pub(super) level: usize,
    /// Number of tasks that it saves.
    pub(super) saved_tasks: u64,
    /// Time of typical creations and fetches that it saves, of all threads.
    pub(super) saved_ns: f64,
    /// Number of tasks that are left on the level.
    pub(super) tasks_left_on_level: u64,
    /// Mean time of one of them, with all that was below.
    pub(super) execution_ns_left: f64,
}

/// A thread.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OneThread {
    /// Its number in the system.
    pub(super) tid: u32,
    /// Above 1 when several shared one object, one after the other.
    pub(super) threads_in_turn: u32,
    /// Number of tasks that it created.
    pub(super) created: u64,
    /// Number of tasks that it executed.
    pub(super) executed: u64,
    /// Time of its creations; `null` where it can't be seen.
    pub(super) creation_ns: Option<f64>,
    /// Time of its executions.
    pub(super) execution_ns: f64,
    /// Time in suspensions, with no task to run.
    pub(super) idle_ns: f64,
}

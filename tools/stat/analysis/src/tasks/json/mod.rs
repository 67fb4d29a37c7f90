//! The same figures for programs: JSON, described in `tasks-json.md`.

mod shape;

use std::ffi::OsString;

use anyhow::Result;
use json_document::{Document, words};
use symbols::Place;

use shape::{Body, CutOff, OneConstruct, OneLevel, OnePlace, OneProcess, OneTask, OneThread, Share, Spread, TreePart};

use super::construct::Construct;
use super::snapshot::{Level, Node, Process, TasksRun, Thread};
use super::times::Times;
use super::{facts, gains};

/// The profile, followed by a line end.
///
/// # Errors
/// None is known: it contains nothing that JSON can't represent.
pub fn document(command: &[OsString], run: &TasksRun, with_tree: bool) -> Result<String> {
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
        objects_left_out: run.objects_left_out,
        tree: with_tree.then(|| tree_part(run)),
    };
    Ok(Document::of(body).text()?)
}

/// The tree alone.
///
/// # Errors
/// None is known.
pub fn tree(run: &TasksRun) -> Result<String> {
    Ok(Document::of(tree_part(run)).text()?)
}

fn tree_part(run: &TasksRun) -> TreePart<'_> {
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

fn one_process<'a>(run: &'a TasksRun, process: &'a Process) -> OneProcess<'a> {
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
        Place::Symbol { function, address: _, object } => {
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

//! The table's summary of one process: runtime, wall time, shape of the task tree, and the gains that concern all of its tasks.

use symbols::Place;
use terminal::page::Page;
use terminal::quantity::{count, percent, time};
use untrusted::figure::Total;

use super::gains::{self, CutOff};
use super::snapshot::{Process, TasksRun, Thread};
use crate::exit::Exit;

/// Appends one line of the summary: a name and its text.
pub(super) fn field(out: &mut Page, name: &str, text: &str) {
    out.field(3, name, 18, text);
}

/// The threads that have executed tasks. Of those that shared a row in turn, some may not have.
fn executing_threads(threads: &[Thread]) -> String {
    let working = || threads.iter().filter(|thread| thread.executed > 0);
    let turns = working().map(|thread| u64::from(thread.turns.max(1))).total();
    let in_turn = if working().any(|thread| thread.turns > 1) { "up to " } else { "" };
    format!("{in_turn}{}", count(turns, "thread", "threads"))
}

/// Appends the summary of one process.
pub(super) fn summary(out: &mut Page, run: &TasksRun, process: &Process) {
    field(out, "runtime", &process.who.runtime_line());
    field(out, "wall time", &time(run.wall_ns as f64));
    match run.exit {
        Exit::Code(0) => {}
        exit => field(out, "ended", &exit.to_string()),
    }
    if !process.used_tasks() {
        return;
    }
    let created = process.sum(|thread| thread.created);
    let executed = process.sum(|thread| thread.executed);
    let on = executing_threads(&process.threads);
    field(out, "tasks", &format!("{created} created at {}, {executed} executed by {on}", places(process)));
    field(out, "tree", &shape(process));
    if let Some(fetch_ns) = process.fetch_ns {
        field(out, "pool", &format!("the next task is there after {} if there is one", time(fetch_ns)));
    }
    let watching_ns = process.sum_ns(|thread| thread.watching_ns);
    field(out, "watching", &format!("took about {} of the threads' time", time(watching_ns)));
    if let Some(construct) = gains::alone(process) {
        let is_long = gains::are_long(construct);
        let (name, cure) =
            if is_long { ("long tasks", advice::tasks::LONG) } else { ("few tasks", advice::tasks::FEW) };
        let text = format!(
            "for {} no other thread had a task while {} of {} ran (longest {}, half of all there up to {}): {cure}",
            time(construct.alone_ns),
            count(construct.alone_tasks, "task", "tasks"),
            construct.place.name(),
            time(construct.execution.max_ns),
            time(construct.execution.quantile_ns(0.5).unwrap_or(0.0)),
        );
        field(out, name, &text);
    }
    if let Some(cut) = gains::cut_off(process) {
        let CutOff { level, saved_tasks, saved_ns, left, left_ns } = cut;
        field(
            out,
            "cut-off",
            &format!(
                "without tasks below level {level}, {saved_tasks} fewer are created ({} %),",
                percent(saved_tasks as f64, created as f64)
            ),
        );
        let (left, verb) = (count(left, "task", "tasks"), if left == 1 { "remains" } else { "remain" });
        let (saved, each) = (time(saved_ns), time(left_ns));
        field(out, "", &format!("which saves about {saved} of all threads' time;"));
        field(out, "", &format!("{left} of {each} on average {verb} on level {level}"));
    } else if gains::may_be_uneven(process) {
        let text = "none advised: on each level, one task may have more than a thread's share of the work below it";
        field(out, "cut-off", text);
    }
}

/// The number of places that create tasks.
pub(super) fn places(process: &Process) -> String {
    let known = process.constructs.iter().filter(|construct| construct.place != Place::Many).count();
    let more = if known < process.constructs.len() { "more than " } else { "" };
    format!("{more}{}", count(known as u64, "place", "places"))
}

fn shape(process: &Process) -> String {
    let deepest = process.constructs.iter().map(|construct| construct.depth_max).max().unwrap_or(0);
    let created: u64 = process.constructs.iter().map(|construct| construct.creation.count).total();
    let sum: f64 = process.constructs.iter().map(|c| c.depth_mean() * c.creation.count as f64).sum();
    let most = process.constructs.iter().map(|construct| construct.children_max).max().unwrap_or(0);
    let widest = process.levels.iter().zip(1..).max_by_key(|(level, number)| (level.created, -*number));
    let (wide, number) = widest.map_or((0, 1), |(level, number)| (level.created, number));
    format!(
        "{} deep (mean {:.1}), widest on level {number} ({wide}); up to {} of a task",
        count(deepest, "level", "levels"),
        sum / created.max(1) as f64,
        count(most, "child", "children"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_shared_a_row_in_turn_may_each_have_executed_tasks() {
        let row = |turns, executed| Thread { turns, executed, ..Thread::default() };
        assert_eq!(executing_threads(&[row(1, 2), row(1, 0), row(1, 1)]), "2 threads");
        assert_eq!(executing_threads(&[row(1, 2), row(5, 9), row(7, 0)]), "up to 6 threads");
    }
}

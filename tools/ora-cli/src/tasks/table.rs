//! The report, as text.

use std::ffi::OsStr;
use std::fmt::Write;

use super::advice::{self, CutOff, Joined, Small};
use super::measured::{Construct, Level, Process, Run};
use crate::ending::Ending;
use crate::identity::End;
use crate::quantity::{count, percent, time};
use crate::stat::hints;

/// What to show, and how much.
pub(super) struct Table<'a> {
    /// What the user typed.
    pub(super) name: &'a str,
    /// Its first word.
    pub(super) program: &'a OsStr,
    /// Most threads in rows of their own.
    pub(super) rows: usize,
    /// Most places.
    pub(super) places: usize,
    /// Whether other processes were counted.
    pub(super) followed: bool,
}

impl Table<'_> {
    /// All of it.
    pub(super) fn render(&self, run: &Run) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "\n OpenMP tasks of '{}':\n", self.name);
        match run.subject() {
            None => {
                let _ = writeln!(
                    out,
                    "   {:<18}{}\n\n   Note: {}",
                    "wall time",
                    time(run.wall_ns as f64),
                    hints::not_seen(self.program)
                );
            }
            Some(process) => {
                if run.subject_was_started() {
                    let who = &process.who;
                    let _ = writeln!(
                        out,
                        "   Of '{}' (pid {}), which it started: no other process used tasks.\n",
                        who.command, who.pid
                    );
                }
                self.subject(&mut out, run, process);
            }
        }
        self.others(&mut out, run);
        let _ = writeln!(out);
        out
    }

    fn subject(&self, out: &mut String, run: &Run, process: &Process) {
        head(out, run, process);
        if process.used_tasks() {
            for (number, construct) in process.constructs.iter().enumerate().take(self.places) {
                place(out, number + 1, process, construct);
            }
            if let Some(more) = process.constructs.len().checked_sub(self.places).filter(|more| *more > 0) {
                let _ = writeln!(
                    out,
                    "\n   and {} (`--places all` shows them)",
                    count(more as u64, "more place", "more places")
                );
            }
            levels(out, &process.levels);
            self.threads(out, process);
            footnotes(out, process);
        }
        for line in notes(process, !run.others.is_empty()) {
            let _ = writeln!(out, "\n   Note: {line}.");
        }
    }

    fn threads(&self, out: &mut String, process: &Process) {
        let _ = writeln!(
            out,
            "\n   {:<14}{:>14}{:>14}{:>9}{:>15}{:>15}{:>15}",
            "each thread", "created", "executed", "%", "creating", "executing", "idle *"
        );
        let all = process.sum(|thread| thread.executed) as f64;
        for (row, thread) in process.threads.iter().enumerate().take(self.rows) {
            let turns = if thread.turns > 1 { format!(" x {}", thread.turns) } else { String::new() };
            let _ = writeln!(
                out,
                "   {:<14}{:>14}{:>14}{:>9}{:>15}{:>15}{:>15}",
                format!("{row:>4}{turns}"),
                thread.created,
                thread.executed,
                percent(thread.executed as f64, all),
                if process.sight.creation { time(thread.creation_ns) } else { "-".to_owned() },
                time(thread.execution_ns),
                time(thread.idle_ns)
            );
        }
        if let Some(more) = process.threads.len().checked_sub(self.rows).filter(|more| *more > 0) {
            let _ = writeln!(out, "   and {more} more (`--threads all` shows them)");
        }
    }

    fn others(&self, out: &mut String, run: &Run) {
        if !run.subject_was_started() && !run.others.is_empty() {
            let _ = writeln!(out, "\n Other processes that used tasks: {}\n", run.others.len());
            for process in run.others.iter().take(self.rows) {
                other(out, process);
            }
            if let Some(more) = run.others.len().checked_sub(self.rows).filter(|more| *more > 0) {
                let _ = writeln!(out, "   and {more} more (`--threads all` shows them)");
            }
        }
        if run.without_tasks > 0 {
            let started = count(run.without_tasks as u64, "process that it started", "processes that it started");
            let _ = writeln!(out, "\n   {started} used no tasks.");
        }
        if !self.followed {
            let _ = writeln!(out, "\n   Processes that it started are left out (--no-follow).");
        }
        if run.processes_left_out + run.threads_left_out + run.cells_left_out > 0 {
            let _ = writeln!(
                out,
                "\n   Left out, for want of room or memory: {}, {}, {}.",
                count(run.processes_left_out as u64, "process", "processes"),
                count(run.threads_left_out as u64, "thread", "threads"),
                count(run.cells_left_out as u64, "pair of thread and place", "pairs of thread and place"),
            );
        }
    }
}

fn line(out: &mut String, name: &str, text: &str) {
    let _ = writeln!(out, "   {name:<18}{text}");
}

fn head(out: &mut String, run: &Run, process: &Process) {
    line(out, "runtime", &process.who.runtime_line());
    line(out, "wall time", &time(run.wall_ns as f64));
    match run.ending {
        Ending::Code(0) => {}
        ending => line(out, "ended", &ending.to_string()),
    }
    if !process.used_tasks() {
        return;
    }
    let created = process.sum(|thread| thread.created);
    let executed = process.sum(|thread| thread.executed);
    let working = process.threads.iter().filter(|thread| thread.executed > 0).count() as u64;
    let on = count(working, "thread", "threads");
    line(out, "tasks", &format!("{created} created at {}, {executed} executed by {on}", places(process)));
    line(out, "tree", &shape(process));
    if let Some(fetch_ns) = process.fetch_ns {
        line(out, "pool", &format!("the next task is there after {} if there is one", time(fetch_ns)));
    }
    let watching_ns = process.sum_ns(|thread| thread.watching_ns);
    line(out, "watching", &format!("added about {} to the threads' time", time(watching_ns)));
    if let Some(cut) = advice::cut_off(process) {
        let CutOff { level, saved_tasks, saved_ns, left, left_ns } = cut;
        line(
            out,
            "cut-off",
            &format!(
                "no tasks below level {level} would save {} ({} %)",
                count(saved_tasks, "task", "tasks"),
                percent(saved_tasks as f64, created as f64)
            ),
        );
        let left = count(left, "task", "tasks");
        line(
            out,
            "",
            &format!("and about {} of all threads; {left} of {} left on that level", time(saved_ns), time(left_ns)),
        );
    }
}

fn places(process: &Process) -> String {
    count(process.constructs.len() as u64, "place", "places")
}

fn shape(process: &Process) -> String {
    let deepest = process.constructs.iter().map(|construct| construct.depth_max).max().unwrap_or(0);
    let created: u64 = process.constructs.iter().map(|construct| construct.creation.count).sum();
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

fn place(out: &mut String, number: usize, process: &Process, construct: &Construct) {
    let title = format!("{number}  {}", construct.place.name());
    let tasks = count(construct.creation.count, "task", "tasks");
    let _ = writeln!(out, "\n   {title:<64}{tasks:>32}");
    let chunks = construct.shows_creation != process.sight.creation;
    let rows = [
        ("creation", construct.shows_creation.then_some(&construct.creation)),
        ("waiting in the pool", Some(&construct.waiting)),
        ("execution", Some(&construct.execution)),
        ("suspension", Some(&construct.suspension)),
        ("clean-up", process.sight.exit.then_some(&construct.cleanup)),
    ];
    let columns = |out: &mut String, name: &str, cells: [String; 6]| {
        let [tasks, lower, median, upper, max, all] = cells;
        let _ = writeln!(out, "      {name:<20}{tasks:>11}{lower:>12}{median:>12}{upper:>12}{max:>13}{all:>14}");
    };
    columns(out, "each task", ["tasks", "quarter", "half", "3 quarters", "longest", "all"].map(str::to_owned));
    for (name, times) in rows {
        let Some(times) = times else {
            let whose = if name == "creation" && chunks { "for a taskloop's chunks" } else { "on this runtime" };
            let _ = writeln!(out, "      {name:<20}{:>13} {whose}", "not visible");
            continue;
        };
        let shown = |ns: Option<f64>| ns.filter(|_| times.count > 0).map_or_else(|| "-".to_owned(), time);
        let [lower, median, upper] = [0.25, 0.5, 0.75].map(|part| shown(times.quantile_ns(part)));
        let [longest, all] = [times.max_ns, times.total_ns].map(|ns| shown(Some(ns)));
        columns(out, name, [times.count.to_string(), lower, median, upper, longest, all]);
    }
    for remark in remarks(process, construct) {
        let _ = writeln!(out, "      {remark}");
    }
}

fn remarks(process: &Process, construct: &Construct) -> Vec<String> {
    let mut lines = Vec::new();
    let executed = construct.execution.count;
    if let Some(Small { count: small @ 1.., cost_ns }) = advice::small(construct, process.fetch_ns) {
        lines.push(format!(
            "about {small} ({} %) too small: they ran for less than the {} that one costs",
            percent(small as f64, executed as f64),
            time(cost_ns)
        ));
    }
    if let Some(Joined { each, saved_ns }) = advice::joined(process, construct) {
        let saved = time(saved_ns);
        lines.push(if each < executed {
            format!("{each} of them in one task would save about {saved} of all threads")
        } else {
            format!("all of them together are too small: without tasks about {saved} of all threads would be saved")
        });
    }
    if construct.suspension.count > 0 {
        lines.push(format!(
            "suspended tasks' threads had nothing to do for {} ({} % of the suspensions)",
            time(construct.idle_ns),
            percent(construct.idle_ns, construct.suspension.total_ns)
        ));
    }
    if construct.undeferred > 0 {
        lines.push(format!("{} ran at once, without the pool", construct.undeferred));
    }
    if construct.early + construct.negative > 0 {
        lines.push(format!(
            "waiting counts as 0 for {} whose execution began before their creation had ended",
            construct.early + construct.negative
        ));
    }
    if construct.never_started() > 0 {
        lines.push(format!("{} never ran: cancelled, or untimed, or the process ended", construct.never_started()));
    }
    if construct.unfinished() > 0 {
        lines.push(format!("{} had not ended when the process did", construct.unfinished()));
    }
    if let [_, _, ..] = construct.by_thread.as_slice() {
        let shares = construct.by_thread.iter().map(|(_, count)| *count);
        let (least, most) = (shares.clone().min().unwrap_or(0), shares.max().unwrap_or(0));
        lines.push(format!("each of {} threads executed {least} to {most}", construct.by_thread.len()));
    }
    lines
}

fn levels(out: &mut String, levels: &[Level]) {
    const ROWS: usize = 12;
    if levels.len() < 2 {
        return;
    }
    let _ =
        writeln!(out, "\n   {:<14}{:>14}{:>18}{:>18}{:>18}", "level", "tasks", "executing", "mean", "with all below");
    let mut below: f64 = levels.iter().map(|level| level.execution_ns).sum();
    // Few levels whole; of many the first ones and the last.
    let skipped = if levels.len() > ROWS { ROWS - 1..levels.len() - 1 } else { 0..0 };
    for (index, level) in levels.iter().enumerate() {
        if index == skipped.start && !skipped.is_empty() {
            let tasks: u64 = levels.get(skipped.clone()).unwrap_or_default().iter().map(|level| level.created).sum();
            let _ = writeln!(out, "   {:<14}{tasks:>14}", format!("{} more", skipped.len()));
        }
        if !skipped.contains(&index) {
            let each = |ns: f64| time(ns / level.executed.max(1) as f64);
            let _ = writeln!(
                out,
                "   {:<14}{:>14}{:>18}{:>18}{:>18}",
                format!("{:>5}", index + 1),
                level.created,
                time(level.execution_ns),
                each(level.execution_ns),
                each(below)
            );
        }
        below -= level.execution_ns;
    }
}

fn other(out: &mut String, process: &Process) {
    let _ = writeln!(out, "   '{}' (pid {}, {}):", process.who.command, process.who.pid, process.who.story());
    let _ = writeln!(
        out,
        "      {} created at {}, executing {}{}",
        count(process.sum(|thread| thread.created), "task", "tasks"),
        places(process),
        time(process.sum_ns(|thread| thread.execution_ns)),
        if process.sight.creation {
            format!(", creating {}", time(process.sum_ns(|thread| thread.creation_ns)))
        } else {
            String::new()
        },
    );
}

fn footnotes(out: &mut String, process: &Process) {
    let without = if process.sight.creation { "suspensions, creations, and" } else { "suspensions and" };
    let _ = writeln!(
        out,
        "\n   A quarter, half and three quarters of the tasks took less than these times.\n   Waiting: from the end of the creation to the begin of the execution. Execution: without\n   \
         {without} other tasks run meanwhile. Suspension: from begin to end,\n   \
         whatever the thread did.   * in suspensions, with no task to run"
    );
    if !process.sight.creation {
        let _ = writeln!(
            out,
            "   This runtime tells of a creation once, not when it begins and ends: so it isn't known what a\n   \
             task costs, and nothing is said of tasks that are too small."
        );
    }
    let forgotten = process.sum(|thread| thread.forgotten);
    if forgotten > 0 {
        let _ = writeln!(out, "   {forgotten} without a place or times: too many tasks waited to remember them all");
    }
}

fn notes(process: &Process, others: bool) -> Vec<String> {
    let mut lines: Vec<String> = hints::session(&process.who).into_iter().collect();
    if process.who.session == Some(0) && !process.used_tasks() {
        lines.push(if others {
            "it used no tasks itself".to_owned()
        } else if process.who.runtimes == 0 {
            "no OpenMP runtime was loaded. Is the program compiled and linked with -fopenmp (`ldd PROGRAM` then shows \
             libgomp)? `ora doctor -- PROGRAM` tells more"
                .to_owned()
        } else if process.who.refused.is_empty() {
            "no task was seen. `ora stat -- PROGRAM` shows what else the threads did; `ora doctor -- PROGRAM` tells \
             whether it would be seen"
                .to_owned()
        } else {
            format!("the tasks of this runtime are not reported: {}", hints::SILENCED)
        });
    }
    if let too_deep @ 1.. = process.too_deep() {
        lines.push(format!(
            "{} of {} ran nested so deep that the system refused memory for their times: execution, suspension and \
             levels are without them, and no cut-off is advised",
            too_deep,
            count(process.sum(|thread| thread.created), "task", "tasks"),
        ));
    }
    if process.who.end == End::Running {
        lines.push("this process still runs: the table shows it up to now".to_owned());
    }
    lines
}

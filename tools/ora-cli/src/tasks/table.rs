//! The report, as text.

use std::ffi::OsStr;

use ora_collectors::roll::runtime;
use ora_collectors::tasks::layout::{EACH, LEARNING};
use report::page::{Column, Page, Table as Rows, Tone};

use super::advice::{self, CutOff, Joined, Small};
use super::measured::{Construct, Level, Process, Run};
use crate::ending::Ending;
use crate::identity::End;
use crate::quantity::{count, percent, time};
use crate::stat::hints;

/// Most processes that the program started, unless all are wanted.
const OTHERS: usize = 10;

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
    pub(super) fn render(&self, run: &Run) -> Page {
        let mut out = Page::default();
        out.blank();
        out.heading(&format!("OpenMP tasks of '{}':", self.name));
        match run.subject() {
            None => {
                line(&mut out, "wall time", &time(run.wall_ns as f64));
                note(&mut out, &hints::not_seen(self.program));
            }
            Some(process) => {
                if run.subject_was_started() {
                    let who = &process.who;
                    let of = format!("Of '{}' (pid {})", who.command, who.pid);
                    out.text(3, &format!("{of}, which it started: no other process used tasks."));
                    out.blank();
                }
                self.subject(&mut out, run, process);
            }
        }
        self.others(&mut out, run);
        out.blank();
        out
    }

    fn subject(&self, out: &mut Page, run: &Run, process: &Process) {
        head(out, run, process);
        if process.used_tasks() {
            for (number, construct) in process.constructs.iter().enumerate().take(self.places) {
                place(out, number + 1, process, construct);
            }
            if let Some(more) = process.constructs.len().checked_sub(self.places).filter(|more| *more > 0) {
                let more = count(more as u64, "more place", "more places");
                out.blank();
                out.text(3, &format!("and {more} (`--places all` shows them)"));
            }
            levels(out, &process.levels);
            self.threads(out, process);
            footnotes(out, process);
        }
        for line in notes(process, !run.others.is_empty()) {
            note(out, &format!("{line}."));
        }
        if let Some(advice) = run.ending.advice() {
            note(out, &format!("{advice}."));
        }
    }

    fn threads(&self, out: &mut Page, process: &Process) {
        let mut table = Rows::new(
            3,
            vec![
                Column::label("each thread", 14),
                Column::figure("created", 14).spare(1),
                Column::figure("executed", 14),
                Column::figure("%", 9),
                Column::figure("creating", 15).spare(2),
                Column::figure("executing", 15),
                Column::figure("idle *", 15),
            ],
        );
        let all = process.sum(|thread| thread.executed) as f64;
        for (row, thread) in process.threads.iter().enumerate().take(self.rows) {
            let turns = if thread.turns > 1 { format!(" x {}", thread.turns) } else { String::new() };
            table.row([
                format!("{row:>4}{turns}"),
                thread.created.to_string(),
                thread.executed.to_string(),
                percent(thread.executed as f64, all),
                if process.sight.creation { time(thread.creation_ns) } else { "-".to_owned() },
                time(thread.execution_ns),
                time(thread.idle_ns),
            ]);
        }
        out.blank();
        out.table(table);
        if let Some(more) = process.threads.len().checked_sub(self.rows).filter(|more| *more > 0) {
            out.text(3, &format!("and {more} more (`--threads all` shows them)"));
        }
    }

    fn others(&self, out: &mut Page, run: &Run) {
        if !run.subject_was_started() && !run.others.is_empty() {
            out.blank();
            out.heading(&format!("Other processes that used tasks: {}", run.others.len()));
            let mut dearest: Vec<&Process> = run.others.iter().collect();
            dearest.sort_by(|one, other| executing(other).total_cmp(&executing(one)));
            if dearest.len() > 1 {
                let created = run.others.iter().map(|process| process.sum(|thread| thread.created)).sum();
                let created = count(created, "task", "tasks");
                let all = time(run.others.iter().map(executing).sum());
                out.text(3, &format!("all of them: {created} created, executing {all}; the dearest first:"));
            }
            let shown = if self.rows == usize::MAX { self.rows } else { self.rows.min(OTHERS) };
            for process in dearest.iter().take(shown) {
                other(out, process);
            }
            if let Some(more) = dearest.len().checked_sub(shown).filter(|more| *more > 0) {
                out.text(3, &format!("and {more} more (`--threads all` shows them)"));
            }
        }
        let mut text = |text: &str| {
            out.blank();
            out.text(3, text);
        };
        if run.without_tasks > 0 {
            let started = count(run.without_tasks as u64, "process that it started", "processes that it started");
            text(&format!("{started} used no tasks."));
        }
        if !self.followed {
            text("Processes that it started are left out (--no-follow).");
        }
        if run.processes_left_out + run.threads_left_out + run.cells_left_out > 0 {
            text(&format!(
                "Left out, for want of room or memory: {}, {}, {}.",
                count(run.processes_left_out as u64, "process", "processes"),
                count(run.threads_left_out as u64, "thread", "threads"),
                count(run.cells_left_out as u64, "pair of thread and place", "pairs of thread and place"),
            ));
        }
    }
}

fn line(out: &mut Page, name: &str, text: &str) {
    out.field(3, name, 18, text);
}

fn note(out: &mut Page, text: &str) {
    out.blank();
    out.paragraph(3, "Note: ", text, Tone::Note);
}

fn head(out: &mut Page, run: &Run, process: &Process) {
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
    if let Some(construct) = advice::alone(process) {
        let text = format!(
            "for {} no other thread had a task while {} of {} ran (longest {}, half of all there up to {}): make the longest ones smaller, or \
             create them first",
            time(construct.alone_ns),
            count(construct.alone_tasks, "task", "tasks"),
            construct.place.name(),
            time(construct.execution.max_ns),
            time(construct.execution.quantile_ns(0.5).unwrap_or(0.0)),
        );
        line(out, "long tasks", &text);
    }
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

fn place(out: &mut Page, number: usize, process: &Process, construct: &Construct) {
    out.blank();
    let mut title = Rows::new(3, vec![Column::name_within("", 64), Column::figure("", 32)]).headless();
    let tasks = count(construct.creation.count, "task", "tasks");
    title.row([format!("{number}  {}", construct.place.name()), tasks]);
    out.table(title);
    let chunks = construct.shows_creation != process.sight.creation;
    let rows = [
        ("creation", construct.shows_creation.then_some(&construct.creation)),
        ("waiting in the pool", Some(&construct.waiting)),
        ("execution", Some(&construct.execution)),
        ("suspension", Some(&construct.suspension)),
        ("clean-up", process.sight.exit.then_some(&construct.cleanup)),
    ];
    let mut table = Rows::new(
        6,
        vec![
            Column::label("each task", 20),
            Column::figure("tasks", 11).spare(2),
            Column::figure("quarter", 12).spare(4),
            Column::figure("half", 12),
            Column::figure("3 quarters", 12).spare(3),
            Column::figure("longest", 13).spare(1),
            Column::figure("all", 14),
        ],
    );
    for (name, times) in rows {
        let Some(times) = times else {
            let whose = if name == "creation" && chunks { "for a taskloop's chunks" } else { "on this runtime" };
            table.remark([name.to_owned()], &format!("{:>13} {whose}", "not visible"));
            continue;
        };
        let shown = |ns: Option<f64>| ns.filter(|_| times.count > 0).map_or_else(|| "-".to_owned(), time);
        let [lower, median, upper] = [0.25, 0.5, 0.75].map(|part| shown(times.quantile_ns(part)));
        let [longest, all] = [times.max_ns, times.total_ns].map(|ns| shown(Some(ns)));
        table.row([name.to_owned(), times.count.to_string(), lower, median, upper, longest, all]);
    }
    out.table(table);
    for remark in remarks(process, construct) {
        out.text(6, &remark);
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

fn levels(out: &mut Page, levels: &[Level]) {
    const ROWS: usize = 12;
    if levels.len() < 2 {
        return;
    }
    let mut table = Rows::new(
        3,
        vec![
            Column::label("level", 14),
            Column::figure("tasks", 14),
            Column::figure("executing", 18),
            Column::figure("mean", 18),
            Column::figure("with all below", 18),
        ],
    );
    let mut below: f64 = levels.iter().map(|level| level.execution_ns).sum();
    // Few levels whole; of many the first ones and the last.
    let skipped = if levels.len() > ROWS { ROWS - 1..levels.len() - 1 } else { 0..0 };
    for (index, level) in levels.iter().enumerate() {
        if index == skipped.start && !skipped.is_empty() {
            let tasks: u64 = levels.get(skipped.clone()).unwrap_or_default().iter().map(|level| level.created).sum();
            table.row([format!("{} more", skipped.len()), tasks.to_string()]);
        }
        if !skipped.contains(&index) {
            let each = |ns: f64| time(ns / level.executed.max(1) as f64);
            table.row([
                format!("{:>5}", index + 1),
                level.created.to_string(),
                time(level.execution_ns),
                each(level.execution_ns),
                each(below),
            ]);
        }
        below -= level.execution_ns;
    }
    out.blank();
    out.table(table);
}

fn other(out: &mut Page, process: &Process) {
    out.text(3, &format!("'{}' (pid {}, {}):", process.who.command, process.who.pid, process.who.story()));
    let creating = if process.sight.creation {
        format!(", creating {}", time(process.sum_ns(|thread| thread.creation_ns)))
    } else {
        String::new()
    };
    out.text(
        6,
        &format!(
            "{} created at {}, executing {}{creating}",
            count(process.sum(|thread| thread.created), "task", "tasks"),
            places(process),
            time(executing(process)),
        ),
    );
}

fn executing(process: &Process) -> f64 {
    process.sum_ns(|thread| thread.execution_ns)
}

fn footnotes(out: &mut Page, process: &Process) {
    let without = if process.sight.creation { "suspensions, creations, and" } else { "suspensions and" };
    out.blank();
    out.text(3, "A quarter, half and three quarters of the tasks took less than these times.");
    let many = |construct: &Construct| construct.undeferred > u64::from(LEARNING);
    if process.who.runtimes == runtime::GNU && process.constructs.iter().any(many) {
        out.text(
            3,
            &format!("Creation: of tasks that ran at once, one of {EACH} is timed; the others count as long as half of these."),
        );
    }
    out.text(3, "Waiting: from the end of the creation to the begin of the execution.");
    out.text(3, &format!("Execution: without {without} other tasks run meanwhile."));
    out.text(3, "Suspension: from begin to end, whatever the thread did.");
    out.text(3, "* in suspensions, with no task to run");
    if !process.sight.creation {
        out.text(
            3,
            "This runtime tells of a creation once, not when it begins and ends: so it isn't known what a task costs, and nothing \
             is said of tasks that are too small.",
        );
    }
    let forgotten = process.sum(|thread| thread.forgotten);
    if forgotten > 0 {
        out.text(3, &format!("{forgotten} without a place or times: too many tasks waited to remember them all"));
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

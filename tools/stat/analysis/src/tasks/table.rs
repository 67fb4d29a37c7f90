//! The report, as text.

use terminal::page::{Column, Page, Table as Rows, Tone};
use terminal::quantity::{count, percent, time};
use untrusted::figure::Total;

use super::facts;
use super::notes::{footnotes, notes};
use super::snapshot::{Process, TasksRun};
use super::summary::{field, places, summary};
use super::{construct_table, level_table};
use crate::{hints, left_out};

/// Number of started processes in the list, unless the user asks for all.
const OTHERS: usize = 10;

/// Maximum number of findings above the table. The first ones cost the most.
const FINDINGS: usize = 3;

/// Options of the table: its subject and its extent.
pub struct TasksTable<'a> {
    /// The command line that the user typed.
    pub name: &'a str,
    /// Reason and remedy, where it is certain that nothing of the program can be seen.
    pub why_unseen: Option<(String, String)>,
    /// Activity of a process that was watched for a while without an event of a region, in words.
    pub without_events: Option<String>,
    /// Maximum number of threads with rows of their own.
    pub rows: usize,
    /// Maximum number of places.
    pub places: usize,
    /// True if processes that the program started were counted.
    pub followed: bool,
}

impl TasksTable<'_> {
    /// The whole report.
    pub fn render(&self, run: &TasksRun) -> Page {
        let mut out = Page::default();
        out.blank();
        out.heading(&format!("OpenMP tasks of '{}':", self.name));
        match run.subject() {
            None => {
                field(&mut out, "wall time", &time(run.wall_ns as f64));
                note(&mut out, &hints::not_seen(self.why_unseen.as_ref()));
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

    fn subject(&self, out: &mut Page, run: &TasksRun, process: &Process) {
        let facts = facts::of(run, process);
        for finding in advice::tasks::findings(&facts).iter().take(FINDINGS) {
            out.paragraph(3, "Finding: ", &finding.text(facts.wall_ns), Tone::Finding);
            out.blank();
        }
        summary(out, run, process);
        if process.used_tasks() {
            for (number, construct) in process.constructs.iter().enumerate().take(self.places) {
                construct_table::render(out, number + 1, process, construct);
            }
            if let Some(more) = process.constructs.len().checked_sub(self.places).filter(|more| *more > 0) {
                let more = count(more as u64, "more place", "more places");
                out.blank();
                out.text(3, &format!("and {more} (`--rows all` shows them)"));
            }
            level_table::render(out, &process.levels);
            self.threads(out, process);
            footnotes(out, process);
        }
        let notes = notes(process, !run.others.is_empty());
        for line in self.without_events.as_ref().map_or(notes, |text| vec![text.clone()]) {
            note(out, &format!("{line}."));
        }
        if let Some(advice) = run.exit.advice() {
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
        let more = process.threads.iter().skip(self.rows).map(|thread| u64::from(thread.turns.max(1))).total();
        if more > 0 {
            out.text(3, &format!("and {more} more (`--rows all` shows them)"));
        }
    }

    fn others(&self, out: &mut Page, run: &TasksRun) {
        if !run.subject_was_started() && !run.others.is_empty() {
            out.blank();
            out.heading(&format!("Other processes that used tasks: {}", run.others.len()));
            let mut dearest: Vec<&Process> = run.others.iter().collect();
            dearest.sort_by(|one, other| executing(other).total_cmp(&executing(one)));
            if dearest.len() > 1 {
                let created = run.others.iter().map(|process| process.sum(|thread| thread.created)).total();
                let created = count(created, "task", "tasks");
                let all = time(run.others.iter().map(executing).sum());
                out.text(3, &format!("all of them: {created} created, executing {all}; the most expensive first:"));
            }
            let shown = if self.rows == usize::MAX { self.rows } else { self.rows.min(OTHERS) };
            for process in dearest.iter().take(shown) {
                other(out, process);
            }
            if let Some(more) = dearest.len().checked_sub(shown).filter(|more| *more > 0) {
                out.text(3, &format!("and {more} more (`--rows all` shows them)"));
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
        if run.objects_left_out > 0 {
            text(&left_out::objects(run.objects_left_out));
        }
        if run.processes_left_out.max(run.threads_left_out).max(run.cells_left_out) > 0 {
            text(&format!(
                "Omitted because the tables or the memory are full: {}, {}, {}.",
                count(run.processes_left_out as u64, "process", "processes"),
                count(run.threads_left_out as u64, "thread", "threads"),
                count(run.cells_left_out as u64, "pair of thread and place", "pairs of thread and place"),
            ));
        }
    }
}

fn note(out: &mut Page, text: &str) {
    out.blank();
    out.paragraph(3, "Note: ", text, Tone::Note);
}

fn other(out: &mut Page, process: &Process) {
    out.text(3, &format!("'{}' (pid {}, {}):", process.who.command, process.who.pid, process.who.description()));
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

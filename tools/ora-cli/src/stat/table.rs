//! The table, as text.

use std::ffi::OsStr;
use std::fmt::Write;

use ora_collectors::stat::layout::Activity;

use super::child;
use super::figures::{Figures, Row, Value};
use super::findings;
use super::hints;
use super::measured::{Kind, Process};
use super::processors;
use super::region_table;
use super::report::{Report, Shown};
use super::runtimes;
use crate::ending::Ending;
use crate::quantity::{Unit, count, percent, time};

/// What to show of a report, and how much.
pub(crate) struct Table<'a> {
    /// What the user typed.
    pub(crate) name: &'a str,
    /// Its first word.
    pub(crate) program: &'a OsStr,
    pub(crate) wanted_runs: usize,
    /// Most threads in rows of their own.
    pub(crate) rows: usize,
    /// Whether other processes were counted.
    pub(crate) followed: bool,
}

/// The order of a reader's interest.
pub(super) const ORDER: [Activity; 10] = [
    Activity::Work,
    Activity::Serial,
    Activity::ImplicitBarrier,
    Activity::ExplicitBarrier,
    Activity::TaskWait,
    Activity::Lock,
    Activity::Critical,
    Activity::Ordered,
    Activity::Atomic,
    Activity::Idle,
];

/// What an activity is called.
pub(crate) fn label(activity: Activity) -> &'static str {
    match activity {
        Activity::Work => "work",
        Activity::Serial => "serial",
        Activity::ImplicitBarrier => "implicit barrier",
        Activity::ExplicitBarrier => "explicit barrier",
        Activity::Lock => "lock",
        Activity::Critical => "critical",
        Activity::Ordered => "ordered",
        Activity::Atomic => "atomic",
        Activity::Idle => "idle",
        Activity::TaskWait => "taskwait",
    }
}

/// The same, for the head of a column.
fn short_label(activity: Activity) -> &'static str {
    match activity {
        Activity::ImplicitBarrier => "impl.barrier",
        Activity::ExplicitBarrier => "expl.barrier",
        other => label(other),
    }
}

impl Table<'_> {
    /// All of it.
    pub(crate) fn render(&self, report: &Report<'_>) -> String {
        let mut out = String::new();
        self.title(&mut out, report);
        match &report.subject {
            None => {
                let _ = writeln!(
                    out,
                    "   {:<18}{}\n\n   Note: {}",
                    "wall time",
                    spread_time(report.wall_ns),
                    hints::not_seen(self.program)
                );
            }
            Some(subject) => self.subject(&mut out, report, subject),
        }
        self.others(&mut out, report);
        let _ = writeln!(out);
        out
    }

    fn title(&self, out: &mut String, report: &Report<'_>) {
        let _ = write!(out, "\n OpenMP statistics for '{}'", self.name);
        if self.wanted_runs > 1 {
            let _ = write!(out, " ({}: means, +- standard deviation)", count(report.runs as u64, "run", "runs"));
        }
        let _ = writeln!(out, ":\n");
        if report.subject_was_started
            && let Some(Shown { process, .. }) = &report.subject
        {
            let _ = writeln!(
                out,
                "   Of '{}' (pid {}), which it started: OpenMP was seen in no other process.\n",
                process.who.command, process.who.pid
            );
        }
        if report.runs < self.wanted_runs {
            let _ = writeln!(out, "   Note: stopped after {} of {} runs.\n", report.runs, self.wanted_runs);
        }
    }

    fn subject(&self, out: &mut String, report: &Report<'_>, Shown { process, figures }: &Shown<'_>) {
        for finding in processors::findings(process, figures).into_iter().chain(findings::of(process, figures)) {
            let _ = writeln!(out, "   Finding: {finding}\n");
        }
        head(out, report, process, figures);
        if process.used_openmp() {
            activities(out, report.runs > 1, process, figures);
            region_table::render(out, &figures.by_place);
            runtimes::render(out, process);
            balance(out, figures);
            self.threads(out, figures);
            footnotes(out, process, figures);
        }
        for line in hints::about(process, !report.others.is_empty(), Some(report.last)) {
            let _ = writeln!(out, "\n   Note: {line}.");
        }
    }

    fn threads(&self, out: &mut String, figures: &Figures) {
        if figures.rows.is_empty() {
            let _ = writeln!(out, "\n   The runs had different numbers of threads, so there are no rows for threads.");
            return;
        }
        let columns: Vec<Activity> = ORDER.into_iter().filter(|activity| figures.spent(*activity).mean > 0.0).collect();
        let ready = processors::matter(figures);
        let longest = figures.rows.iter().map(|row| row.spent_ns.iter().sum()).fold(0.0, f64::max);
        let unit = Unit::for_up_to(longest);
        let _ = write!(out, "\n   {:<18}", format!("each thread, {}", unit.name));
        for activity in &columns {
            let _ = write!(out, "{:>13}", short_label(*activity));
        }
        let _ = writeln!(out, "{:>13}{}", "all", if ready { " no processor" } else { "" });
        let line = |out: &mut String, name: &str, row: &dyn Fn(Activity) -> f64, all: f64, ready_ns: f64| {
            let _ = write!(out, "   {name:<18}");
            for activity in &columns {
                let _ = write!(out, "{:>13}", unit.show(row(*activity)));
            }
            let _ = write!(out, "{:>13}", unit.show(all));
            let _ = if ready { writeln!(out, "{:>13}", unit.show(ready_ns)) } else { writeln!(out) };
        };
        for (number, row) in figures.rows.iter().enumerate().take(self.rows) {
            line(
                out,
                &row_name(number, row),
                &|activity| spent(row, activity),
                row.spent_ns.iter().sum(),
                row.ready_ns,
            );
        }
        if let Some(rest @ [_, ..]) = figures.rows.get(self.rows..) {
            let each = rest.len() as f64;
            let mean = |activity| rest.iter().map(|row| spent(row, activity)).sum::<f64>() / each;
            let all = rest.iter().flat_map(|row| row.spent_ns).sum::<f64>() / each;
            let ready_ns = rest.iter().map(|row| row.ready_ns).sum::<f64>() / each;
            line(out, &format!("mean of {} more", rest.len()), &mean, all, ready_ns);
            let _ = writeln!(out, "   (`--threads all` shows each of them)");
        }
    }

    fn others(&self, out: &mut String, report: &Report<'_>) {
        let last = report.last;
        if !report.others.is_empty() {
            let _ = writeln!(out, "\n Other processes that used OpenMP: {}\n", report.others.len());
            report.others.iter().take(self.rows).for_each(|other| child::render(out, other));
            if let Some(more) = report.others.len().checked_sub(self.rows).filter(|more| *more > 0) {
                let _ = writeln!(out, "   and {more} more (`--threads all` shows them)");
            }
        }
        if report.others_of_last_run {
            let _ = writeln!(out, "\n   The runs started different numbers of processes: these are the last run's.");
        }
        if last.without_openmp > 0 {
            let _ = writeln!(
                out,
                "\n   No OpenMP was seen in {}.",
                count(last.without_openmp as u64, "other process that it started", "other processes that it started")
            );
        }
        if !self.followed {
            let _ = writeln!(out, "\n   Processes that it started are left out (--no-follow).");
        }
        if last.regions_left_out > 0 {
            let regions = count(last.regions_left_out, "region is", "regions are");
            let _ = writeln!(out, "\n   {regions} missing in the table of regions, for want of room.");
        }
        if last.processes_left_out + last.threads_left_out > 0 {
            let _ = writeln!(
                out,
                "\n   Left out, for want of room: {} and {}.",
                count(last.processes_left_out as u64, "process", "processes"),
                count(last.threads_left_out as u64, "thread", "threads"),
            );
        }
    }
}

fn head(out: &mut String, report: &Report<'_>, process: &Process, figures: &Figures) {
    let mut line = |name: &str, text: String| {
        let _ = writeln!(out, "   {name:<18}{text}");
    };
    match runtimes::several(process) {
        true => line("runtimes", process.who.runtime_names() + ", by their files below"),
        false => line("runtime", process.who.runtime_line()),
    }
    line("wall time", spread_time(report.wall_ns));
    match report.last.ending {
        Ending::Code(0) => {}
        ending => line("ended", ending.to_string()),
    }
    if !process.used_openmp() {
        return;
    }
    let kind = |kind: Kind| process.threads.iter().filter(|thread| thread.kind == kind).count();
    let mut threads =
        format!("{:.0}   ({} of the pool", figures.threads.mean, count(kind(Kind::Worker) as u64, "worker", "workers"));
    if kind(Kind::Own) > 0 {
        let _ = write!(threads, ", {} of the program's own", kind(Kind::Own));
    }
    for (name, text) in processors::head(process, figures, figures.wall_ns) {
        line(name, text);
    }
    line("threads", threads + ")");
    let mut regions = format!("{:.0}", figures.regions.mean);
    if let Some((min, max)) = figures.region_range_ns {
        let _ = write!(regions, "   (mean {}, min {}, max {}", spread_time(figures.region_ns), time(min), time(max));
        let _ = write!(regions, ")");
    }
    if figures.open_regions.mean > 0.0 {
        let _ = write!(regions, "   {:.0} had not ended", figures.open_regions.mean);
    }
    line("parallel regions", regions);
}

fn activities(out: &mut String, several: bool, process: &Process, figures: &Figures) {
    let unit = Unit::for_up_to(figures.elapsed_ns.mean);
    let elapsed = figures.elapsed_ns.mean;
    let spread_head = if several { "     +- %" } else { "" };
    let _ = writeln!(
        out,
        "\n   {:<18}{:>15}{spread_head}{:>10}{:>12}{:>14}",
        "all threads", unit.name, "%", "waits", "mean wait"
    );
    let show = |value: Value| {
        let spread = if several { format!("{:>9}", percent(value.deviation, value.mean)) } else { String::new() };
        format!("{:>15}{spread}{:>10}", unit.show(value.mean), percent(value.mean, elapsed))
    };
    for activity in ORDER.into_iter().filter(|activity| happened(figures, *activity)) {
        let mark = if activity == Activity::ExplicitBarrier && process.who.is_gnu() { " *" } else { "" };
        let _ = write!(out, "   {:<18}{}", format!("{}{mark}", label(activity)), show(figures.spent(activity)));
        if !matches!(activity, Activity::Work | Activity::Serial | Activity::Idle) {
            let begun = figures.begun(activity).mean;
            let mean = if begun > 0.0 { time(figures.spent(activity).mean / begun) } else { "-".to_owned() };
            let _ = write!(out, "{begun:>12.0}{mean:>14}");
        }
        let _ = writeln!(out);
    }
    let _ = writeln!(out, "\n   {:<18}{}   work + serial", "OpenMP Work", show(figures.work_ns));
    let _ = writeln!(out, "   {:<18}{}   all the rest", "OpenMP Wait", show(figures.wait_ns));
}

/// Whether there is something to show of an activity.
fn happened(figures: &Figures, activity: Activity) -> bool {
    activity == Activity::Work || figures.spent(activity).mean > 0.0 || figures.begun(activity).mean > 0.0
}

fn balance(out: &mut String, figures: &Figures) {
    if let Some(imbalance) = figures.imbalance {
        let _ = writeln!(
            out,
            "\n   {:<18}{} %   (max - mean) / max of a team's running time, by instance of a region\n   {:<18}= ({} - {}) / {}",
            "load imbalance",
            percent(imbalance.share.mean, 1.0),
            "",
            time(imbalance.max_ns.mean),
            time(imbalance.mean_ns.mean),
            time(imbalance.max_ns.mean),
        );
        let _ = writeln!(out, "   {:<18}{}", "barrier waits", region_table::barrier_waits(&figures.by_place));
    }
    if figures.short_lived.mean > 0.0 {
        let _ = writeln!(
            out,
            "\n   {:<18}{:.0} short-lived threads were made for nested regions, and ended with them",
            "nested regions", figures.short_lived.mean
        );
    }
}

fn footnotes(out: &mut String, process: &Process, figures: &Figures) {
    let _ = writeln!(
        out,
        "\n   work is what remains in a region: it has the overhead that no event shows, and most of what watching adds. Tasks are work, also those run in a wait."
    );
    if process.who.is_gnu() && happened(figures, Activity::ExplicitBarrier) {
        let _ =
            writeln!(out, "   * explicit, or end of a static loop or single: code by gcc makes the same call for them");
    }
    if figures.guessed_ns.mean > 0.0 {
        let _ = writeln!(
            out,
            "   {} of idle is a guess: when these waits in a region's last barrier ended was no longer known",
            time(figures.guessed_ns.mean)
        );
    }
    if processors::matter(figures) {
        let _ = writeln!(out, "   no processor: ready to run, and other threads or programs had the processors");
    }
    if figures.unknown_ns.mean > 0.0 {
        let _ = writeln!(
            out,
            "   the end was not seen: whether {} after the last events were spent on a processor is not known",
            time(figures.unknown_ns.mean)
        );
    }
    if figures.rows.iter().any(|row| row.turns > 1) {
        let _ = writeln!(out, "   A row with x N stands for N threads, one after the other");
    }
}

fn spent(row: &Row, activity: Activity) -> f64 {
    row.spent_ns.get(activity as usize).copied().unwrap_or_default()
}

fn row_name(number: usize, row: &Row) -> String {
    let kind = match row.kind {
        Kind::Initial => "initial",
        Kind::Worker => "worker",
        Kind::Own => "own",
    };
    let turns = if row.turns > 1 { format!(" x {}", row.turns) } else { String::new() };
    format!("{number:>4} {kind}{turns}")
}

fn spread_time(value: Value) -> String {
    if value.deviation > 0.0 {
        format!("{} +- {}%", time(value.mean), percent(value.deviation, value.mean))
    } else {
        time(value.mean)
    }
}

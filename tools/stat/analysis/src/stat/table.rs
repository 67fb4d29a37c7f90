//! The table, as text.

use std::fmt::Write;

use ::terminal::page::{Column, Page, Table as Rows, Tone};
use profile_analysis::job;
use stat_layout::stat::instances::OPEN;
use stat_layout::stat::layout::Activity;
use terminal::quantity::{Unit, count, percent, time};

use super::activities::{ORDER, label, short_label};
use super::efficiency::Efficiency;
use super::facts;
use super::figures::{Figures, Row, Value, mean_count, mean_row};
use super::others;
use super::processors;
use super::rank_findings;
use super::region_table;
use super::report::{Report, Shown};
use super::runtimes;
use super::snapshot::{Kind, Process};
use crate::exit::Exit;
use crate::{hints, left_out};

/// Options of the table: its subject and its extent.
pub struct Table<'a> {
    /// The command line that the user typed.
    pub name: &'a str,
    /// Reason and remedy, where it is certain that nothing of the program can be seen.
    pub why_unseen: Option<(String, String)>,
    /// Activity of a process that was watched for a while without an event of a region, in words.
    pub without_events: Option<String>,
    /// Number of runs that the user asked for.
    pub wanted_runs: usize,
    /// Maximum number of threads with rows of their own.
    pub rows: usize,
    /// True if processes that the program started were counted.
    pub followed: bool,
}

/// Maximum number of findings above the table. The first ones save the most.
const FINDINGS: usize = 3;

impl Table<'_> {
    /// The whole table.
    pub fn render(&self, report: &Report<'_>) -> Page {
        let mut out = Page::default();
        self.title(&mut out, report);
        self.job(&mut out, report);
        match &report.subject {
            None => {
                out.field(3, "wall time", 18, &spread_time(report.wall_ns));
                note(&mut out, &hints::not_seen(self.why_unseen.as_ref()));
            }
            Some(subject) if report.last.job.is_some() && !subject.process.used_openmp() => {
                report.last.exit.advice().iter().for_each(|advice| note(&mut out, &format!("{advice}.")));
            }
            Some(subject) => {
                if report.last.job.is_some() {
                    out.blank();
                }
                self.subject(&mut out, report, subject);
            }
        }
        self.others(&mut out, report);
        out.blank();
        out
    }

    fn title(&self, out: &mut Page, report: &Report<'_>) {
        out.blank();
        let mut title = format!("OpenMP statistics for '{}'", self.name);
        if self.wanted_runs > 1 {
            let _ = write!(title, " ({}: means, +- standard deviation)", count(report.runs as u64, "run", "runs"));
        }
        out.heading(&(title + ":"));
        if report.subject_was_started
            && let Some(Shown { process, .. }) = &report.subject
        {
            out.text(
                3,
                &format!(
                    "Of '{}' (pid {}), which it started: OpenMP was seen in no other process.",
                    process.who.command, process.who.pid
                ),
            );
            out.blank();
        }
        if report.runs < self.wanted_runs {
            let text = format!("stopped after {} of {} runs.", report.runs, self.wanted_runs);
            out.paragraph(3, "Note: ", &text, Tone::Note);
            out.blank();
        }
    }

    /// The job of ranks, and the findings in them.
    fn job(&self, out: &mut Page, report: &Report<'_>) {
        let Some(job) = &report.last.job else { return };
        job::text::render(out, job, self.rows == usize::MAX);
        rank_findings::render(out, job, &report.others);
    }

    fn subject(&self, out: &mut Page, report: &Report<'_>, Shown { process, figures }: &Shown<'_>) {
        let facts = facts::of(process, figures);
        let found = advice::findings(&facts);
        for finding in found.iter().take(FINDINGS) {
            out.paragraph(3, "Finding: ", &finding.text(report.wall_ns.mean), Tone::Finding);
            out.blank();
        }
        if let Some(excluded) = advice::excluded(&facts, &found) {
            out.paragraph(3, "Note: ", &format!("{excluded}."), Tone::Note);
            out.blank();
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
        let hints = hints::about(process, !report.others.is_empty(), Some(report.last));
        for line in self.without_events.as_ref().map_or(hints, |text| vec![text.clone()]) {
            note(out, &format!("{line}."));
        }
        if let Some(advice) = report.last.exit.advice() {
            note(out, &format!("{advice}."));
        }
    }

    fn threads(&self, out: &mut Page, figures: &Figures) {
        out.blank();
        if figures.rows.is_empty() {
            out.text(3, "The runs had different numbers of threads, so there are no rows for threads.");
            return;
        }
        let columns: Vec<Activity> = ORDER.into_iter().filter(|activity| figures.spent(*activity).mean > 0.0).collect();
        let ready = processors::matter(figures);
        let longest = figures.rows.iter().map(|row| row.spent_ns.iter().sum()).fold(0.0, f64::max);
        let unit = Unit::for_up_to(longest);
        let mut heads = vec![Column::label(format!("each thread, {}", unit.name), 18)];
        heads.extend(columns.iter().map(|activity| {
            // The activities that take the least time are left out first.
            let larger = columns.iter().filter(|other| figures.spent(**other).mean > figures.spent(*activity).mean);
            Column::figure(short_label(*activity), 13).spare(u32::try_from(larger.count()).unwrap_or(u32::MAX))
        }));
        heads.push(Column::figure("all", 13).spare(2));
        if ready {
            heads.push(Column::figure("no processor", 13).spare(1));
        }
        let mut table = Rows::new(3, heads);
        let line = |name: String, row: &dyn Fn(Activity) -> f64, all: f64, ready_ns: f64| {
            let mut cells = vec![name];
            cells.extend(columns.iter().map(|activity| unit.show(row(*activity))));
            cells.push(unit.show(all));
            cells.extend(ready.then(|| unit.show(ready_ns)));
            cells
        };
        for (number, row) in figures.rows.iter().enumerate().take(self.rows) {
            let all = row.spent_ns.iter().sum();
            table.row(line(row_name(number, row), &|activity| row.spent(activity), all, row.ready_ns));
        }
        let rest = figures.rows.get(self.rows..).and_then(mean_row);
        if let Some(rest) = &rest {
            let all = rest.spent_ns.iter().sum();
            table.row(line(
                format!("mean of {} more", rest.turns),
                &|activity| rest.spent(activity),
                all,
                rest.ready_ns,
            ));
        }
        out.table(table);
        if rest.is_some() {
            out.text(3, "(`--rows all` shows each of them)");
        }
    }

    fn others(&self, out: &mut Page, report: &Report<'_>) {
        let last = report.last;
        others::render(out, report, self.rows);
        let mut text = |text: &str| {
            out.blank();
            out.text(3, text);
        };
        if report.others_of_last_run {
            text("The runs started different numbers of processes: these are the last run's.");
        }
        if last.without_openmp > 0 {
            let others =
                count(last.without_openmp as u64, "other process that it started", "other processes that it started");
            text(&format!("No OpenMP was seen in {others}."));
        }
        if !self.followed {
            text("Processes that it started are left out (--no-follow).");
        }
        if last.regions_left_out > 0 {
            let executions = count(last.regions_left_out, "execution", "executions");
            text(&format!("{executions} of regions omitted: the region table is full."));
        }
        if last.shares_left_out > 0 {
            let shares = count(last.shares_left_out, "share", "shares");
            text(&format!(
                "The table of regions lacks {shares} of threads in regions, their waits and their work, and the waits of those that \
                 started these regions: more than {OPEN} regions were open at a time."
            ));
        }
        if last.regions_too_deep > 0 {
            let regions = count(last.regions_too_deep, "region has", "regions have");
            text(&format!("{regions} no times in the table of regions: they were more than 8 inside of each other."));
        }
        if last.objects_left_out > 0 {
            text(&left_out::objects(last.objects_left_out));
        }
        if last.processes_left_out + last.threads_left_out > 0 {
            text(&format!(
                "Omitted because the tables are full: {} and {}.",
                count(last.processes_left_out as u64, "process", "processes"),
                count(last.threads_left_out as u64, "thread", "threads"),
            ));
        }
    }
}

fn note(out: &mut Page, text: &str) {
    out.blank();
    out.paragraph(3, "Note: ", text, Tone::Note);
}

fn head(out: &mut Page, report: &Report<'_>, process: &Process, figures: &Figures) {
    let mut line = |name: &str, text: String| out.field(3, name, 18, &text);
    match runtimes::several(process) {
        true => line("runtimes", process.who.runtime_names() + ", by their files below"),
        false if process.who.runtimes == 0 && process.used_openmp() => {
            line("runtime", "not seen itself, but the calls of OPARI's instrumentation (POMP2)".to_owned());
        }
        false => line("runtime", process.who.runtime_line()),
    }
    line("wall time", spread_time(report.wall_ns));
    match report.last.exit {
        Exit::Code(0) => {}
        exit => line("ended", exit.to_string()),
    }
    if !process.used_openmp() {
        return;
    }
    let kind = |kind: Kind| process.count(|thread| thread.kind == kind);
    let of_pool = |number| count(number, "worker of the pool", "workers of the pool");
    let kinds = match (kind(Kind::Worker), kind(Kind::Own)) {
        (workers, 0) => of_pool(workers),
        // Threads of both kinds may have shared a row in turn.
        _ if process.threads.iter().any(|thread| thread.turns > 1) => {
            "workers of the pool, and the program's own".to_owned()
        }
        (workers, own) => format!("{}, {own} of the program's own", of_pool(workers)),
    };
    let threads = format!("{}   ({kinds})", mean_count(figures.threads.mean));
    for (name, text) in processors::head(process, figures, figures.wall_ns) {
        line(name, text);
    }
    line("threads", threads);
    let mut regions = mean_count(figures.regions.mean);
    if let Some((min, max)) = figures.region_range_ns {
        let _ = write!(regions, "   (mean {}, min {}, max {}", spread_time(figures.region_ns), time(min), time(max));
        let _ = write!(regions, ")");
    }
    if figures.open_regions.mean > 0.0 {
        let _ = write!(regions, "   {} had not ended", mean_count(figures.open_regions.mean));
    }
    line("parallel regions", regions);
}

fn activities(out: &mut Page, several: bool, process: &Process, figures: &Figures) {
    let unit = Unit::for_up_to(figures.elapsed_ns.mean);
    let elapsed = figures.elapsed_ns.mean;
    out.blank();
    let mut columns = vec![Column::label("all threads", 18), Column::figure(unit.name, 15)];
    columns.extend(several.then(|| Column::figure("+- %", 9)));
    columns.push(Column::figure("%", 10));
    columns.push(Column::figure("waits", 12).spare(1));
    columns.push(Column::figure("mean wait", 14).spare(2));
    let mut table = Rows::new(3, columns);
    let show = |name: String, value: Value| {
        let mut cells = vec![name, unit.show(value.mean)];
        cells.extend(several.then(|| percent(value.deviation, value.mean)));
        cells.push(percent(value.mean, elapsed));
        cells
    };
    for activity in ORDER.into_iter().filter(|activity| happened(figures, *activity)) {
        let mark = if activity == Activity::ExplicitBarrier && process.who.is_gnu() { " *" } else { "" };
        let mut cells = show(format!("{}{mark}", label(activity)), figures.spent(activity));
        if !matches!(activity, Activity::Work | Activity::Serial | Activity::Idle | Activity::RegionStart) {
            let begun = figures.begun(activity).mean;
            let mean = if begun > 0.0 { time(figures.spent(activity).mean / begun) } else { "-".to_owned() };
            cells.extend([mean_count(begun), mean]);
        }
        table.row(cells);
    }
    table.blank();
    table.remark(show("OpenMP Work".to_owned(), figures.work_ns), "   work + serial");
    table.remark(show("OpenMP Wait".to_owned(), figures.wait_ns), "   all the rest");
    out.table(table);
}

/// True if there is something to show of an activity.
fn happened(figures: &Figures, activity: Activity) -> bool {
    activity == Activity::Work || figures.spent(activity).mean > 0.0 || figures.begun(activity).mean > 0.0
}

fn balance(out: &mut Page, figures: &Figures) {
    if let Some(imbalance) = figures.imbalance {
        out.blank();
        let share = percent(imbalance.share.mean, 1.0);
        let text = format!("{share} %   (max - mean) / max of a team's running time, by instance of a region");
        out.field(3, "load imbalance", 18, &text);
        let (max, mean) = (time(imbalance.max_ns.mean), time(imbalance.mean_ns.mean));
        out.field(3, "", 18, &format!("= ({max} - {mean}) / {max}"));
        out.field(3, "barrier waits", 18, &region_table::barrier_waits(&figures.by_place));
    }
    if let Some(efficiency) = figures.efficiency.filter(|_| figures.threads.mean > 1.0) {
        out.blank();
        let Efficiency { parallel, load_balance, serialisation, transfer } = efficiency;
        let [parallel, load_balance, serialisation, transfer] =
            [parallel, load_balance, serialisation, transfer].map(|part| percent(part, 1.0));
        out.field(3, "efficiency", 18, &format!("{parallel} %   of threads x wall time the program's code ran"));
        let product =
            format!("= load balance {load_balance} % x serialisation {serialisation} % x transfer {transfer} %");
        out.field(3, "", 18, &product);
    }
    if figures.short_lived.mean > 0.0 {
        out.blank();
        let threads = figures.short_lived.mean;
        let text = format!("{threads:.0} short-lived threads were created for nested regions, and destroyed with them");
        out.field(3, "nested regions", 18, &text);
    }
}

fn footnotes(out: &mut Page, process: &Process, figures: &Figures) {
    out.blank();
    out.text(
        3,
        "work is what remains in a region: it has the overhead that no event shows (chunks of loops, free locks: `ora profile` does), and most of what \
         watching adds. Tasks are work, also those run in a wait.",
    );
    if process.who.is_gnu() && happened(figures, Activity::ExplicitBarrier) {
        out.text(3, "* explicit, or end of a static loop or single in code by gcc without -g: it is the same call");
    }
    if figures.guessed_ns.mean > 0.0 {
        let guessed = time(figures.guessed_ns.mean);
        let text = format!(
            "{guessed} of idle is a guess: when these waits in a region's last barrier ended was no longer known"
        );
        out.text(3, &text);
    }
    if figures.too_deep_ns.mean > 0.0 {
        let too_deep = time(figures.too_deep_ns.mean);
        let text = format!(
            "{too_deep} of work may have been waits: in tasks nested more than 63 deep these are not distinguished"
        );
        out.text(3, &text);
    }
    if processors::matter(figures) {
        out.text(3, "no processor: ready to run, and other threads or programs had the processors");
    }
    if figures.unknown_ns.mean > 0.0 {
        let unknown = time(figures.unknown_ns.mean);
        let text = format!(
            "the end was not seen: whether {unknown} after the last events were spent on a processor is not known"
        );
        out.text(3, &text);
    }
    if figures.rows.iter().any(|row| row.turns > 1) {
        out.text(3, "A row with x N stands for N threads, one after the other");
    }
}

pub(super) fn row_name(number: usize, row: &Row) -> String {
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
        format!("{} +- {} %", time(value.mean), percent(value.deviation, value.mean))
    } else {
        time(value.mean)
    }
}

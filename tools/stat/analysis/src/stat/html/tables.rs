//! Tables of a process: threads, activities, other processes.

use page::{Cell, Part, Quantity, Table};
use stat_layout::stat::layout::Activity;

use super::rows::{parts, whole};
use crate::stat::activities::{ORDER, label};
use crate::stat::figures::{Figures, Row};
use crate::stat::report::{Report, Shown};
use crate::stat::table::row_name;

/// Maximum number of rows of a table.
const ROWS: usize = 1024;

/// The tables of a process.
pub(super) fn of(figures: &Figures) -> Vec<Table> {
    [threads(figures), activities(figures)].into_iter().filter(|table| !table.rows.is_empty()).collect()
}

fn threads(figures: &Figures) -> Table {
    let time = |row: &Row, of: fn(Activity) -> bool| {
        let spent = ORDER.into_iter().filter(|activity| of(*activity));
        Cell::from(Quantity::Time(spent.filter_map(|activity| row.spent_ns.get(activity as usize)).sum()))
    };
    let row = |(number, row): (usize, &Row)| {
        vec![
            row_name(number, row).trim().into(),
            Cell::Bar { bar: parts(&row.spent_ns) },
            time(row, |activity| matches!(activity, Activity::Work | Activity::Serial)),
            time(row, |activity| !matches!(activity, Activity::Work | Activity::Serial | Activity::Idle)),
            time(row, |activity| activity == Activity::Idle),
            Quantity::Time(row.ready_ns).into(),
        ]
    };
    Table {
        part: Part::Where,
        title: "Threads",
        note: "no processor: ready to run, and other threads or programs had the processors; it is part of the other columns",
        heads: ["thread", "time by activity", "work", "waits", "idle", "no processor"].map(str::to_owned).to_vec(),
        rows: figures.rows.iter().enumerate().take(ROWS).map(row).collect(),
    }
}

fn activities(figures: &Figures) -> Table {
    let elapsed = figures.elapsed_ns.mean.max(1.0);
    let row = |activity: Activity| {
        let (spent, begun) = (figures.spent(activity), figures.begun(activity).mean);
        let is_wait = !matches!(activity, Activity::Work | Activity::Serial | Activity::Idle);
        let known = |quantity: Quantity| if is_wait && begun > 0.0 { quantity } else { Quantity::Text(String::new()) };
        vec![
            label(activity).into(),
            Quantity::Time(spent.mean).into(),
            Quantity::Part(spent.mean / elapsed).into(),
            known(Quantity::Count(whole(begun))).into(),
            known(Quantity::Time(spent.mean / begun.max(1.0))).into(),
        ]
    };
    Table {
        part: Part::Where,
        title: "All threads by activity",
        note: "",
        heads: ["activity", "threads' time", "part", "waits", "mean wait"].map(str::to_owned).to_vec(),
        rows: ORDER.into_iter().filter(|activity| figures.spent(*activity).mean > 0.0).map(row).collect(),
    }
}

/// The processes that used OpenMP, if there are several.
pub(super) fn processes(report: &Report<'_>) -> Option<Table> {
    let row = |Shown { process, figures }: &Shown<'_>| {
        vec![
            process.who.command.raw().into(),
            Quantity::Count(process.who.pid.into()).into(),
            Quantity::Time(figures.wall_ns.mean).into(),
            Quantity::Time(figures.cpu_ns.mean).into(),
            Quantity::Count(whole(figures.threads.mean)).into(),
            Quantity::Count(whole(figures.regions.mean)).into(),
            Quantity::Part(figures.work_ns.mean / figures.elapsed_ns.mean.max(1.0)).into(),
        ]
    };
    (!report.others.is_empty()).then(|| Table {
        part: Part::Where,
        title: "Processes that used OpenMP",
        note: "",
        heads: ["process", "pid", "wall time", "CPU time", "threads", "regions", "OpenMP Work"]
            .map(str::to_owned)
            .to_vec(),
        rows: report
            .subject
            .iter()
            .filter(|one| one.process.used_openmp())
            .chain(&report.others)
            .take(ROWS)
            .map(row)
            .collect(),
    })
}

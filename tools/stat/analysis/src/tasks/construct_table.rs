//! The table of one construct: the times of its tasks, by the parts of a task's life.

use terminal::page::{Column, Page, Table as Rows};
use terminal::quantity::{count, percent, time};

use super::construct::Construct;
use super::gains::{self, Joined, Small};
use super::snapshot::Process;

/// Appends the table of one construct, with its remarks.
pub(super) fn render(out: &mut Page, number: usize, process: &Process, construct: &Construct) {
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
    if let Some(Small { count: small @ 1.., cost_ns }) = gains::small(construct, process.fetch_ns) {
        lines.push(format!(
            "about {small} ({} %) too small: they ran for less than the {} that one costs",
            percent(small as f64, executed as f64),
            time(cost_ns)
        ));
    }
    if let Some(Joined { each, saved_ns }) = gains::joined(process, construct) {
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
        lines.push(format!("{} undeferred: executed without the pool", construct.undeferred));
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

//! The comparison as text.

use terminal::page::{Column, Page, Table, Tone};
use terminal::printable::command_line;
use terminal::quantity::{count, time};

use super::compare::{Comparison, Group, Region, Row};
use super::difference::Difference;
use super::side::Origin;
use statistics::change::Change;

/// Minimum number of runs that tell usual changes from noise.
const ENOUGH: usize = 3;

/// Returns the report, with at most `most` rows per table.
pub fn page(difference: &Difference, most: usize) -> Page {
    let mut out = Page::default();
    let Difference { first, samples, left_out } = difference;
    match samples {
        None => part(&mut out, first, "", most),
        Some(samples) => {
            part(&mut out, first, ", by events", most);
            out.blank();
            part(&mut out, samples, ", by samples", most);
        }
    }
    if let Some(left) = left_out {
        out.blank();
        let text = format!("only the measurement {} has {}: they are left out", left.side, left.origin.material());
        out.paragraph(3, "Note: ", &text, Tone::Note);
    }
    if let Some(text) = too_few(first) {
        out.blank();
        out.paragraph(3, "Note: ", text, Tone::Note);
    }
    out
}

/// Says so if there are too few runs for a verdict.
fn too_few(comparison: &Comparison) -> Option<&'static str> {
    let is_few = comparison.runs.iter().any(|runs| *runs < ENOUGH);
    match (comparison.wall.change.interval, comparison.origin) {
        (None, Origin::Stat) => Some(
            "one side has a single run, so noise can't be distinguished from change. Measure both with `ora stat \
             --json -r 5`",
        ),
        (None, _) => Some(
            "each side is a single run, so noise can't be distinguished from change. `ora stat --json -r 5` measures \
             several",
        ),
        (Some(_), _) => is_few.then_some(
            "one side has two runs only, which distinguish no more than a large change from noise: `noise` may be a \
             change. Measure both with `ora stat --json -r 5`",
        ),
    }
}

/// Adds the figures of one origin. The heading ends with `by`.
fn part(out: &mut Page, comparison: &Comparison, by: &str, most: usize) {
    let [before, after] = &comparison.commands;
    if before == after {
        out.heading(&format!("Difference of two measurements of '{}'{by}:", command_line(before)));
    } else {
        out.heading(&format!("Difference of '{}' and '{}'{by}:", command_line(before), command_line(after)));
    }
    if comparison.origin == Origin::Stat {
        let runs = comparison.runs.map(|runs| count(runs as u64, "run", "runs"));
        out.text(3, &format!("{} before, {} after", runs[0], runs[1]));
        out.blank();
    }
    let mut table = Table::new(3, columns("of the process"));
    for row in std::iter::once(&comparison.wall).chain(&comparison.cpu) {
        put(&mut table, row);
    }
    out.table(table);
    let activities = if comparison.origin == Origin::Trace { "waits of all threads" } else { "all threads" };
    rows(out, activities, comparison.activities.iter().filter(|row| matters(row)), most);
    rows(out, "parallel region", comparison.regions.iter().map(|region: &Region| &region.total), most);
    alone(out, "gone", "parallel region", &comparison.gone, most);
    alone(out, "new", "parallel region", &comparison.new, most);
    group(out, "function, its own time", &comparison.functions, most);
    group(out, "wait", &comparison.waits, most);
}

fn columns(name: &str) -> Vec<Column> {
    vec![
        Column::figure("before", 12),
        Column::figure("after", 12),
        Column::figure("change", 10),
        Column::figure("95 % interval", 20).spare(1),
        Column::label("  verdict", 9),
        Column::name(name),
    ]
}

/// True for an activity that occurred.
fn matters(row: &Row) -> bool {
    row.before_ns > 0.0 || row.after_ns > 0.0
}

fn rows<'r>(out: &mut Page, name: &str, rows: impl Iterator<Item = &'r Row>, most: usize) {
    let rows: Vec<&Row> = rows.take(most).collect();
    if rows.is_empty() {
        return;
    }
    out.blank();
    let mut table = Table::new(3, columns(name));
    rows.into_iter().for_each(|row| put(&mut table, row));
    out.table(table);
}

/// True for a change that is easier to read as a factor than in percent: more than 1000 %.
fn is_multiple(part: f64) -> bool {
    part > 10.0
}

/// A relative change as a factor, in at most eight columns.
fn multiple(part: f64) -> String {
    let factor = 1.0 + part;
    match factor {
        ..10.0 => format!("x {factor:.1}"),
        ..1e5 => format!("x {factor:.0}"),
        _ => format!("x {factor:.0e}"),
    }
}

/// An interval, without an upper bound if that is infinite.
fn interval((low, high): (f64, f64)) -> String {
    match (high.is_finite(), is_multiple(low)) {
        (true, _) if is_multiple(high) => format!("{} to {}", multiple(low), multiple(high)),
        (true, _) => format!("{:+.1} to {:+.1} %", low * 100.0, high * 100.0),
        (false, true) => format!("{} or more", multiple(low)),
        (false, false) => format!("{:+.1} % or more", low * 100.0),
    }
}

fn put(table: &mut Table, row: &Row) {
    let interval = row.change.interval.map_or_else(String::new, interval);
    let part = row.change.part;
    table.row([
        time(row.before_ns),
        time(row.after_ns),
        if is_multiple(part) { multiple(part) } else { format!("{:+.1} %", part * 100.0) },
        interval,
        format!("  {}", verdict(row.change)),
        row.name.clone(),
    ]);
}

/// Verdict on a figure: it has grown or shrunk beyond the noise, or neither.
pub(crate) fn verdict(change: Change) -> &'static str {
    match (change.interval, change.is_sure()) {
        (None, _) => "",
        (Some(_), false) => "noise",
        (Some(_), true) if change.part > 0.0 => "more",
        (Some(_), true) => "less",
    }
}

fn group(out: &mut Page, name: &str, group: &Group, most: usize) {
    rows(out, name, group.rows.iter(), most);
    alone(out, "gone", name, &group.gone, most);
    alone(out, "new", name, &group.new, most);
}

/// Adds figures that only one side has.
fn alone(out: &mut Page, side: &str, name: &str, all: &[(String, f64)], most: usize) {
    if all.is_empty() {
        return;
    }
    out.blank();
    let mut table = Table::new(3, vec![Column::figure(side, 12), Column::name(name)]);
    for (name, ns) in all.iter().take(most) {
        table.row([time(*ns), name.clone()]);
    }
    out.table(table);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::side::Side;
    use terminal::page::Paper;

    #[test]
    fn large_changes_are_factors_that_fit_their_columns() {
        let mut table = Table::new(3, columns("of the process"));
        let (low, high) = (5.553, 140.127);
        let change = Change { part: 17.996, interval: Some((low, high)) };
        put(&mut table, &Row { name: "critical".to_owned(), before_ns: 1e6, after_ns: 19e6, change });
        let mut page = Page::default();
        page.table(table);
        let text = page.render(Paper { width: None, colour: false });
        assert!(text.contains("  x 19  ") && text.contains("  x 6.6 to x 141  "), "{text}");
        assert_eq!(interval((-0.23, f64::INFINITY)), "-23.0 % or more");
        assert_eq!(interval((11.0, f64::INFINITY)), "x 12 or more");
        assert_eq!([0.0, 9.4, 2e4, 3e9].map(multiple), ["x 1.0", "x 10", "x 20001", "x 3e9"]);
    }

    #[test]
    fn two_runs_are_said_to_be_few() {
        let side = |runs: usize| Side { runs, wall_ns: vec![1e9; runs], ..Side::default() };
        let note = |before: usize, after: usize| {
            let comparison = Comparison::of(&side(before), &side(after)).unwrap();
            too_few(&comparison).unwrap_or_default()
        };
        assert!(note(1, 5).contains("a single run") && note(5, 2).contains("two runs only"));
        assert_eq!(note(3, 3), "");
    }
}

//! Goals for the cost of watching (architecture, "Three levels of watching"), with the measured values.

use super::Report;
use super::rows::CONSTRUCTS;
use crate::mode::Mode;
use crate::requests::PLACES;
use crate::table::{Table, percent};
use crate::verdict::Verdict;

/// Allowed cost of a new event without its callback, in nanoseconds.
const EVENT_NS: f64 = 5.0;

/// A goal, with its value by the best rounds and by the median of all rounds.
struct Goal {
    what: String,
    unit: Unit,
    allowed: f64,
    best: f64,
    median: f64,
}

/// Unit of a goal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// Overhead over the bare program, in percent.
    Percent,
    /// Overhead over the mode that it is compared with, in nanoseconds.
    MoreNs,
    /// A time, in nanoseconds.
    Ns,
}

/// Table of goals: allowed and measured values.
pub(super) fn table(report: &Report) -> Table {
    let mut table = Table::new("Goals", "", ["allowed", "best", "median", ""]);
    for goal in goals(report) {
        let cell = |value: f64| match goal.unit {
            Unit::Percent => format!("{value:+.1} %"),
            Unit::MoreNs => format!("{value:+.1} ns"),
            Unit::Ns => format!("{value:.1} ns"),
        };
        let verdict = Verdict::of(goal.best <= goal.allowed, goal.median <= goal.allowed);
        let [allowed, best, median] = [goal.allowed, goal.best, goal.median].map(cell);
        table.row(&goal.what, [allowed, best, median, verdict.to_string()]);
    }
    table
}

/// All goals that have values in the report.
fn goals(report: &Report) -> Vec<Goal> {
    let mut goals = Vec::new();
    for (row, mode, allowed) in [
        ("region_1", Mode::Off, 1.0),
        ("region_2", Mode::Off, 1.0),
        ("region_1", Mode::Tracking, 3.0),
        ("region_2", Mode::Tracking, 3.0),
    ] {
        goals.extend(compare(report, row, mode, Mode::Bare, Unit::Percent, allowed, percent));
    }
    for row in ["lock", "nest_lock", "critical_named", "critical_unnamed", "barrier_2", "dynamic_chunk"] {
        goals.extend(compare(report, row, Mode::Tracking, Mode::Bare, Unit::MoreNs, 5.0, |a, b| a - b));
    }
    // An empty callback costs as much as a call that does nothing.
    let callback = report.times.best("no_request_outside", Mode::Tracking).unwrap_or_default();
    goals.extend(["region_1", "region_2"].iter().filter_map(|row| {
        compare(report, row, Mode::Fork, Mode::Tracking, Unit::MoreNs, EVENT_NS + callback, |a, b| a - b)
    }));
    for construct in CONSTRUCTS {
        let events = report.events.best(construct.name, Mode::All).unwrap_or_default();
        // Without events there is nothing to compare.
        if events < 0.5 {
            continue;
        }
        let allowed = events * (EVENT_NS + callback);
        goals.extend(compare(report, construct.name, Mode::All, Mode::Tracking, Unit::MoreNs, allowed, |a, b| a - b));
    }
    for (request, title, allowed) in
        [("state_28", "STATE", 4.0), ("state_32", "STATE", 4.0), ("state_and_prid", "STATE + CURRENT_PRID", 6.0)]
    {
        for (place, place_title) in PLACES {
            let row = format!("{request}_{place}");
            let size = request.strip_prefix("state_3").map_or("", |_| ", 32 bytes");
            if let (Some(best), Some(median)) =
                (report.times.best(&row, Mode::Tracking), report.times.median(&row, Mode::Tracking))
            {
                let what = format!("{title}{size}, {place_title}");
                goals.push(Goal { what, unit: Unit::Ns, allowed, best, median });
            }
        }
    }
    goals
}

fn compare(
    report: &Report,
    row: &str,
    mode: Mode,
    with: Mode,
    unit: Unit,
    allowed: f64,
    value: impl Fn(f64, f64) -> f64,
) -> Option<Goal> {
    let title = CONSTRUCTS.iter().find(|construct| construct.name == row)?.title;
    let best = value(report.times.best(row, mode)?, report.times.best(row, with)?);
    let median = report.times.paired(row, mode, with, value)?;
    Some(Goal { what: format!("{title}: {mode}, over {with}"), unit, allowed, best, median })
}

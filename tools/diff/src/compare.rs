//! Comparison of two sides, figure by figure.

use statistics::change::{Change, mean};
use std::collections::BTreeMap;

use super::matching::{Matched, Place};
use super::side::{Origin, Side};

/// Figure that both sides have.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) name: String,
    /// Means of the runs, in nanoseconds.
    pub(crate) before_ns: f64,
    pub(crate) after_ns: f64,
    pub(crate) change: Change,
}

/// Place with regions that both sides have.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Region {
    pub(crate) total: Row,
    /// Waits of all threads: means before and after.
    pub(crate) wait_ns: (f64, f64),
}

/// All figures of both sides.
#[derive(Debug)]
pub(crate) struct Comparison {
    pub(crate) commands: [Vec<String>; 2],
    pub(crate) runs: [usize; 2],
    pub(crate) wall: Row,
    pub(crate) cpu: Option<Row>,
    /// Time of all threads by activity, largest change first.
    pub(crate) activities: Vec<Row>,
    /// Regions of both sides, largest change first.
    pub(crate) regions: Vec<Region>,
    /// Regions that only one side has, with their time.
    pub(crate) gone: Vec<(String, f64)>,
    pub(crate) new: Vec<(String, f64)>,
    /// Functions by their own time.
    pub(crate) functions: Group,
    /// Waits by cause and place.
    pub(crate) waits: Group,
    /// Origin of both sides.
    pub(crate) origin: Origin,
}

/// Figures of one kind, by name.
#[derive(Debug, Default)]
pub(crate) struct Group {
    /// Figures of both sides, largest change first.
    pub(crate) rows: Vec<Row>,
    /// Figures that only one side has, largest first.
    pub(crate) gone: Vec<(String, f64)>,
    pub(crate) new: Vec<(String, f64)>,
}

impl Group {
    fn of(before: &BTreeMap<String, Vec<f64>>, after: &BTreeMap<String, Vec<f64>>) -> Self {
        let both = before.iter().filter_map(|(name, values)| row(name.clone(), values, after.get(name)?));
        let mut rows: Vec<Row> = both.collect();
        rows.sort_by(larger_first);
        let alone = |side: &BTreeMap<String, Vec<f64>>, other: &BTreeMap<String, Vec<f64>>| {
            let missing = side.iter().filter(|(name, _)| !other.contains_key(*name));
            let mut alone: Vec<_> = missing.map(|(name, values)| (name.clone(), mean(values).unwrap_or(0.0))).collect();
            alone.sort_by(|a, b| b.1.total_cmp(&a.1));
            alone
        };
        Self { rows, gone: alone(before, after), new: alone(after, before) }
    }
}

impl Comparison {
    /// Returns `None` if a side has no time.
    pub(crate) fn of(before: &Side, after: &Side) -> Option<Self> {
        let mut activities: Vec<Row> = before
            .activities
            .iter()
            .filter_map(|(name, values)| row(name.replace('_', " "), values, after.activities.get(name)?))
            .collect();
        activities.sort_by(larger_first);
        let Matched { pairs, mut gone, mut new } = Matched::of(&before.regions, &after.regions);
        let mut regions: Vec<Region> = pairs.into_iter().filter_map(region).collect();
        regions.sort_by(|a, b| larger_first(&a.total, &b.total));
        for alone in [&mut gone, &mut new] {
            alone.sort_by(|a, b| b.mean_ns().total_cmp(&a.mean_ns()));
        }
        let alone = |all: Vec<Place<'_>>| all.iter().map(|place| (place.name(), place.mean_ns())).collect();
        Some(Self {
            commands: [before, after].map(|side| side.command.clone()),
            runs: [before, after].map(|side| side.runs),
            wall: row("wall time".to_owned(), &before.wall_ns, &after.wall_ns)?,
            cpu: row("CPU time".to_owned(), &before.cpu_ns, &after.cpu_ns),
            activities,
            regions,
            gone: alone(gone),
            new: alone(new),
            functions: Group::of(&before.functions, &after.functions),
            waits: Group::of(&before.waits, &after.waits),
            origin: before.origin,
        })
    }
}

fn row(name: String, before: &[f64], after: &[f64]) -> Option<Row> {
    let change = Change::of(before, after)?;
    Some(Row { name, before_ns: mean(before)?, after_ns: mean(after)?, change })
}

fn region([before, after]: [Place<'_>; 2]) -> Option<Region> {
    let waits = (mean(&before.figures.wait_ns)?, mean(&after.figures.wait_ns)?);
    let total = row(before.name_with(&after), &before.figures.total_ns, &after.figures.total_ns)?;
    Some(Region { total, wait_ns: waits })
}

/// Orders rows by their absolute changes.
fn larger_first(a: &Row, b: &Row) -> std::cmp::Ordering {
    let change = |row: &Row| (row.after_ns - row.before_ns).abs();
    change(b).total_cmp(&change(a))
}

//! The comparison as JSON (see `docs/reference/diff-json.md`).

use anyhow::Result;
use json_document::{Document, Versioned};
use serde::Serialize;

use super::compare::{Comparison, Row};
use super::difference::{Difference, LeftOut};
use super::side::Origin;
use super::text::verdict;

#[derive(Serialize)]
struct Body<'c> {
    kind: Origin,
    #[serde(flatten)]
    first: Part<'c>,
    profile: Option<Part<'c>>,
    left_out: Option<LeftOut>,
}

impl Versioned for Body<'_> {
    const SCHEMA: &'static str = "ora-diff";
    const VERSION: u32 = 1;
}

#[derive(Serialize)]
struct Part<'c> {
    before: Side<'c>,
    after: Side<'c>,
    wall: Figure<'c>,
    cpu: Option<Figure<'c>>,
    activities: Vec<Figure<'c>>,
    regions: Vec<Region<'c>>,
    regions_gone: Vec<Alone<'c>>,
    regions_new: Vec<Alone<'c>>,
    functions: Vec<Figure<'c>>,
    functions_gone: Vec<Alone<'c>>,
    functions_new: Vec<Alone<'c>>,
    waits: Vec<Figure<'c>>,
    waits_gone: Vec<Alone<'c>>,
    waits_new: Vec<Alone<'c>>,
}

#[derive(Serialize)]
struct Side<'c> {
    command: &'c [String],
    runs: usize,
}

#[derive(Serialize)]
struct Figure<'c> {
    name: &'c str,
    before_ns: f64,
    after_ns: f64,
    change: f64,
    interval: Option<[f64; 2]>,
    verdict: Option<&'static str>,
}

#[derive(Serialize)]
struct Region<'c> {
    #[serde(flatten)]
    total: Figure<'c>,
    wait_before_ns: f64,
    wait_after_ns: f64,
}

#[derive(Serialize)]
struct Alone<'c> {
    name: &'c str,
    total_ns: f64,
}

/// The document.
///
/// # Errors
/// If it can't be written, which memory can always be.
pub fn document(difference: &Difference) -> Result<String> {
    let body = Body {
        kind: difference.first.origin,
        first: part(&difference.first),
        profile: difference.samples.as_ref().map(part),
        left_out: difference.left_out,
    };
    Ok(Document::of(body).text()?)
}

fn part(comparison: &Comparison) -> Part<'_> {
    let side = |at: usize| {
        let command = comparison.commands.get(at).map_or(&[][..], Vec::as_slice);
        Side { command, runs: comparison.runs.get(at).copied().unwrap_or(0) }
    };
    let regions = comparison.regions.iter().map(|region| Region {
        total: figure(&region.total),
        wait_before_ns: region.wait_ns.0,
        wait_after_ns: region.wait_ns.1,
    });
    Part {
        before: side(0),
        after: side(1),
        wall: figure(&comparison.wall),
        cpu: comparison.cpu.as_ref().map(figure),
        activities: comparison.activities.iter().map(figure).collect(),
        regions: regions.collect(),
        regions_gone: comparison.gone.iter().map(alone).collect(),
        regions_new: comparison.new.iter().map(alone).collect(),
        functions: comparison.functions.rows.iter().map(figure).collect(),
        functions_gone: comparison.functions.gone.iter().map(alone).collect(),
        functions_new: comparison.functions.new.iter().map(alone).collect(),
        waits: comparison.waits.rows.iter().map(figure).collect(),
        waits_gone: comparison.waits.gone.iter().map(alone).collect(),
        waits_new: comparison.waits.new.iter().map(alone).collect(),
    }
}

fn figure(row: &Row) -> Figure<'_> {
    Figure {
        name: &row.name,
        before_ns: row.before_ns,
        after_ns: row.after_ns,
        change: row.change.part,
        interval: row.change.interval.map(|(low, high)| [low, high]),
        verdict: Some(verdict(row.change)).filter(|verdict| !verdict.is_empty()),
    }
}

fn alone((name, total_ns): &(String, f64)) -> Alone<'_> {
    Alone { name, total_ns: *total_ns }
}

//! The comparison as JSON (see `docs/reference/diff-json.md`).

use anyhow::Result;
use json_document::{Document, Versioned};
use serde::Serialize;

use super::compare::{Comparison, Row};
use super::difference::{Difference, LeftOut};
use super::side::Origin;
use super::text::verdict;

/// Comparison of two measurements.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Body<'c> {
    /// Origin of the figures.
    kind: Origin,
    #[serde(flatten)]
    first: Part<'c>,
    /// Of two traces with samples (`ora trace --sample`): the comparison of the samples, as of two profiles.
    profile: Option<Part<'c>>,
    /// Figures that one measurement alone has.
    left_out: Option<LeftOut>,
}

impl Versioned for Body<'_> {
    const SCHEMA: &'static str = "ora-diff";
    const VERSION: u32 = 1;
}

/// A comparison.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Part<'c> {
    /// The measurement before.
    before: Side<'c>,
    /// The measurement after.
    after: Side<'c>,
    /// Wall-clock time.
    wall: Figure<'c>,
    /// CPU time of all threads; `null` of traces.
    cpu: Option<Figure<'c>>,
    /// The threads' time by activity, as in `time_ns` of `ora stat --json`; the largest change first. Of traces
    /// they are waits by their cause.
    activities: Vec<Figure<'c>>,
    /// Places with parallel regions. The figure is the time from fork to join; of profiles the threads' time in
    /// it.
    regions: Vec<Region<'c>>,
    /// Places with regions that the side before alone has.
    regions_gone: Vec<Alone<'c>>,
    /// Places with regions that the side after alone has.
    regions_new: Vec<Alone<'c>>,
    /// Of profiles: functions by their own time.
    functions: Vec<Figure<'c>>,
    /// Functions that the side before alone has.
    functions_gone: Vec<Alone<'c>>,
    /// Functions that the side after alone has.
    functions_new: Vec<Alone<'c>>,
    /// Of profiles and traces: waits of all threads, by cause and place.
    waits: Vec<Figure<'c>>,
    /// Waits that the side before alone has.
    waits_gone: Vec<Alone<'c>>,
    /// Waits that the side after alone has.
    waits_new: Vec<Alone<'c>>,
}

/// A side.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Side<'c> {
    /// The command that was measured.
    command: &'c [String],
    /// Number of runs. Of profiles and traces it is 1.
    runs: usize,
}

/// A figure.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Figure<'c> {
    /// Name for people.
    name: &'c str,
    /// Mean of the runs before.
    before_ns: f64,
    /// Mean of the runs after.
    after_ns: f64,
    /// (after - before) / before.
    change: f64,
    /// Its 95 % interval, two numbers; `null` where a side has a single run. The upper one is `null` where noise may
    /// be all of the time before.
    interval: Option<[Option<f64>; 2]>,
    /// `"more"`, `"less"` or `"noise"`; `null` without an interval.
    verdict: Option<&'static str>,
}

/// A place with regions.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Region<'c> {
    #[serde(flatten)]
    total: Figure<'c>,
    /// Waits of all threads before; of traces those at barriers.
    wait_before_ns: f64,
    /// The same after.
    wait_after_ns: f64,
}

/// A row of one side.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Alone<'c> {
    /// Name for people.
    name: &'c str,
    /// Its time.
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
        interval: row
            .change
            .interval
            .map(|(low, high)| [low, high].map(|bound| Some(bound).filter(|it| it.is_finite()))),
        verdict: Some(verdict(row.change)).filter(|verdict| !verdict.is_empty()),
    }
}

fn alone((name, total_ns): &(String, f64)) -> Alone<'_> {
    Alone { name, total_ns: *total_ns }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_and_page_are_current() {
        schemas::assert_current::<Body<'_>>("diff-json.md");
    }
}

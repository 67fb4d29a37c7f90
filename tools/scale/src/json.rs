//! The measurement as JSON (see `docs/reference/scale-json.md`).

use std::ffi::OsString;

use advice::{Finding, Place};
use anyhow::Result;
use json_document::{Document, Versioned, words};
use serde::Serialize;

use super::grown::{self, Cause, Grown};
use super::scaling::{Point, Row, Scaling};
use super::table::{place_name, sentences};

/// Measurement with several numbers of threads.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Body {
    /// The program and its arguments, as given.
    command: Vec<String>,
    /// One object for each number of threads, the smallest first.
    runs: Vec<OnePoint>,
    /// Places where the wall time goes, the one first that takes longest with the most threads. Regions inside
    /// of others are left out.
    regions: Vec<OneRow>,
    /// The smallest number of threads that no larger one beats by 5 %.
    best_threads: Option<u32>,
    /// Functions whose CPU time in regions has grown most, by samples of two more runs: with the fewest threads, and
    /// with the number with which the program's code runs for longest in all. Empty where that is not much longer.
    grown: Vec<OneGrown>,
    /// The findings for people.
    text: Vec<String>,
}

impl Versioned for Body {
    const SCHEMA: &'static str = "ora-scale";
    const VERSION: u32 = 1;
}

/// A number of threads.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OnePoint {
    /// `OMP_NUM_THREADS`.
    threads: u32,
    /// Size of the largest team; 0: no region was seen.
    team: u64,
    /// The median of the runs' wall times; of an even number the smaller one in the middle.
    wall_ns: f64,
    /// All wall times, the shortest first.
    walls_ns: Vec<f64>,
    /// `wall_ns` of the first object, divided by this one's.
    speedup: f64,
    /// `speedup`, divided by how many times more threads there are than in the first object. The product of
    /// `parallel_efficiency` and `computation_scaling`, where the first object has 1 thread and runs all the
    /// time.
    efficiency: f64,
    /// The time for which the threads run the program's code, divided by `wall_ns` times `threads`.
    parallel_efficiency: Option<f64>,
    /// The time for which they run it in the first object, divided by this one's.
    computation_scaling: Option<f64>,
    /// Findings of the run with the median wall time.
    #[cfg_attr(test, schemars(with = "Vec<schemas::Finding>"))]
    findings: Vec<Finding>,
}

/// A place.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneRow {
    /// Name for people.
    name: String,
    /// The region's function; `null`: unknown, or code outside of regions.
    function: Option<String>,
    /// Its source file.
    file: Option<String>,
    /// Its line.
    line: Option<u32>,
    /// For each of `runs`, the time in the run with the median wall time.
    walls_ns: Vec<f64>,
    /// The first of these divided by the last.
    speedup: f64,
}

/// A function whose time has grown.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneGrown {
    /// Name for people.
    name: String,
    /// What takes longer. `"work"`: its own code; `"atomic"`: atomic updates in it; `"locks"`: mutexes of the C library
    /// that it locks; `"allocator"`; `"runtime"`: the OpenMP runtime.
    cause: &'static str,
    /// CPU time with the fewest threads.
    before_ns: f64,
    /// CPU time with the larger number.
    after_ns: f64,
}

/// The whole object, followed by a newline.
///
/// # Errors
/// None are known: it contains nothing that JSON can't express.
pub fn document(command: &[OsString], scaling: &Scaling) -> Result<String> {
    let body = Body {
        command: words(command),
        runs: scaling.points.iter().map(one_point).collect(),
        regions: scaling.rows().into_iter().map(one_row).collect(),
        best_threads: scaling.best().map(|best| best.threads),
        grown: grown::costliest(&scaling.grown).into_iter().map(one_grown).collect(),
        text: sentences(scaling),
    };
    Ok(Document::of(body).text()?)
}

fn one_point(point: &Point) -> OnePoint {
    OnePoint {
        threads: point.threads,
        team: point.team,
        wall_ns: point.wall_ns,
        walls_ns: point.walls_ns.clone(),
        speedup: point.speedup,
        efficiency: point.efficiency,
        parallel_efficiency: point.parallel,
        computation_scaling: point.computation,
        findings: point.findings.clone(),
    }
}

fn one_grown(Grown { place, cause, before_ns, after_ns }: &Grown) -> OneGrown {
    let cause = match cause {
        Cause::Work => "work",
        Cause::Atomic => "atomic",
        Cause::Locks => "locks",
        Cause::Allocator => "allocator",
        Cause::Runtime => "runtime",
    };
    OneGrown { name: place.clone(), cause, before_ns: *before_ns, after_ns: *after_ns }
}

fn one_row(Row { place, walls_ns, speedup }: Row) -> OneRow {
    let name = place_name(place.as_ref());
    let Place { function, file, line, .. } = place.unwrap_or_default();
    OneRow { name, function, file, line, walls_ns, speedup }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_and_page_are_current() {
        schemas::assert_current::<Body>("scale-json.md");
    }
}

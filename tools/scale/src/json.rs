//! The measurement as JSON (see `docs/reference/scale-json.md`).

use std::ffi::OsString;

use advice::{Finding, Place};
use anyhow::Result;
use json_document::{Document, Versioned, words};
use serde::Serialize;

use super::scaling::{Point, Row, Scaling};
use super::table::{place_name, sentences};

#[derive(Serialize)]
struct Body {
    command: Vec<String>,
    runs: Vec<OnePoint>,
    regions: Vec<OneRow>,
    best_threads: Option<u32>,
    text: Vec<String>,
}

impl Versioned for Body {
    const SCHEMA: &'static str = "ora-scale";
    const VERSION: u32 = 1;
}

#[derive(Serialize)]
struct OnePoint {
    threads: u32,
    team: u64,
    wall_ns: f64,
    walls_ns: Vec<f64>,
    speedup: f64,
    efficiency: f64,
    parallel_efficiency: Option<f64>,
    computation_scaling: Option<f64>,
    findings: Vec<Finding>,
}

#[derive(Serialize)]
struct OneRow {
    name: String,
    function: Option<String>,
    file: Option<String>,
    line: Option<u32>,
    walls_ns: Vec<f64>,
    speedup: f64,
}

/// The whole object, with a line end behind it.
///
/// # Errors
/// None is known: there is nothing in it that JSON can't say.
pub fn document(command: &[OsString], scaling: &Scaling) -> Result<String> {
    let body = Body {
        command: words(command),
        runs: scaling.points.iter().map(one_point).collect(),
        regions: scaling.rows().into_iter().map(one_row).collect(),
        best_threads: scaling.best().map(|best| best.threads),
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

fn one_row(Row { place, walls_ns, speedup }: Row) -> OneRow {
    let name = place_name(place.as_ref());
    let Place { function, file, line, .. } = place.unwrap_or_default();
    OneRow { name, function, file, line, walls_ns, speedup }
}

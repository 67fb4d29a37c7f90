//! The result as JSON (see `docs/reference/tune-json.md`).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use anyhow::Result;
use json_document::{Document, Versioned, words};
use serde::Serialize;

use super::by_file::ByFile;
use super::by_region::Tuned;
use super::choices::Choices;
use super::search::{Found, Trial};
use super::setting::Setting;
use super::table::sentence;

#[derive(Serialize)]
struct Body<'a> {
    command: Vec<String>,
    runs: usize,
    settings: Vec<OneTrial<'a>>,
    best: Option<Best<'a>>,
    by_region: Option<Regions<'a>>,
    left_out: &'a [String],
    is_cut: bool,
    text: String,
}

impl Versioned for Body<'_> {
    const SCHEMA: &'static str = "ora-tune";
    const VERSION: u32 = 1;
}

#[derive(Serialize)]
struct OneTrial<'a> {
    environment: BTreeMap<&'a str, &'a str>,
    walls_ns: &'a [f64],
    wall_ns: Option<f64>,
    is_wrong: bool,
}

#[derive(Serialize)]
struct Best<'a> {
    environment: BTreeMap<&'a str, &'a str>,
    saves: f64,
    saves_low: Option<f64>,
    saves_high: Option<f64>,
}

#[derive(Serialize)]
struct Regions<'a> {
    file: Option<Cow<'a, str>>,
    looks: usize,
    regions: Vec<OneRegion<'a>>,
}

#[derive(Serialize)]
struct OneRegion<'a> {
    function: Option<&'a str>,
    file: Option<&'a str>,
    line: Option<u32>,
    threads: Option<u32>,
    chunk: Option<u32>,
    before_ns: f64,
    after_ns: f64,
}

/// The whole object, with a line end behind it.
///
/// # Errors
/// None is known: there is nothing in it that JSON can't say.
pub fn document(command: &[OsString], found: &Found, choices: &Choices, by_file: Option<&ByFile>) -> Result<String> {
    let best = found.trials.get(found.best).filter(|_| found.best > 0);
    let interval = found.change.and_then(|change| change.interval);
    let body = Body {
        command: words(command),
        runs: found.runs,
        settings: found.trials.iter().map(one_trial).collect(),
        best: best.zip(found.change).map(|(best, change)| Best {
            environment: environment(&best.setting),
            saves: -change.part,
            saves_low: interval.map(|(_, high)| -high),
            saves_high: interval.map(|(low, _)| -low),
        }),
        by_region: by_file.map(|by_file| regions(by_file, found.looks)),
        left_out: &choices.left_out,
        is_cut: found.is_cut,
        text: sentence(found),
    };
    Ok(Document::of(body).text()?)
}

fn one_trial(trial: &Trial) -> OneTrial<'_> {
    let has_times = !trial.times_ns.is_empty();
    OneTrial {
        environment: environment(&trial.setting),
        walls_ns: &trial.times_ns,
        wall_ns: has_times.then(|| trial.median_ns()),
        is_wrong: trial.is_wrong,
    }
}

fn regions(by_file: &ByFile, looks: usize) -> Regions<'_> {
    Regions {
        file: by_file.written.as_deref().map(Path::to_string_lossy),
        looks,
        regions: by_file.by_region.chosen().map(one_region).collect(),
    }
}

fn one_region(region: &Tuned) -> OneRegion<'_> {
    let set = |value: u32| (value > 0).then_some(value);
    OneRegion {
        function: region.place.function.as_deref(),
        file: region.place.file.as_deref(),
        line: region.place.line,
        threads: set(region.settings.threads),
        chunk: set(region.settings.chunk),
        before_ns: region.before_ns,
        after_ns: region.after_ns,
    }
}

fn environment(setting: &Setting) -> BTreeMap<&str, &str> {
    setting.variables().collect()
}

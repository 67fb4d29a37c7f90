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

/// Search for the fastest setting.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Body<'a> {
    /// The program with its arguments.
    command: Vec<String>,
    /// Number of runs of the program, without the first one, which was under `ora stat`.
    runs: usize,
    /// One object for each setting that was tried, in that order. The first one is the program as it is.
    settings: Vec<OneTrial<'a>>,
    /// The fastest one; `null` where none is surely faster than the program as it is.
    best: Option<Best<'a>>,
    /// The settings by region that were tried; `null` where there are none.
    by_region: Option<Regions<'a>>,
    /// Reasons for what was not tried: a sentence each.
    left_out: &'a [String],
    /// True if `--max-runs` or Ctrl-C ended the search before all settings were tried.
    is_cut: bool,
    /// The finding, as the table has it.
    text: String,
}

impl Versioned for Body<'_> {
    const SCHEMA: &'static str = "ora-tune";
    const VERSION: u32 = 1;
}

/// A setting.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneTrial<'a> {
    /// Its variables with their values; empty: the program as it is.
    environment: BTreeMap<&'a str, &'a str>,
    /// The wall time of each run.
    walls_ns: &'a [f64],
    /// Their median; `null` without a run that counts.
    wall_ns: Option<f64>,
    /// True if a run did not end with exit code 0, or its results were wrong.
    is_wrong: bool,
    /// True if that is because it took many times as long as the program as it is, and was ended.
    is_too_long: bool,
}

/// The best one.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Best<'a> {
    /// Its variables with their values.
    environment: BTreeMap<&'a str, &'a str>,
    /// The part of the mean wall time that it saves: 0.1 is 10 %. It is that of the last `--repeat` runs of both, which
    /// alternate.
    saves: f64,
    /// Lower bound of the 95 % interval of that.
    saves_low: Option<f64>,
    /// Upper bound of it.
    saves_high: Option<f64>,
}

/// Settings by region.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Regions<'a> {
    /// The file that has them; `null` where they are not among the best setting.
    file: Option<Cow<'a, str>>,
    /// Number of runs under `ora stat` for them; `runs` counts them as well.
    looks: usize,
    /// The regions with settings.
    regions: Vec<OneRegion<'a>>,
}

/// A region with settings.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneRegion<'a> {
    /// Its function.
    function: Option<&'a str>,
    /// Its source file.
    file: Option<&'a str>,
    /// Its line.
    line: Option<u32>,
    /// The size of its team; `null`: it stays.
    threads: Option<u32>,
    /// The chunk of its loops; `null`: it stays.
    chunk: Option<u32>,
    /// Time of all its instances in a run, before.
    before_ns: f64,
    /// The same after.
    after_ns: f64,
}

/// The whole object, followed by a newline.
///
/// # Errors
/// None are known: it contains nothing that JSON can't express.
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
        is_too_long: trial.is_too_long,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_and_page_are_current() {
        schemas::assert_current::<Body<'_>>("tune-json.md");
    }
}

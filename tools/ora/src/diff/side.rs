//! One side of a comparison: a file of `ora stat --json`, or a folder of a profile or trace.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use super::{recording, stat};

/// Origin of a side's figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Origin {
    /// `ora stat --json`.
    #[default]
    Stat,
    /// `ora profile`.
    Profile,
    /// `ora trace`.
    Trace,
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Stat => "a measurement by `ora stat --json`",
            Self::Profile => "a profile",
            Self::Trace => "a trace",
        })
    }
}

impl Origin {
    /// Name for people of what the figures are made of.
    pub(super) fn material(self) -> &'static str {
        match self {
            Self::Stat => "runs",
            Self::Profile => "samples",
            Self::Trace => "events",
        }
    }
}

/// A place with parallel regions. Lines may differ between two versions of a program, so a function's regions are counted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) function: String,
    pub(super) file: String,
    /// Number among the function's regions, from 0, by line.
    pub(super) number: usize,
}

/// A place's figures, a value for each run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Figures {
    pub(super) total_ns: Vec<f64>,
    pub(super) wait_ns: Vec<f64>,
    /// `heat.c:10`; empty: unknown.
    pub(super) place: String,
}

/// One side: for each figure a value for each run.
#[derive(Debug, Default)]
pub(super) struct Side {
    pub(super) origin: Origin,
    pub(super) command: Vec<String>,
    pub(super) runs: usize,
    pub(super) wall_ns: Vec<f64>,
    pub(super) cpu_ns: Vec<f64>,
    pub(super) activities: BTreeMap<String, Vec<f64>>,
    pub(super) regions: BTreeMap<Place, Figures>,
    /// Own time of functions: of a profile.
    pub(super) functions: BTreeMap<String, Vec<f64>>,
    /// Waits by cause and place: of a profile or a trace.
    pub(super) waits: BTreeMap<String, Vec<f64>>,
}

impl Side {
    /// Reads a file or a folder: a side for each origin of its figures. The events of a trace precede its samples.
    ///
    /// # Errors
    /// If it can't be read, or is none of these.
    pub(super) fn read(path: &Path) -> Result<Vec<Self>> {
        if path.is_dir() { recording::read(path) } else { Ok(vec![stat::read(path)?]) }
    }

    /// Adds the regions of a run; earlier runs without them have 0.
    pub(super) fn add_regions(&mut self, run: usize, mut regions: Vec<Region>) {
        regions.sort_by(|a, b| (a.line, &a.address).cmp(&(b.line, &b.address)));
        let mut numbers: BTreeMap<(String, String), usize> = BTreeMap::new();
        for region in regions {
            let file = region.file.as_deref().map_or("", |file| file.rsplit('/').next().unwrap_or(file)).to_owned();
            let next = numbers.entry((region.function.clone(), file.clone())).or_default();
            let number = std::mem::replace(next, *next + 1);
            let place = region.line.map_or_else(String::new, |line| format!("{file}:{line}"));
            let figures = self.regions.entry(Place { function: region.function, file, number }).or_default();
            figures.place = place;
            figures.total_ns.resize(run, 0.0);
            figures.wait_ns.resize(run, 0.0);
            figures.total_ns.push(region.total_ns);
            figures.wait_ns.push(region.wait_ns);
        }
    }
}

/// A region of one run.
#[derive(Clone, Debug, Default)]
pub(super) struct Region {
    /// Function, or the object where that is unknown.
    pub(super) function: String,
    pub(super) file: Option<String>,
    pub(super) line: Option<u64>,
    /// Address in the object, where the line is unknown.
    pub(super) address: Option<String>,
    pub(super) total_ns: f64,
    pub(super) wait_ns: f64,
}

//! One side of a comparison: a file of `ora stat --json`, or a folder of a profile or trace.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

/// Origin of a side's figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Origin {
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
    /// Name, for people, of the material that the figures are based on.
    pub(crate) fn material(self) -> &'static str {
        match self {
            Self::Stat => "runs",
            Self::Profile => "samples",
            Self::Trace => "events",
        }
    }
}

/// Place with parallel regions. Lines may differ between two versions of a program, so the regions of a function are numbered.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) function: String,
    pub(crate) file: String,
    /// Number among the function's regions, from 0, in the order of lines.
    pub(crate) number: usize,
}

/// Figures of a place, with a value for each run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Figures {
    pub(crate) total_ns: Vec<f64>,
    pub(crate) wait_ns: Vec<f64>,
    /// `heat.c:10`; empty if unknown.
    pub(crate) place: String,
}

/// One side, with a value for each run of each figure.
#[derive(Debug, Default)]
pub struct Side {
    /// Origin of its figures.
    pub origin: Origin,
    pub(crate) command: Vec<String>,
    pub(crate) runs: usize,
    pub(crate) wall_ns: Vec<f64>,
    pub(crate) cpu_ns: Vec<f64>,
    pub(crate) activities: BTreeMap<String, Vec<f64>>,
    pub(crate) regions: BTreeMap<Place, Figures>,
    /// Own time of functions, for a profile.
    pub(crate) functions: BTreeMap<String, Vec<f64>>,
    /// Waits by cause and place, for a profile or a trace.
    pub(crate) waits: BTreeMap<String, Vec<f64>>,
}

impl Side {
    /// True if nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.wall_ns.is_empty()
    }

    /// Adds the regions of a run; earlier runs without them get 0.
    pub(crate) fn add_regions(&mut self, run: usize, mut regions: Vec<Region>) {
        // The regions of a function follow each other.
        regions.sort_by(|a, b| a.order().cmp(&b.order()));
        let is_same = |a: &Region, b: &Region| (&a.function, a.file_name()) == (&b.function, b.file_name());
        for same in regions.chunk_by(is_same) {
            for (number, region) in same.iter().enumerate() {
                let file = region.file_name().to_owned();
                let place = region.line.map_or_else(String::new, |line| format!("{file}:{line}"));
                let figures =
                    self.regions.entry(Place { function: region.function.clone(), file, number }).or_default();
                figures.place = place;
                figures.total_ns.resize(run, 0.0);
                figures.wait_ns.resize(run, 0.0);
                figures.total_ns.push(region.total_ns);
                figures.wait_ns.push(region.wait_ns);
            }
        }
    }
}

/// A region of one run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Region {
    /// Function, or the object if the function is unknown.
    pub(crate) function: String,
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u64>,
    /// Address in the object; some sources lack it where the line is known.
    pub(crate) address: Option<String>,
    pub(crate) total_ns: f64,
    pub(crate) wait_ns: f64,
}

impl Region {
    /// File without folders; empty if unknown.
    fn file_name(&self) -> &str {
        self.file.as_deref().map_or("", |file| file.rsplit('/').next().unwrap_or(file))
    }

    fn order(&self) -> (&str, &str, Option<u64>, Option<&str>) {
        (&self.function, self.file_name(), self.line, self.address.as_deref())
    }
}

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

/// Function with parallel regions, and its file without folders.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Scope {
    pub(crate) function: String,
    pub(crate) file: String,
}

/// Position of a region in its function. Regions that start on the same line count as one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Spot {
    Unknown,
    Line(u64),
    /// Address in the object, where the line is unknown.
    Address(String),
}

/// Figures of a place, with a value for each run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Figures {
    pub(crate) total_ns: Vec<f64>,
    pub(crate) wait_ns: Vec<f64>,
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
    /// By function, in the order of lines.
    pub(crate) regions: BTreeMap<Scope, BTreeMap<Spot, Figures>>,
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
    pub(crate) fn add_regions(&mut self, run: usize, regions: Vec<Region>) {
        for region in regions {
            let scope = Scope { file: region.file_name().to_owned(), function: region.function };
            let spot = match (region.line, region.address) {
                (Some(line), _) => Spot::Line(line),
                (None, Some(address)) => Spot::Address(address),
                (None, None) => Spot::Unknown,
            };
            let figures = self.regions.entry(scope).or_default().entry(spot).or_default();
            add(&mut figures.total_ns, run, region.total_ns);
            add(&mut figures.wait_ns, run, region.wait_ns);
        }
    }

    /// Gives each region a value for each run; runs without it get 0.
    pub(crate) fn complete(&mut self) {
        for figures in self.regions.values_mut().flat_map(BTreeMap::values_mut) {
            figures.total_ns.resize(self.runs, 0.0);
            figures.wait_ns.resize(self.runs, 0.0);
        }
    }
}

/// Adds to the value of a run.
fn add(values: &mut Vec<f64>, run: usize, ns: f64) {
    if values.len() <= run {
        values.resize(run + 1, 0.0);
    }
    if let Some(value) = values.get_mut(run) {
        *value += ns;
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
}

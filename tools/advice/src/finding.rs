//! A fault, its cost, and its fix.

use terminal::quantity::{percent, time};

use crate::facts::{Facts, Place};

/// A fault of a program, or of its surroundings.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Name of the rule, for programs: `stat-json.md` lists them.
    pub id: &'static str,
    /// The region, where it is in one.
    pub place: Option<Place>,
    /// The evidence: a sentence without its end.
    pub what: String,
    /// The remedy: a clause of a directive, a setting of the environment, or a change of the code.
    pub fix: String,
    /// Threads' time that it takes, in nanoseconds.
    pub costs_ns: f64,
    /// Wall time that a fix would save, in nanoseconds. `None`: the figures don't tell.
    pub saves_ns: Option<f64>,
    /// Origin of `saves_ns`.
    pub how_known: HowKnown,
    /// True for what has to be mended before other figures mean much.
    pub is_first: bool,
}

/// Origin of the time that a fix would save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HowKnown {
    /// It is a sum of measured differences.
    Measured,
    /// It follows from measured times, if the fix makes all threads share them evenly.
    Estimated,
    /// The figures don't tell.
    Unknown,
}

impl HowKnown {
    /// Name for programs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Estimated => "estimated",
            Self::Unknown => "unknown",
        }
    }
}

impl Finding {
    /// A finding whose savings are not known.
    pub(crate) fn new(id: &'static str, costs_ns: f64, what: String, fix: impl Into<String>) -> Self {
        Self {
            id,
            place: None,
            what,
            fix: fix.into(),
            costs_ns,
            saves_ns: None,
            how_known: HowKnown::Unknown,
            is_first: false,
        }
    }

    pub(crate) fn at(self, place: Option<&Place>) -> Self {
        Self { place: place.cloned(), ..self }
    }

    pub(crate) fn saves(self, ns: f64, how_known: HowKnown) -> Self {
        Self { saves_ns: Some(ns), how_known, ..self }
    }

    pub(crate) fn first(self) -> Self {
        Self { is_first: true, ..self }
    }

    /// Wall time by which findings are compared: what a fix saves, or would save if all threads lose the same.
    pub(crate) fn weight_ns(&self, facts: &Facts) -> f64 {
        self.saves_ns.unwrap_or(self.costs_ns / facts.threads().max(1.0))
    }

    /// The sentences for people: evidence, fix and savings.
    pub fn text(&self, wall_ns: f64) -> String {
        let saving = match self.saves_ns {
            Some(ns) if ns < wall_ns => {
                format!(" That would save about {}, {} % of the wall time.", time(ns), percent(ns, wall_ns))
            }
            _ => String::new(),
        };
        format!("{}: {}.{saving}", self.what, self.fix)
    }
}

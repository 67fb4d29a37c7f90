//! A fault, its cost, and its fix.

use terminal::quantity::{percent, time};

use crate::facts::{Facts, Place};

/// A fault of a program, or of its surroundings.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Name of the rule, for programs: `stat-json.md` lists the names.
    pub id: &'static str,
    /// The region, if the fault is in one.
    pub place: Option<Place>,
    /// The evidence: a sentence without the full stop.
    pub what: String,
    /// The remedy: a clause of a directive, a setting of the environment, or a change of the code.
    pub fix: String,
    /// Time of threads that the fault costs, in nanoseconds.
    pub costs_ns: f64,
    /// Wall time that a fix would save, in nanoseconds. `None` if the figures don't show it.
    pub saves_ns: Option<f64>,
    /// Origin of `saves_ns`.
    pub how_known: HowKnown,
    /// True if the fault must be fixed before other figures are meaningful.
    pub is_first: bool,
}

/// Origin of the time that a fix would save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HowKnown {
    /// The time is a sum of measured differences.
    Measured,
    /// The time follows from measured times if the fix makes all threads share them evenly.
    Estimated,
    /// The figures don't show the time.
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

    /// Words before the time: threads seldom share work perfectly.
    fn up_to(self) -> &'static str {
        match self {
            Self::Estimated => "up to",
            Self::Measured | Self::Unknown => "about",
        }
    }
}

impl Finding {
    /// A finding whose savings are unknown.
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

    /// The same, if the time is known.
    pub(crate) fn may_save(self, ns: Option<f64>, how_known: HowKnown) -> Self {
        match ns {
            Some(ns) => self.saves(ns, how_known),
            None => self,
        }
    }

    pub(crate) fn first(self) -> Self {
        Self { is_first: true, ..self }
    }

    /// Wall time by which findings are compared: what a fix saves, or what it would save if all threads lost the same
    /// time.
    pub(crate) fn weight_ns(&self, facts: &Facts) -> f64 {
        self.saves_ns.unwrap_or(self.costs_ns / facts.threads().max(1.0))
    }

    /// The sentences for readers: evidence, fix and savings.
    pub fn text(&self, wall_ns: f64) -> String {
        let saving = match self.saves_ns {
            Some(ns) if ns < wall_ns => {
                format!(
                    " That would save {} {}, {} % of the wall time.",
                    self.how_known.up_to(),
                    time(ns),
                    percent(ns, wall_ns)
                )
            }
            _ => String::new(),
        };
        format!("{}: {}.{saving}", self.what, self.fix)
    }
}

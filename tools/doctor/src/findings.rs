//! Findings of `ora doctor`: reasons, facts, and the verdict that follows.

use json_document::{Document, Versioned};
use serde::Serialize;

use super::callbacks::{self, Callbacks};
use super::events::Event;
use super::found_tool::Found;
use super::observation::ObservedRun;
use super::runtime::Runtime;

/// Effect of a reason on the visibility of the program's OpenMP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Effect {
    /// Nothing can be said before the program runs.
    Unknown,
    /// A part is not seen.
    HidesPart,
    /// Nothing is seen.
    HidesAll,
}

/// Certainty of a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Sure {
    /// It is certain.
    Certain,
    /// Signs speak for it.
    Likely,
}

/// A reason.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Reason {
    /// A word of the table below.
    pub(crate) id: &'static str,
    /// Its effect.
    pub(crate) effect: Effect,
    /// Its certainty.
    pub(crate) sure: Sure,
    /// The reason, for readers.
    pub(crate) what: String,
    /// The remedy, for readers.
    pub(crate) what_to_do: String,
}

impl Reason {
    /// True if the reason concerns tools of OMPT only.
    pub(crate) fn of_tools(&self) -> bool {
        self.id.starts_with("tool_")
    }
}

/// Kind of object that the doctor examined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Subject {
    /// A program.
    Program,
    /// A script.
    Script,
    /// A process.
    Process,
    /// With `--run`.
    Run,
    /// Without arguments.
    Installation,
}

/// Verdict of the doctor on the visibility of a program's OpenMP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    /// All of it, as far as the runtime adapter can raise it.
    Seen,
    /// A part is not seen.
    PartlySeen,
    /// Nothing is seen.
    NotSeen,
    /// Before a run it can't be known; after one, no region was run.
    Unknown,
}

/// A fact.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Fact {
    /// Its subject.
    pub(crate) about: &'static str,
    /// Text for readers.
    pub(crate) says: String,
}

/// All findings of one examination.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Findings {
    /// Object of the examination.
    pub(crate) subject: Subject,
    /// The program as given, the process's number, or `"this installation"`.
    pub(crate) name: String,
    /// Visibility of the program's OpenMP. With `"seen"` the exit code is 0.
    pub(crate) verdict: Verdict,
    /// Reasons for which something is not seen, the gravest first.
    pub(crate) reasons: Vec<Reason>,
    /// The OpenMP runtimes.
    pub(crate) runtimes: Vec<Runtime>,
    /// The events that each runtime adapter can raise, where a runtime is reported; else empty.
    pub(crate) events: Vec<Event>,
    /// The callbacks that OMPT tools get there; else empty.
    pub(crate) callbacks: Vec<Callbacks>,
    /// The tools of OMPT that were found: those of TR2, then those of OpenMP 5, each in the order in which they
    /// are asked.
    pub(crate) tools: Vec<Found>,
    /// Facts that hide nothing.
    pub(crate) facts: Vec<Fact>,
    /// Observations of the run; `null` without `--run`.
    pub(crate) run: Option<ObservedRun>,
}

impl Versioned for Findings {
    const SCHEMA: &'static str = "ora-doctor";
    const VERSION: u32 = 1;
}

impl Findings {
    pub(crate) fn new(subject: Subject, name: String) -> Self {
        Self {
            subject,
            name,
            verdict: Verdict::Seen,
            reasons: Vec::new(),
            runtimes: Vec::new(),
            events: Vec::new(),
            callbacks: Vec::new(),
            tools: Vec::new(),
            facts: Vec::new(),
            run: None,
        }
    }

    pub(crate) fn fact(&mut self, about: &'static str, says: impl Into<String>) {
        self.facts.push(Fact { about, says: says.into() });
    }

    /// Adds a reason that is certain.
    pub(crate) fn reason(
        &mut self,
        id: &'static str,
        effect: Effect,
        what: impl Into<String>,
        todo: impl Into<String>,
    ) {
        self.reasons.push(Reason { id, effect, sure: Sure::Certain, what: what.into(), what_to_do: todo.into() });
    }

    /// Adds a reason that is likely.
    pub(crate) fn likely(
        &mut self,
        id: &'static str,
        effect: Effect,
        what: impl Into<String>,
        todo: impl Into<String>,
    ) {
        self.reasons.push(Reason { id, effect, sure: Sure::Likely, what: what.into(), what_to_do: todo.into() });
    }

    pub(crate) fn has(&self, id: &str) -> bool {
        self.reasons.iter().any(|reason| reason.id == id)
    }

    /// True if nothing hides any of the program's OpenMP.
    pub fn is_all_seen(&self) -> bool {
        self.verdict == Verdict::Seen
    }

    /// The JSON document (see `docs/reference/doctor-json.md`).
    ///
    /// # Errors
    /// Never: everything in it can be expressed in JSON.
    pub fn json(&self) -> serde_json::Result<String> {
        Document::of(self).text()
    }

    /// Puts the gravest reason first and derives the verdict.
    #[must_use]
    pub fn conclude(mut self) -> Self {
        if !self.events.is_empty() {
            self.callbacks = callbacks::of(&self.runtimes, &self.events);
        }
        self.reasons.sort_by_key(|reason| std::cmp::Reverse(reason.effect));
        self.verdict = match self.reasons.first().map(|reason| reason.effect) {
            None => Verdict::Seen,
            Some(Effect::Unknown) => Verdict::Unknown,
            Some(Effect::HidesPart) => Verdict::PartlySeen,
            Some(Effect::HidesAll) => Verdict::NotSeen,
        };
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_and_page_are_current() {
        schemas::assert_current::<Findings>("doctor-json.md");
    }

    #[test]
    fn the_gravest_reason_decides() {
        let verdict = |effects: &[Effect]| {
            let mut findings = Findings::new(Subject::Program, String::new());
            effects.iter().for_each(|effect| findings.reason("x", *effect, "", ""));
            findings.conclude().verdict
        };
        assert_eq!(verdict(&[]), Verdict::Seen);
        assert_eq!(verdict(&[Effect::Unknown]), Verdict::Unknown);
        assert_eq!(verdict(&[Effect::Unknown, Effect::HidesPart]), Verdict::PartlySeen);
        assert_eq!(verdict(&[Effect::HidesPart, Effect::HidesAll, Effect::Unknown]), Verdict::NotSeen);
    }
}

//! A tool of OMPT that was found, and its outcome.

use std::path::PathBuf;

use linking::tool::Interface;
use serde::Serialize;

/// A tool.
///
/// A library that has `ompt_start_tool` is a tool of OpenMP 5, whatever else it has. A reason whose `id` begins
/// with `tool_` hides something from that tool only.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Found {
    /// `"tr2"` (Technical Report 2), `"openmp_5"` (OpenMP 5.0 and later).
    #[cfg_attr(test, schemars(with = "schemas::Interface"))]
    pub(crate) interface: Interface,
    /// Its file; where none was found, the name as given.
    pub(crate) file: PathBuf,
    /// Its place.
    pub(crate) found_in: Place,
    /// Outcome. Of a run or a process it is `"attached"`, `"declined"`, `"not_asked"` or `"unknown"`; of
    /// several processes the first of these that holds for one.
    pub(crate) outcome: Outcome,
    /// Details of the outcome, for readers; may be empty.
    pub(crate) why: String,
    /// The `id` of the reason for which it is not asked, or `null`.
    pub(crate) reason: Option<&'static str>,
    /// The program defines it in its full symbol table only, so it is not exported.
    #[serde(skip)]
    pub(crate) unexported: bool,
    /// True if a record says that it was asked.
    #[serde(skip)]
    pub(crate) recorded: bool,
}

/// Place where a tool was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Place {
    /// The program has it.
    Executable,
    /// LD_PRELOAD.
    Preloaded,
    /// A library that the program or another library needs.
    Linked,
    /// `OMP_TOOL_LIBRARIES`.
    OmpToolLibraries,
}

/// Outcome for a tool, expected or observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// It is asked.
    Asked,
    /// It is asked if others decline.
    AskedIfOthersDecline,
    /// A runtime that has OMPT itself asks it, since libora.so is not its tool.
    RuntimeAsks,
    /// It is not asked.
    NotAsked,
    /// It has attached.
    Attached,
    /// It has declined.
    Declined,
    /// Not known.
    Unknown,
}

impl Found {
    /// A tool that would be asked.
    pub(crate) fn new(interface: Interface, file: PathBuf, found_in: Place) -> Self {
        Self {
            interface,
            file,
            found_in,
            outcome: Outcome::Asked,
            why: String::new(),
            reason: None,
            unexported: false,
            recorded: false,
        }
    }

    pub(crate) fn set(&mut self, outcome: Outcome, why: impl Into<String>) {
        self.outcome = outcome;
        self.why = why.into();
    }

    /// Records the reason why it is not asked.
    pub(crate) fn because(&mut self, reason: &'static str) {
        self.set(Outcome::NotAsked, "");
        self.reason = Some(reason);
    }
}

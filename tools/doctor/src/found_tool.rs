//! A tool of OMPT that was found, and what becomes of it.

use std::path::PathBuf;

use linking::tool::Interface;
use serde::Serialize;

/// A tool of one interface; a library with both is two.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Found {
    pub(crate) interface: Interface,
    pub(crate) file: PathBuf,
    pub(crate) found_in: Place,
    pub(crate) outcome: Outcome,
    /// More about the outcome; may be empty.
    pub(crate) why: String,
    /// The reason for which it is not asked, if one says it.
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
#[serde(rename_all = "snake_case")]
pub(crate) enum Place {
    Executable,
    Preloaded,
    /// A library that the program, or another library, asks for.
    Linked,
    OmpToolLibraries,
}

/// Outcome for a tool, expected or observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    Asked,
    AskedIfOthersDecline,
    /// A runtime with OMPT asks it, without the library.
    RuntimeAsks,
    NotAsked,
    Attached,
    Declined,
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

    /// Notes the reason for which it is not asked.
    pub(crate) fn because(&mut self, reason: &'static str) {
        self.set(Outcome::NotAsked, "");
        self.reason = Some(reason);
    }
}

//! Observations of a run of the program.

use std::path::PathBuf;

use serde::Serialize;

/// Symbol bindings from one file to another.
#[derive(Debug, Serialize)]
pub(crate) struct Binding {
    pub(crate) pid: u32,
    pub(crate) importer: PathBuf,
    pub(crate) provider: PathBuf,
    pub(crate) role: Role,
    pub(crate) functions: Vec<String>,
}

/// Meaning of a binding for the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    /// The program's call comes to the library.
    ToLibrary,
    /// The library's call goes to the runtime.
    ToRuntime,
    /// A call goes to a runtime with OMPT, which reports to the library.
    #[serde(rename = "to_telling_runtime")]
    ToOmptRuntime,
    /// A call goes past the library.
    Past,
}

/// Observations of one run.
#[derive(Debug, Serialize)]
pub(crate) struct ObservedRun {
    pub(crate) exit_code: Option<u8>,
    pub(crate) signal: Option<i32>,
    pub(crate) collector_started: bool,
    pub(crate) session_error_code: Option<u32>,
    pub(crate) regions: u64,
    pub(crate) processes_with_openmp: usize,
    pub(crate) bindings: Vec<Binding>,
    #[serde(skip)]
    pub(crate) exit: String,
}

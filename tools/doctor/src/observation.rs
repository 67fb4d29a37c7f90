//! Observations of a run of the program.

use std::path::PathBuf;

use serde::Serialize;

/// A binding.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Binding {
    /// Number of the process.
    pub(crate) pid: u32,
    /// File that calls the functions.
    pub(crate) importer: PathBuf,
    /// File that has them.
    pub(crate) provider: PathBuf,
    /// Role of the binding.
    pub(crate) role: Role,
    /// Names of the functions.
    pub(crate) functions: Vec<String>,
}

/// Meaning of a binding for the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    /// Calls come to libora.so.
    ToLibrary,
    /// Its own calls go to the runtime.
    ToRuntime,
    /// Calls go to a runtime that notifies libora.so.
    #[serde(rename = "to_telling_runtime")]
    ToOmptRuntime,
    /// Calls go past it.
    Past,
}

/// A run.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ObservedRun {
    /// Exit code of the program; `null`: a signal ended it.
    pub(crate) exit_code: Option<u8>,
    /// The signal that ended it.
    pub(crate) signal: Option<i32>,
    /// True if the built-in collector ran in the first process.
    pub(crate) collector_started: bool,
    /// The answer to START (0: OK; `null`: `libora.so` was not there).
    pub(crate) session_error_code: Option<u32>,
    /// Number of parallel regions seen, over all processes.
    pub(crate) regions: u64,
    /// Number of processes in which OpenMP was seen.
    pub(crate) processes_with_openmp: usize,
    /// Bindings from the dynamic linker's log, of every process.
    pub(crate) bindings: Vec<Binding>,
    #[serde(skip)]
    pub(crate) exit: String,
}

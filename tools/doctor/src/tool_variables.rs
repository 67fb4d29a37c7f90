//! Environment variables that concern tools.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// Environment variables of the program that concern tools.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolVariables {
    /// Value of LD_PRELOAD.
    pub(crate) preload: Option<OsString>,
    /// Value of OMP_TOOL_LIBRARIES.
    pub(crate) libraries: Option<OsString>,
    /// Value of OMP_TOOL.
    pub(crate) tool: Option<OsString>,
    /// Folder to which relative paths refer; empty for the current one.
    pub(crate) folder: PathBuf,
}

impl ToolVariables {
    /// True if no runtime may ask for a tool (TR2, 6.2; OpenMP 5.0, 6.18).
    pub(crate) fn turn_tools_off(&self) -> bool {
        self.tool.as_deref().is_some_and(is_disabled)
    }
}

/// True if this value of `OMP_TOOL` turns tools off.
pub(crate) fn is_disabled(value: &OsStr) -> bool {
    value.to_string_lossy().trim().eq_ignore_ascii_case("disabled")
}

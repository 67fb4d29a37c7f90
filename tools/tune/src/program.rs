//! The tuned program, as the search sees it.

use std::path::Path;

use anyhow::Result;

use crate::search::Outcome;
use crate::seen::Seen;
use crate::setting::Setting;

/// Runs of one program.
pub trait Program {
    /// True if no more runs should be made.
    fn is_interrupted(&self) -> bool;

    /// Makes one run, as users start it. `doing` describes the run for people who wait.
    ///
    /// # Errors
    /// If it can't be started.
    fn time(&self, setting: &Setting, doing: &str) -> Result<Outcome>;

    /// Makes one run under `ora stat`. Returns `None` if it failed, or had no parallel region.
    ///
    /// # Errors
    /// If it can't be started.
    fn watch(&self, setting: &Setting, doing: &str) -> Result<Option<Seen>>;

    /// File from which runs read settings by region.
    fn settings_file(&self) -> &Path;

    /// Writes the file from which runs read settings by region.
    ///
    /// # Errors
    /// If it can't be written.
    fn write_settings(&self, text: &str) -> Result<()>;
}

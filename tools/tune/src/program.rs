//! The program that is tuned, as the search sees it.

use std::path::Path;

use anyhow::Result;

use crate::search::Outcome;
use crate::seen::Seen;
use crate::setting::Setting;

/// Runs of one program.
pub trait Program {
    /// True if there are to be no more runs.
    fn is_interrupted(&self) -> bool;

    /// One run as users start it. `doing`: what the run is, for people who wait.
    ///
    /// # Errors
    /// If it can't be made.
    fn time(&self, setting: &Setting, doing: &str) -> Result<Outcome>;

    /// One run under `ora stat`. `None`: it did not end well, or had no parallel region.
    ///
    /// # Errors
    /// If it can't be made.
    fn watch(&self, setting: &Setting, doing: &str) -> Result<Option<Seen>>;

    /// The file from which runs take settings by region.
    fn settings_file(&self) -> &Path;

    /// Writes that file.
    ///
    /// # Errors
    /// If it can't be written.
    fn write_settings(&self, text: &str) -> Result<()>;
}

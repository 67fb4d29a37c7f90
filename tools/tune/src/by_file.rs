//! Settings by region that were tried, and the file that contains them.

use std::path::PathBuf;

use crate::by_region::ByRegion;

/// Settings by region that were tried.
pub struct ByFile {
    /// Regions with their settings.
    pub by_region: ByRegion,
    /// File that contains them; `None` if they are not among the best.
    pub written: Option<PathBuf>,
}

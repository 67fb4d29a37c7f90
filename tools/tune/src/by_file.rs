//! Settings by region that were tried, and the file that has them.

use std::path::PathBuf;

use crate::by_region::ByRegion;

/// Settings by region that were tried.
pub struct ByFile {
    /// The regions, with their settings.
    pub by_region: ByRegion,
    /// The file that has them; `None`: they are not among the best.
    pub written: Option<PathBuf>,
}

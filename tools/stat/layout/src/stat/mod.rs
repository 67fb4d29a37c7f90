//! The memory of `ora stat`: times of threads by activity, and figures of regions.

pub mod activity;
pub mod instances;
pub mod joins;
pub mod layout;
pub mod path;
pub mod processor_time;
pub mod regions;
pub mod surroundings;
pub mod watching;

/// The environment variable that names the shared memory. Unset: the collector does nothing.
pub const AREA_VARIABLE: &str = "ORA_STAT_FILE";

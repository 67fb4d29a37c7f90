//! The memory of `ora tasks`: figures of tasks by the place in the program that creates them.

pub mod histogram;
pub mod layout;
pub mod median;
pub mod sampling;
pub mod shown;
pub mod spread;

/// The environment variable that names the shared memory. Unset: the collector does nothing.
pub const AREA_VARIABLE: &str = "ORA_TASKS_FILE";

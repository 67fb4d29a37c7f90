//! The figures of `ora tasks`.

mod construct;
mod construct_table;
pub mod dot;
mod facts;
mod gains;
mod histogram;
pub mod json;
mod level_table;
mod notes;
mod raw_run;
mod sight;
mod snapshot;
mod summary;
mod table;
mod times;
pub mod tree;

pub use raw_run::RawRun;
pub use snapshot::TasksRun;
pub use table::TasksTable;

//! `ora tasks`: a [`RawRun`] is read from the collector's memory, a [`TasksRun`] has its figures. The [`TasksTable`] shows these as text, with
//! the tables of constructs and levels in `construct_table` and `level_table`; [`json`] and [`dot`] are the other forms.

mod construct;
mod construct_table;
pub mod dot;
mod facts;
mod gains;
mod histogram;
pub mod json;
mod level_table;
mod notes;
mod owned;
mod raw_run;
mod sight;
mod snapshot;
mod subtrees;
mod summary;
mod table;
mod times;
pub mod tree;

pub use raw_run::RawRun;
pub use snapshot::TasksRun;
pub use table::TasksTable;

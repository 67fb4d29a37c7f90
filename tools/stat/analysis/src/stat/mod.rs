//! `ora stat`: a [`Run`] is read from the collector's memory, a [`Report`] chooses what is shown of one or several runs. The [`Table`] shows
//! that as text, with the regions' table in `region_table`; [`json`] and [`html`] are the other forms. [`facts`] are what findings come
//! from.

pub mod activities;
mod child;
mod difference;
mod efficiency;
pub mod exclusive;
pub mod facts;
pub mod figures;
pub mod html;
mod job;
pub mod json;
mod means;
mod others;
mod processors;
mod rank_findings;
mod region_table;
pub mod regions;
pub mod report;
mod resolvers;
mod runtimes;
pub mod snapshot;
pub mod table;
pub mod time_split;

pub use figures::Figures;
pub use job::job;
pub use regions::Region;
pub use report::Report;
pub use resolvers::Resolvers;
pub use snapshot::Run;
pub use table::Table;

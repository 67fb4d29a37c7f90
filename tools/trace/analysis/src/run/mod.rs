//! Output of `ora trace` at the end of a run: counts over all processes, as a few lines. Packs the files of those
//! that have ended.

mod packed_file;
mod summary;
mod totals;

pub(crate) use summary::of_first;
pub use summary::{dumped, page};
pub use totals::Totals;

//! What `ora profile` says at the end of a run: counts over all processes, as a few lines.

mod ending;
mod perf_map;
mod summary;
mod totals;

pub use ending::Ending;
pub use perf_map::keep;
pub use summary::{page, samples};
pub use totals::Totals;

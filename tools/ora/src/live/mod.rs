//! Watching what runs already.

mod attach;
mod attempt;
mod process_folder;
mod recording;
mod session;

pub(crate) use attach::{attach, begin_collector, failure};
pub(crate) use attempt::{Attempt, watch_over_tracing};
pub(crate) use session::Session;

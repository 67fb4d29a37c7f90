//! Watching what runs already.

mod attach;
mod process_folder;
mod recording;
mod session;

pub(crate) use attach::{attach, begin_collector, failure, words};
pub(crate) use session::{Session, cpu_ns};

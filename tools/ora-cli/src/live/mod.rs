//! Watching what runs already.

mod attach;
mod recording;
mod scratch;
mod session;

pub(crate) use attach::{attach, begin_collector, failure, words};
pub(crate) use session::{Session, cpu_ns};

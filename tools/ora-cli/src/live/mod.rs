//! Watching what runs already.

mod attach;
mod session;

pub(crate) use attach::{attach, begin, failure, words};
pub(crate) use session::{Session, cpu_ns};

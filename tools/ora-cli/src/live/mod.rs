//! Watching what runs already.

mod attach;
mod session;

pub(crate) use attach::{attach, failure, words};

//! Watching of running processes.

mod attach;
mod attempt;
mod begin;
mod failure;
mod process_folder;
mod recording;
mod session;

pub(crate) use attach::{attach, doing};
pub(crate) use attempt::{Attempt, watch_over_tracing};
pub(crate) use begin::begin_collector;
pub(crate) use failure::failure;
pub(crate) use session::Session;

//! Threads that make requests at full speed, on a runtime that reports their regions.

mod array;
mod asker;
pub(crate) mod counts;
pub(crate) mod embed;
pub(crate) mod gomp;
mod library;
mod random;

pub(crate) use library::Library;

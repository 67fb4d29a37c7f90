//! Threads that make requests at full speed, on a runtime that reports their regions.

mod array;
pub(crate) mod counts;
pub(crate) mod embed;
pub(crate) mod gomp;
mod library;
mod random;
mod requester;

pub(crate) use library::Library;

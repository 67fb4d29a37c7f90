//! Threads that ask as fast as they can, on a runtime that tells of their regions.

mod array;
mod asker;
pub(crate) mod counts;
pub(crate) mod embed;
pub(crate) mod gomp;
mod library;
mod random;

pub(crate) use library::Library;

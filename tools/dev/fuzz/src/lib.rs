//! Differential fuzzer of the request interface: plays a file of steps against the library and against a slow reference simultaneously.
//!
//! A file is a sequence of steps: calls of `__omp_collector_api` with well-formed and malformed arrays, reports of a runtime through the
//! embed interface, and programs for the collector's callbacks. Every byte of every answer and every callback is compared with the
//! expectations of [`mod@reference`] and [`model`]. [`play::play`] is the entry point; the coverage-guided target and the replay of the
//! corpus call nothing else.

pub mod arena;
pub mod buffer;
pub mod bug;
pub mod callbacks;
mod calls;
mod collector;
pub mod corpus;
pub mod helper_threads;
pub mod model;
pub mod play;
pub mod race;
pub mod reader;
pub mod reference;
mod runtime;
pub mod setup;

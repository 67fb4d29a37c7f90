//! An OMPT 5 tool that checks every callback against the specification.

pub mod answers;
pub mod engine;
pub mod event;
mod hook;
mod trace;
pub mod word;

//! The validator on native libomp, with programs that clang compiles.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may stop where it stands")]

mod clean;
mod harness;
mod mutants;

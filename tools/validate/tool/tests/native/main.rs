//! Tests of the validator on whole programs: compiled by clang on native libomp, by gcc on libgomp with `libora.so`.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may stop where it stands")]

mod harness;
mod libgomp;
mod libomp;
mod mutants;
mod opari;

//! Tools of TR2: parsed traces of `tr2/trace.c`, and the rules for them.

pub mod counts;
pub mod numbers;
pub mod rules;
pub mod trace;
pub mod verdict;
pub mod walk;

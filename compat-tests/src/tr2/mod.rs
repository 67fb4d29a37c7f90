//! What a tool of TR2 is told: the traces that `tr2/trace.c` writes, and what holds of them.

pub mod counts;
pub mod numbers;
pub mod rules;
pub mod trace;
pub mod verdict;
pub mod walk;

//! Comparison of two measurements, for `ora diff`: two outputs of `ora stat --json`, two profiles, or two traces, with or without samples.
//! A measurement has a [`Side`] for each origin of its figures.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod compare;
mod difference;
mod json;
mod matching;
mod recording;
mod side;
mod stat;
mod text;

pub use difference::{Difference, Pairs, pairs};
pub use json::document as json;
pub use recording::{of_profile, of_trace};
pub use side::{Origin, Side};
pub use stat::of_stat;
pub use text::page;

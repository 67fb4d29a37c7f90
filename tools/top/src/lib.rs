//! Observations of `ora top`: where a program's time goes at the moment, once a second.
//!
//! The figures come from the memory of `ora stat`'s collector ([`Source`]), which the program writes anyway, so an observation costs it
//! nothing. The difference of two observations is shown on a screen ([`screen`]), or as text and JSON ([`batch`]). The command controls the
//! programs that it starts or attaches to, and the terminal.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod batch;
pub mod candidates;
mod draw;
mod found;
mod json;
mod load;
mod pages;
mod sample;
pub mod screen;
mod source;
mod view;

use std::time::Duration;

pub use found::Found;
pub use source::Source;

/// Options that the user has chosen.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Time between two observations.
    pub interval: Duration,
    /// Number of observations; `None` to continue until the end.
    pub count: Option<u32>,
    /// True for JSON in place of text.
    pub json: bool,
    /// Maximum number of threads with their own row.
    pub threads: usize,
    /// True if the screen may have colours.
    pub has_colour: bool,
}
